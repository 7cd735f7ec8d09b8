"""Exercises of the museum of mask bugs, in the order of the chapter."""

from attnbook.exercises.museum import leaks, predictions, repairs

fill = predictions.fill
named = predictions.named
influence = leaks.influence
renormalised = repairs.renormalised
mended = repairs.mended
