"""Exercises of the chapter on the dot product, in the order of the chapter."""

from attnbook.exercises.dot_product import attention, bilinear, predictions, wrong_transpose

toy_keys = predictions.toy_keys
vector_sum = predictions.vector_sum
bilinear_scores = bilinear.bilinear_scores
shapes = predictions.shapes
reshaped = wrong_transpose.reshaped
scaled_dot_product_attention = attention.scaled_dot_product_attention
