"""Exercises of the chapter on texts longer than those of training."""

EXERCISES = (
    "whole_turns",
    "looks_back",
    "falling",
    "ramped",
    "rope_of_patches",
    "closed_gap",
    "endless",
    "left_behind",
)
