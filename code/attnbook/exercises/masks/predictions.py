"""Which weights and which pairs a mask leaves."""

import numpy as np

from attnbook.exercises.exercise import Misconception
from attnbook.exercises.predict import Predict
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
        "are 1/5, 0 and 4/5. The ratio of the two visible weights stays 1 : 4."
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

window_pairs = Predict(
    name="masks.window_pairs",
    title="Count the visible pairs",
    level="medium",
    minutes=5,
    solution_of=solutions.window_pairs,
    explanation=(
        "Query i sees the keys i - 2, i - 1 and i, as far as they exist and lie below 4. The six "
        "rows have 1, 2, 3, 3, 2 and 1 visible keys, 12 together. The last two queries stand on "
        "padding themselves; their rows are computed all the same."
    ),
    hints=(
        "Draw six rows and six columns. Mark in each row the own key and the two before it.",
        "Then strike out the last two columns, whatever the row.",
    ),
    misconceptions=(
        Misconception(6, "6 is one key per query: the window has its own and two before it."),
        Misconception(
            0, "padding hides columns 4 and 5, and the window keeps three others in a row."
        ),
        Misconception(21, "21 is a whole causal triangle: the window and the padding hide more."),
        Misconception(15, "15 is the window alone: the padding hides columns 4 and 5 as well."),
        Misconception(
            8, "that counts two keys per query: left = 2 means two before its own, so three."
        ),
        Misconception(9, "you struck out the padded rows too: padding hides keys, not queries."),
        Misconception(
            18,
            "18 is causal with padding: the window also hides what is 3 or more back.",
        ),
        Misconception(17, "the window reaches two keys ahead as well here, but right is 0."),
        Misconception(24, "24 is the padding alone: six queries times four keys."),
        Misconception(36, "36 are all pairs: here & keeps a pair only where both masks are True."),
    ),
    notice="A window of fixed width has about n · width visible pairs, where a full mask has n².",
)
