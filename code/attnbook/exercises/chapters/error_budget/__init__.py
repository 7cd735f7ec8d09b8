"""Exercises of the chapter on the error budget."""

EXERCISES = "roundings", "rounds_once", "within", "cancels"
