"""Exercises of the chapter on attention without the softmax."""

EXERCISES = "states", "costs", "delta_update", "read_chunk", "decay_mask", "late"
