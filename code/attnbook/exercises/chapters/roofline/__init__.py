"""Exercises of the chapter on the roofline."""
