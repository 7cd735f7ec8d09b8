"""Exercises of the chapter on online softmax, in the order of the chapter."""

from attnbook.exercises.online import backward, breaks, merging, predictions, running

three_numbers = predictions.three_numbers
start_at_zero = breaks.start_at_zero
step = running.step
merge_all = merging.merge_all
causal_blocks = predictions.causal_blocks
corner = breaks.corner
block_gradient = backward.block_gradient
