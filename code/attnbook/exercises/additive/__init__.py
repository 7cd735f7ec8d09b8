"""Exercises of the chapter on the additive score, in the order of the chapter."""

from attnbook.exercises.additive import bend, predictions, scores

without_tanh = predictions.without_tanh
additive_scores = scores.additive_scores
counts = predictions.counts
sharpest = predictions.sharpest
bent_apart = bend.bent_apart
