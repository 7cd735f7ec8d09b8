"""Exercises of the chapter on weighted averages, in the order of the chapter."""

from attnbook.exercises.weighted_average import (
    gaussian,
    leaving_out,
    lookup,
    normalising,
    predictions,
)

by_hand = predictions.by_hand
very_wide = predictions.very_wide
normalise = normalising.normalise
gaussian_attention = gaussian.gaussian_attention
not_a_lookup = lookup.not_a_lookup
leave_one_out = leaving_out.leave_one_out
