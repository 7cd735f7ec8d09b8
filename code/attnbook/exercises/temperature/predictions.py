"""What cold does to the weights, and what a score does to the output."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.predict import Predict
from attnbook.exercises.solutions import temperature as solutions
from attnbook.reference import softmax

colder = Predict(
    name="temperature.colder",
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
            np.array([1, 16, 9]) / 26,
            "the last two are exchanged: the larger score has the larger weight.",
        ),
        Misconception(
            np.array([1, 27, 64]) / 92, "the affinities are cubed: dividing by 1/2 squares them."
        ),
        Misconception(
            np.array([1, 1, 1]) / 3,
            "that is the limit of a large T: at T = 1/2 the weights are sharper.",
        ),
        Misconception(
            np.array([0, np.log(3), np.log(4)]) * 2,
            "these are the scores over T: their softmax is asked for.",
        ),
        Misconception(np.array([1, 9, 16]) / 8, "the sum is that of T = 1: divide by 1 + 9 + 16."),
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
            np.array([2, 6, 8]), "the affinities are doubled: dividing by 1/2 squares them."
        ),
        *(
            Misconception(
                softmax(factor * np.array([1.0, 3.0, 4.0])),
                "the affinities were exponentiated once more: they are the e^s already.",
            )
            for factor in (1, 2)
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

pull = Predict(
    name="temperature.pull",
    title="Which way the output moves",
    level="easy",
    minutes=4,
    solution_of=solutions.pull,
    atol=0.006,
    explanation=(
        "The output is 0/8 + 24/8 + 6/2 = 6. Each score pulls it towards its own value, by "
        "$A_l (v_l - \\text{out})$: 1/8 · (0 − 6) = −3/4, 3/8 · (8 − 6) = 3/4 and 1/2 · (6 − 6) = "
        "0. The key with the largest weight does nothing: its value is the output already."
    ),
    hints=(
        "What is the output itself?",
        "The derivative by the score l is A_l (v_l - out).",
    ),
    misconceptions=(
        Misconception(
            np.array([0, 3, 3]),
            "these are the weights times the values: subtract the output from each value first.",
        ),
        Misconception(
            np.array([-6, 2, 0]),
            "these are the distances from the output: each counts by its key's weight.",
        ),
        Misconception(
            np.array([3, -3, 0]) / 4,
            "the sign is turned: raising a score moves the output towards that key's value.",
        ),
        Misconception(
            np.array([0, 15 / 8, 3 / 2]),
            "that is A_l (1 - A_l) v_l: raising one score also lowers all other weights.",
        ),
        Misconception(
            np.array([1, 3, 4]) / 8,
            "these are the weights, the derivatives by the values; the scores are asked for.",
        ),
        Misconception(
            np.array([7, 15, 16]) / 64,
            "these are the derivatives A_l (1 - A_l) of the weights: the values are missing.",
        ),
        Misconception(
            np.array([-7 / 12, 5 / 4, 2 / 3]),
            "the distances are those from the plain mean of the values: the output weighs them.",
        ),
    ),
    notice="The three sum to 0: raising all scores alike moves nothing.",
)
