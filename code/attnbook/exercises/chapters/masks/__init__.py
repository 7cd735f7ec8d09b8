"""Exercises of the chapter on masks."""
