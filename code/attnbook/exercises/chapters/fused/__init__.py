"""Exercises of the chapter on fused programs."""
