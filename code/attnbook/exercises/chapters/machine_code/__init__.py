"""Exercises of the chapter on machine code."""
