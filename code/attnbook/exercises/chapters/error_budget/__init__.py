"""Exercises of the chapter on the error budget."""
