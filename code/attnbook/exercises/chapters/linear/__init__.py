"""Exercises of the chapter on attention without the softmax."""
