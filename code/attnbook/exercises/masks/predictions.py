"""Which weights a mask leaves."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.predict import Predict
from attnbook.exercises.solutions import masks as solutions

middle_hidden = Predict(
    name="masks.middle_hidden",
    title="Hide the middle key",
    level="easy",
    minutes=3,
    solution_of=solutions.middle_hidden,
    atol=0.001,
    explanation=(
        "Hiding the middle key leaves the exponentials 1 and 4. Their sum is 5, so the weights "
        "are 1/5, 0 and 4/5. The ratio of the two visible weights stays 1 to 4."
    ),
    hints=(
        "Write down the three exponentials, and cross out the hidden one.",
        "Divide what is left by the sum of what is left.",
    ),
    misconceptions=(
        Misconception(
            (4 / 5, 0, 1 / 5), "the order is reversed: the last key has the larger score."
        ),
        Misconception(
            (1 / 5, 4 / 5, 0), "the zero stands at the wrong key: the middle one is hidden."
        ),
        Misconception(
            (1 / 3, 1 / 3, 1 / 3),
            "the scores differ and one is hidden: the weights are neither equal nor all above 0.",
        ),
        Misconception(
            (0, 0, 1), "softmax is no argmax: the first key is visible, and keeps its share."
        ),
        Misconception(
            (1 / 8, 0, 7 / 8),
            "the hidden weight went to the last key alone: it goes in proportion, 1 : 4.",
        ),
        Misconception(
            (0, 0, np.log(4)), "these are the scores: exponentiate, and divide by the sum."
        ),
        Misconception((1 / 8, 3 / 8, 4 / 8), "every key is visible: the middle one must get 0."),
        Misconception(
            (1 / 8, 0, 4 / 8),
            "these sum to 5/8: the hidden key is still in the denominator. Divide by 1 + 4.",
        ),
        Misconception(
            (1 / 6, 1 / 6, 4 / 6),
            "a score of 0 hides nothing: exp(0) = 1 takes part. Only -inf is absent.",
        ),
        Misconception(
            (5 / 16, 0, 11 / 16),
            "the hidden weight went to the others in equal parts; it goes in proportion, 1 : 4.",
        ),
        Misconception((0, 1, 0), "you show the middle key and hide the others: True = may look."),
        Misconception((1 / 4, 3 / 4, 0), "here the last key is hidden, not the middle one."),
        Misconception((1, 0, 4), "these are the visible exponentials: divide them by their sum."),
        Misconception(
            (1 / 2, 0, 1 / 2), "the visible scores, 0 and ln 4, differ: so do their weights."
        ),
    ),
    notice="The visible weights keep their ratio, 1 : 4: a mask removes keys and reorders nothing.",
)
