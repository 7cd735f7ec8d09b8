"""Exercises of the museum of mask bugs."""

EXERCISES = "fill", "named", "influence", "renormalised", "mended"
