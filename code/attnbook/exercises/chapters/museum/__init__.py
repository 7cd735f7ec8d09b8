"""Exercises of the museum of mask bugs."""
