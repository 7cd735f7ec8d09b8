"""Exercises of the chapter on weighted averages."""
