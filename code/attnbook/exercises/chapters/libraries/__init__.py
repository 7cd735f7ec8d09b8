"""Exercises of the chapter on what libraries do with masks."""

EXERCISES = "how_many", "visible", "cleaned", "two_corners", "polarity"
