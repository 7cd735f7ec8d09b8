"""Exercises of the chapter on attention as modules, in the order of the chapter."""

from attnbook.exercises.modules import breaks, joint, layer, predictions, visibility

parameters = predictions.parameters
dropout = predictions.dropout
split_joint = joint.split_joint
visible = visibility.visible
self_attention = layer.self_attention
two_corners = breaks.two_corners
polarity = breaks.polarity
