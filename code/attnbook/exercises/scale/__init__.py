"""Exercises of the chapter on the scale of the dot product, in the order of the chapter."""

from attnbook.exercises.scale import cosine, predictions, wrong_width

spread = predictions.spread
overflow = predictions.overflow
cosine_scores = cosine.cosine_scores
value_width = wrong_width.value_width
