"""Exercises of the chapter on Triton."""
