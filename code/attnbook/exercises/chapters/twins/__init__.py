"""Exercises of the chapter on twins."""
