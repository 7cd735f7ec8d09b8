"""Exercises of the chapter on devices and short floats."""
