"""Exercises of the chapter on FlexAttention."""

EXERCISES = "document_blocks", "window_rule", "sloped", "late_cap", "tile_sizes"
