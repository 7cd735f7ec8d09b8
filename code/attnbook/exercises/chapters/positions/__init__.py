"""Exercises of the chapter on positions."""
