"""What to predict of the dot product: weights and shapes."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.predict import Predict
from attnbook.exercises.solutions import dot_product as solutions
from attnbook.reference import softmax

toy_keys = Predict(
    name="dot_product.toy_keys",
    title="One key of the toy example changes",
    level="easy",
    minutes=5,
    solution_of=solutions.toy_keys,
    atol=0.01,
    hints=(
        "The valid length is 2: only two keys take part, (1, 1) and (2, 2).",
        "With two keys, the weight of the second is 1 / (1 + exp(s_0 - s_1)).",
        "Dot product: the scores are 2/√2 and 4/√2. Gaussian kernel: half the squared distances "
        "are 0 and 1, and a score is minus that.",
    ),
    explanation=(
        "The scaled dot products are √2 and 2√2, so the changed key's weight is "
        "1 / (1 + exp(−√2)) = 0.8044. The Gaussian scores are 0 and −1, so its weight there is "
        "1 / (1 + exp(1)) = 0.2689."
    ),
    misconceptions=(
        Misconception(
            [0.8044, 0.5],
            "the Gaussian scores differ: (1, 1) lies at the query, and (2, 2) does not.",
        ),
        Misconception([0.5, 0.2689], "the dot products differ: the longer key has the larger one."),
        Misconception(
            [0.8044, 0.3775],
            "a Gaussian score takes half the squared distance, 1, not a quarter of it.",
        ),
        Misconception(
            [0.6667, 0.2689],
            "these are shares of the scores, 4 of 6: the softmax exponentiates first.",
        ),
        Misconception(
            [0.1956, 0.2689], "the first is the weight of the key that stays; give that of (2, 2)."
        ),
        Misconception(
            [0.9442, 0.2689], "the dot products are multiplied by √2; the scale divides by it."
        ),
        Misconception(
            [0.8808, 0.2689], "the dot products are not divided by √d_k: 4 - 2 becomes 2 / √2."
        ),
        Misconception(
            [0.7311, 0.2689], "the dot products are divided by d_k = 2; the scale is 1/√d_k = 1/√2."
        ),
        Misconception(
            [0.8044, 0.1192],
            "a Gaussian score is minus half the squared distance; the half is lost.",
        ),
        Misconception(
            [0.8044, 0.3302],
            "a Gaussian score takes half the squared distance, not half the distance.",
        ),
        Misconception(
            [0.8044, 0.7311],
            "the Gaussian kernel prefers the nearer key, and (1, 1) lies at the query itself.",
        ),
        Misconception(
            [0.2689, 0.8044], "the two numbers are in the wrong order: the dot product comes first."
        ),
        Misconception(
            [0.1956, 0.7311], "these are the weights of the key that stays; give those of (2, 2)."
        ),
        Misconception(
            [0.5, 0.5], "the keys are no longer equal, so the weights are not: only equal keys tie."
        ),
        Misconception(
            [0.3136, 0.0393], "all ten keys take part here; the valid length of this example is 2."
        ),
    ),
    notice=(
        "The two scorers now disagree about which key is the better one: the dot product takes "
        "the longer key, the Gaussian kernel the nearer one."
    ),
)

shapes = Predict(
    name="dot_product.shapes",
    title="Shapes of batched products",
    level="easy",
    minutes=3,
    solution_of=solutions.shapes,
    hints=(
        "`@` multiplies the matrices in the last two axes; the axes before those stay as they are.",
        "`.T` reverses the order of all axes, not only of the last two.",
        "A score belongs to a query and a key; an output belongs to a query and is as wide as "
        "a value.",
    ),
    explanation=(
        "`k.T` reverses all four axes. The scores keep the batch axes (2, 3) and pair 5 "
        "queries with 7 keys. The output has one row for each query, as wide as a value."
    ),
    misconceptions=(
        Misconception(
            [(2, 3, 4, 7), (2, 3, 5, 7), (2, 3, 5, 6)],
            "that is np.swapaxes(k, -1, -2); k.T reverses all four axes.",
        ),
        Misconception(
            [(2, 3, 7, 4), (2, 3, 5, 7), (2, 3, 5, 6)],
            "that is the shape of k itself; k.T reverses all four axes.",
        ),
        Misconception(
            [(4, 7, 3, 2), (2, 3, 7, 5), (2, 3, 5, 6)],
            "the scores are transposed: rows are queries, columns are keys.",
        ),
        Misconception(
            [(2, 3, 4, 7), (2, 3, 7, 5), (2, 3, 5, 6)],
            "k.T reverses all four axes, and rows of the scores are queries.",
        ),
        Misconception(
            [(4, 7, 3, 2), (2, 3, 5, 7), (2, 3, 5, 4)],
            "the output mixes values: it is as wide as a value, not as a key.",
        ),
        Misconception(
            [(4, 7, 3, 2), (2, 3, 5, 7), (2, 3, 7, 6)],
            "the output has one row for each query, not for each key.",
        ),
        Misconception(
            [(4, 7, 3, 2), (2, 3, 5, 4), (2, 3, 5, 6)],
            "a score sums over the features: its last axis counts keys.",
        ),
    ),
    notice="The width of a key, 4, stands in neither result: the first product sums over it.",
)


vector_sum = Predict(
    name="dot_product.vector_sum",
    title="Is the vector sum a better score?",
    level="medium",
    minutes=6,
    solution_of=solutions.vector_sum,
    atol=0.006,
    hints=(
        "Split the sum: the score is (sum of the query's entries) + (sum of the key's entries).",
        "In one row, the query's part is the same number for every key. What does the softmax "
        "do with a number that is added to a whole row?",
        "The sums of the keys are 0, ln 3 and ln 4.",
    ),
    explanation=(
        "The score is one number of the query plus one number of the key. Softmax ignores what "
        "is added to a whole row, so both rows are softmax(0, ln 3, ln 4)."
    ),
    misconceptions=(
        Misconception(
            [[1 / 3, 1 / 3, 1 / 3], [1 / 8, 3 / 8, 4 / 8]],
            "both queries cancel alike: the keys differ in both rows.",
        ),
        Misconception(
            [[1 / 8, 3 / 8, 4 / 8], [1 / 3, 1 / 3, 1 / 3]],
            "both queries cancel alike: the keys differ in both rows.",
        ),
        Misconception(
            [[1, 3, 4], [1, 3, 4]], "these are the exponentials: divide them by their sum, 8."
        ),
        Misconception(
            [[1 / 8, 3 / 8, 4 / 8], [12 / 19, 4 / 19, 3 / 19]],
            "these are the weights of the dot product; here query and key are added, not "
            "multiplied.",
        ),
        Misconception(
            [[0.125, 0.375, 0.5], [0.5, 0.375, 0.125]],
            "the opposite query does not turn the order round: it adds -1 to every score of "
            "its row.",
        ),
        Misconception(
            softmax(np.log([[1.0, 3.0, 4.0]]) / 2).repeat(2, axis=0),
            "no scale is asked for: the score is the plain sum.",
        ),
        Misconception(
            np.full((2, 3), 1 / 3),
            "the query has no say, but the keys' sums differ: 0, ln 3, ln 4.",
        ),
        Misconception(
            [[1.0, 1 + np.log(3), 1 + np.log(4)], [-1.0, np.log(3) - 1, np.log(4) - 1]],
            "these are the scores; the weights are their softmax.",
        ),
        Misconception(
            [[1 / 26, 9 / 26, 16 / 26]] * 2,
            "the keys are (s_j, 0, 0, 0) here, not (2 s_j, 0, 0, 0).",
        ),
    ),
    notice=(
        "The query has cancelled: whatever it asks, the answer is the same. A vector sum is no "
        "score at all, unless something that is not linear stands between the sum and the "
        "score."
    ),
)
