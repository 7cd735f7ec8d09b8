"""Exercises of the chapter on gradients by hand."""
