"""Exercises of the chapter on Triton."""

EXERCISES = (
    "programs",
    "scale",
    "next_row",
    "wide_softmax",
    "three_programs",
    "where_it_lies",
    "merge",
    "offset",
    "phases",
    "causal",
)
