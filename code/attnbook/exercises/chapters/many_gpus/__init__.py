"""Exercises of the chapter on many GPUs."""
