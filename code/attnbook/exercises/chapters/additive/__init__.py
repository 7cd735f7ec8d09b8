"""Exercises of the chapter on the additive score."""
