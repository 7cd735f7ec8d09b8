"""Exercises of the museum of mask bugs, in the order of the chapter."""

from attnbook.exercises.museum import repairs

renormalised = repairs.renormalised
mended = repairs.mended
