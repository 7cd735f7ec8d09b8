"""What two blocks sum to, and what cold does to the weights."""

import numpy as np

from attnbook.exercises.exercise import Misconception
from attnbook.exercises.predict import Predict
from attnbook.exercises.solutions import softmax as solutions

merged = Predict(
    name="softmax.merged",
    title="Two equal blocks",
    level="easy",
    minutes=3,
    solution_of=solutions.merged,
    atol=0.006,
    explanation=(
        "The sums add, not their logarithms: $e^2 + e^2 = 2 e^2$, and $\\ln(2 e^2) = 2 + \\ln 2$, "
        "about 2.69. How many keys a block holds does not matter any more: $L$ has counted them."
    ),
    hints=(
        "What is the sum of exponentials of one block, written with its L? And of both together?",
        "Take the logarithm of e² + e² = 2 e². The logarithm of a product is a sum.",
    ),
    misconceptions=(
        Misconception(
            4.0, "4 is L_a + L_b: the sums of exponentials add, their logarithms do not."
        ),
        Misconception(
            2.0, "2 is the L of one block: the other block makes the sum twice as large."
        ),
        Misconception(2 * np.e**2, "that is the sum of exponentials itself: take its logarithm."),
        Misconception(np.log(2), "ln 2 is what the second block adds: add it to 2."),
        Misconception(
            np.log(4), "that is the logarithm of L_a + L_b: exponentiate both before you add."
        ),
        Misconception(
            2 + np.log(2000),
            "that adds ln 2000, as if 2000 scores were equal to 2: 2 is the L of a whole block.",
        ),
        Misconception(
            2 + np.log(1000),
            "that adds ln 1000, as if 1000 scores were equal to 2: 2 is the L of a whole block.",
        ),
    ),
    notice="Two equal blocks add ln 2, and each keeps a share of one half.",
)

colder = Predict(
    name="softmax.colder",
    title="Half the temperature",
    level="easy",
    minutes=5,
    solution_of=solutions.colder,
    atol=0.006,
    explanation=(
        "Dividing the scores by 1/2 doubles them, and $e^{2 s} = (e^s)^2$: the affinities 1, 3 "
        "and 4 become 1, 9 and 16. Their sum is 26, so the weights are 1/26, 9/26 and 16/26, or "
        "0.04, 0.35 and 0.62."
    ),
    hints=(
        "Dividing by 1/2 doubles each score. What happens to its exponential?",
        "e^(2s) is the square of e^s: square the affinities 1, 3 and 4.",
        "Divide 1, 9 and 16 by their sum.",
    ),
    misconceptions=(
        Misconception(
            np.array([1, 3, 4]) / 8,
            "these are the weights at T = 1: adding a number to all scores cancels, dividing them "
            "by a number does not.",
        ),
        Misconception(
            np.sqrt([1, 3, 4]) / np.sqrt([1, 3, 4]).sum(),
            "these are the weights at T = 2: dividing the scores by 1/2 makes them larger.",
        ),
        Misconception(
            np.array([1, 3, 4]) / 16,
            "half of each weight does not sum to 1: T divides the scores, before the exponential.",
        ),
        Misconception(
            np.array([1, 3, 4]) / 4,
            "twice each weight does not sum to 1: T divides the scores, before the exponential.",
        ),
        Misconception(
            np.array([0, 0, 1]),
            "that is the limit of T going to 0: at T = 1/2 the other keys still have weight.",
        ),
        Misconception(
            np.array([1, 9, 16]), "these are the affinities: divide them by their sum, 26."
        ),
        Misconception(
            np.log([1, 3, 4]) / np.log(12),
            "these are the scores divided by their sum: the exponential is missing.",
        ),
        Misconception(
            np.array([16, 9, 1]) / 26, "the order is reversed: the last key has the largest score."
        ),
    ),
    notice="The leader gains and the others lose: cooling sharpens, and ratios of weights square.",
)
