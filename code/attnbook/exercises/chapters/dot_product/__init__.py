"""Exercises of the chapter on the dot product."""
