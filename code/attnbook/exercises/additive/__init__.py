"""Exercises of the chapter on the additive score, in the order of the chapter."""

from attnbook.exercises.additive import bend, concatenation, predictions, product, scores

without_tanh = predictions.without_tanh
additive_scores = scores.additive_scores
concat_scores = concatenation.concat_scores
one_matrix = product.one_matrix
counts = predictions.counts
sharpest = predictions.sharpest
bent_apart = bend.bent_apart
