"""Exercises of the chapter on heads."""

EXERCISES = (
    "who_reads_whom",
    "two_averages",
    "write_matrices",
    "counts",
    "tile_for_repeat",
    "grouped_attention",
    "weights_with_sink",
)
