"""Exercises of the chapter on attention as modules."""
