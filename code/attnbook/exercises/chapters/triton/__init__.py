"""Exercises of the chapter on Triton."""

EXERCISES = (
    "programs",
    "scale",
    "next_row",
    "wide_softmax",
    "registers",
    "merge",
    "offset",
    "phases",
    "causal",
)
