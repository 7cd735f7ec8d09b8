"""Exercises of the chapter on the circuit inside."""

EXERCISES = (
    "first_word",
    "one_layer",
    "induction_score",
    "mean_ablated",
    "folded",
    "later_reader",
)
