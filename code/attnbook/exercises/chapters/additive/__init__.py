"""Exercises of the chapter on the additive score."""

EXERCISES = "without_tanh", "additive_scores", "counts", "sharpest", "hump_for", "bent_apart"
