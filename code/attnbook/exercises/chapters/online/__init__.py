"""Exercises of the chapter on online softmax."""
