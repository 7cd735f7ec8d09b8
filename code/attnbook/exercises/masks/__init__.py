"""Exercises of chapter 3, masks, in the order of the chapter."""

from attnbook.exercises.masks import causal, exact, left_padding, predictions, repairs

middle_hidden = predictions.middle_hidden
left_padding_mask = left_padding.left_padding_mask
causal_mask = causal.causal_mask
window_pairs = predictions.window_pairs
masked_softmax = exact.masked_softmax
renormalised = repairs.renormalised
mended = repairs.mended
