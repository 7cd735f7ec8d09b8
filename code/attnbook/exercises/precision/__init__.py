"""Exercises of the chapter on devices and short floats, in the order of the chapter."""

from attnbook.exercises.precision import attention, means, predictions

result_bits = predictions.result_bits
fills = predictions.fills
roundings = predictions.roundings
rounds_once = attention.rounds_once
half_mean = means.half_mean
