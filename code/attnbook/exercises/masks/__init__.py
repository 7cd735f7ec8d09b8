"""Exercises of the chapter on masks, in the order of the chapter."""

from attnbook.exercises.masks import broken, causal, exact, left_padding, predictions, tree

middle_hidden = predictions.middle_hidden
left_padding_mask = left_padding.left_padding_mask
causal_mask = causal.causal_mask
added = broken.added
tree_mask = tree.tree_mask
masked_softmax = exact.masked_softmax
