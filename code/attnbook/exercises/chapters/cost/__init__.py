"""Exercises of the chapter on what attention costs."""

EXERCISES = "shared_keys", "cost", "half", "overtakes"
