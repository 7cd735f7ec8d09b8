"""Exercises of the chapter on the dot product, in the order of the chapter."""

from attnbook.exercises.dot_product import attention, bilinear, predictions, wrong_width

toy_keys = predictions.toy_keys
vector_sum = predictions.vector_sum
bilinear_scores = bilinear.bilinear_scores
spread = predictions.spread
shapes = predictions.shapes
scaled_dot_product_attention = attention.scaled_dot_product_attention
value_width = wrong_width.value_width
