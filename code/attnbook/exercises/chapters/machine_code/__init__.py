"""Exercises of the chapter on machine code."""

EXERCISES = (
    "tile_products",
    "unordered",
    "clocks",
    "stages",
    "missing_waits",
    "idle_mask",
    "column",
    "hot_loop",
)
