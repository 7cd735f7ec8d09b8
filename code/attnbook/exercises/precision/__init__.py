"""Exercises of the chapter on devices and short floats, in the order of the chapter."""

from attnbook.exercises.precision import predictions

result_bits = predictions.result_bits
fills = predictions.fills
