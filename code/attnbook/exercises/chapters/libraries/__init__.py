"""Exercises of the chapter on what libraries do with masks."""
