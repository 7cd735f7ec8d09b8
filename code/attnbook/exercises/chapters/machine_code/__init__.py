"""Exercises of the chapter on machine code."""

EXERCISES = "tile_products", "unordered", "clocks", "stages", "idle_mask", "column", "hot_loop"
