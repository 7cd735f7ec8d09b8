"""What two blocks sum to."""

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
        Misconception(2.5, "half is added: what the second block adds is ln 2, about 0.69."),
        Misconception(3.0, "1 is added, as log2 of 2 is: L has the natural logarithm, ln 2."),
        Misconception(1.0, "half of 2: two blocks make the sum larger, not smaller."),
        Misconception(
            2 + np.log10(2), "log10 is another logarithm: exp goes with the natural one."
        ),
        Misconception(
            2 - np.log(2),
            "ln 2 is subtracted: that is the mean of the two sums, and here they add.",
        ),
        Misconception(np.e**2, "e² is the sum of one block: add both, and take the logarithm."),
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
