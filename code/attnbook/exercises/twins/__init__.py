"""Exercises of the chapter on twins, in the order of the chapter."""

from attnbook.exercises.twins import causal, distances, predictions, weights

lse_gradient = predictions.lse_gradient
five_zeros = predictions.five_zeros
softmax = weights.softmax
distance = distances.distance
causal_mask = causal.causal_mask
