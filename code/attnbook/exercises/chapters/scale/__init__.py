"""Exercises of the chapter on the scale of the dot product."""
