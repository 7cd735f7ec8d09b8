"""Exercises of the chapter on heads."""
