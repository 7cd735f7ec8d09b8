"""Exercises of the chapter on attention as modules, in the order of the chapter."""

from attnbook.exercises.modules import joint, layer, predictions, whose

parameters = predictions.parameters
dropout = predictions.dropout
whose_mask = whose.whose_mask
split_joint = joint.split_joint
self_attention = layer.self_attention
