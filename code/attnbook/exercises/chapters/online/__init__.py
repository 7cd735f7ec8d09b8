"""Exercises of the chapter on online softmax."""

EXERCISES = "three_numbers", "taken_out", "step", "merge_all"
