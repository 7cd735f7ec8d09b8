"""Exercises of the chapter on fused programs."""

EXERCISES = "which_flash", "for_flash", "after_cut", "softmaxed", "masked", "shaped"
