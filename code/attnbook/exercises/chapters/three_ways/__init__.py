"""Exercises of the chapter on three ways of attention."""
