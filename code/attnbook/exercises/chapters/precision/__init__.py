"""Exercises of the chapter on short floats."""

EXERCISES = "result_bits", "stored", "fills", "rounded", "half_mean", "scaled_step"
