"""Outputs to predict: by hand, and for a very wide kernel."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.predict import Predict
from attnbook.exercises.solutions import weighted_average as solutions

by_hand = Predict(
    name="weighted_average.by_hand",
    title="Three weights by hand",
    level="easy",
    minutes=2,
    solution_of=solutions.by_hand,
    atol=0.005,
    explanation="The weights are 2/4, 1/4 and 1/4; the output is 0 · 2/4 + 4 · 1/4 + 8 · 1/4 = 3.",
    hints=(
        "What do the three affinities sum to?",
        "Divide each affinity by that sum: these are the weights.",
    ),
    misconceptions=(
        Misconception(8.0, "8 is the value of the last key alone: each key has weight."),
        Misconception(1.0, "1 is the share of the second key alone: the third adds its own."),
        Misconception(2.0, "2 is the share of the third key alone: the second adds its own."),
        Misconception(
            3 / 4,
            "the output was divided once more: the weights 2/4, 1/4 and 1/4 sum to 1 already.",
        ),
        Misconception(
            12.0, "12 is the sum of affinity times value: divide the affinities by their sum first."
        ),
        Misconception(
            4.0,
            "4 is the plain average, and 12 over the number of keys: divide by the sum of the "
            "affinities.",
        ),
        Misconception(
            0.0, "0 is the value of the best key alone: the other two keys have weight as well."
        ),
        Misconception(5.0, "5 gives the weight 2/4 to the last key: it belongs to the first."),
        Misconception(5.5, "5.5 belongs to the affinities 1, 3 and 4; here they are 2, 1 and 1."),
        Misconception(
            6.0,
            "6 averages the last two keys alone, or divides by 2: all three have weight, and the "
            "affinities sum to 4.",
        ),
        Misconception(
            12 / (np.e + 2),
            "2.54 belongs to the softmax of 2, 1 and 1: these are affinities already, and only "
            "have to be divided by their sum.",
        ),
    ),
    notice="Only the ratios of the affinities matter: 20, 10, 10 would give the same 3.",
)

very_wide = Predict(
    name="weighted_average.very_wide",
    title="A very wide kernel",
    level="easy",
    minutes=3,
    solution_of=solutions.very_wide,
    atol=0.005,
    explanation=(
        "Seen through a kernel a million wide all three keys are equally near: each affinity is "
        "almost exactly 1, each weight 1/3, and the output is the plain average of 0, 4 and 8."
    ),
    hints=(
        "What is exp(-x) for a tiny x?",
        "Three affinities that are almost equal: what are the weights?",
    ),
    misconceptions=(
        Misconception(8.0, "8 is the value of one key alone: this kernel sees all three alike."),
        Misconception(2.0, "2 averages the first two values: all three keys are equally near."),
        Misconception(
            5.0, "5 is pulled to the nearer keys: this kernel is far too wide to tell them apart."
        ),
        Misconception(
            1e6, "the width only sets how fast affinities fall: it is no factor of the output."
        ),
        Misconception(2.5, "2.5 is the query: the output is an average of values."),
        Misconception(
            6.0, "6 averages the two nearest keys: a kernel this wide cannot tell them from key 1."
        ),
        Misconception(
            0.0, "0 would need affinities that vanish, but exp(-x) is close to 1 for a tiny x."
        ),
        Misconception(
            12.0, "12 adds the three values: affinities close to 1 are divided by their sum, 3."
        ),
        Misconception(5.07, "5.07 is the output at width 1; a wider kernel levels the weights."),
    ),
    notice="A kernel that is too wide is the plain average again: the query has no influence.",
)
