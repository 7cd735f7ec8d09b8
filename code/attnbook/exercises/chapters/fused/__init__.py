"""Exercises of the chapter on fused programs."""

EXERCISES = (
    "which_flash",
    "for_flash",
    "window_rule",
    "sloped",
    "document_blocks",
    "after_cut",
    "late_cap",
    "softmaxed",
    "masked",
    "shaped",
)
