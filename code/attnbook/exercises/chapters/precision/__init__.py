"""Exercises of the chapter on short floats."""
