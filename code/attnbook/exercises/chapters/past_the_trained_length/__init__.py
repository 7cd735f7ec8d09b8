"""Exercises of the chapter on texts longer than those of training."""
