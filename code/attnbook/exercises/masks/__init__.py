"""Exercises of the chapter on masks, in the order of the chapter."""

from attnbook.exercises.masks import causal, exact, left_padding, predictions

middle_hidden = predictions.middle_hidden
left_padding_mask = left_padding.left_padding_mask
causal_mask = causal.causal_mask
window_pairs = predictions.window_pairs
masked_softmax = exact.masked_softmax
