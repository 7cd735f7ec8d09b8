"""Exercises of the chapter on what attention costs."""
