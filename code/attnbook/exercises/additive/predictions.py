"""What to predict of the additive score: weights without a tanh, costs, the sharpest weight."""

import numpy as np

from attnbook.exercises.additive.parts import mistakes_in_parts
from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.predict import Predict
from attnbook.exercises.solutions import additive as solutions

EIGHTHS = [1 / 8, 3 / 8, 4 / 8]
SQUARED = [1 / 26, 9 / 26, 16 / 26]
_SHARPENS = "a large query does not sharpen a sum: it adds the same number to every score."
_TURNS = "a query with another sign does not turn the order round: it is added, not multiplied."
_SQUARES = "doubling a score squares its exponential: 3 becomes 9, not 6."

without_tanh = Predict(
    name="additive.without_tanh",
    title="The tanh is lost",
    level="easy",
    minutes=5,
    solution_of=solutions.without_tanh,
    atol=0.006,
    hints=(
        "Without its tanh the score is (a number of the query) + (a number of the key). Which of "
        "the two does the softmax ignore?",
        "So the first answer needs no computation. For the second: what happens to a key's number "
        "when the key is doubled?",
        "The differences of the keys' numbers are ln 3 and ln 4; doubled they are ln 9 and ln 16.",
    ),
    explanation=(
        "The query adds one number to its whole row, and softmax ignores that: 1/8, 3/8, 4/8 for "
        "every query. The keys' numbers double with the keys, so the exponentials are squared: "
        "1, 9 and 16, out of 26."
    ),
    misconceptions=(
        Misconception(
            [SQUARED, SQUARED],
            "the query is not doubled in the first case, and softmax ignores what it adds.",
        ),
        Misconception(
            [SQUARED, EIGHTHS], "the rows are in the wrong order: the other query comes first."
        ),
        Misconception(
            [[12.5, 37.5, 50.0], [100 / 26, 900 / 26, 1600 / 26]],
            "these are percentages: the weights of a row sum to 1.",
        ),
        Misconception(
            [[1, 3, 4], [1, 9, 16]],
            "these are the exponentials: divided by their sum, 8 or 26, they are weights.",
        ),
        *mistakes_in_parts(
            [EIGHTHS, SQUARED],
            (
                (
                    0,
                    [1 / 3, 1 / 3, 1 / 3],
                    "a large query saturates a tanh, but there is none: it adds one number to its "
                    "row.",
                ),
                (0, [0, 0, 1], _SHARPENS),
                (0, [1, 0, 0], _SHARPENS),
                (0, [12 / 19, 4 / 19, 3 / 19], _TURNS),
                (0, EIGHTHS[::-1], _TURNS),
                (
                    1,
                    EIGHTHS,
                    "the query cancels, the keys do not: doubled keys double the differences of "
                    "the scores.",
                ),
                (
                    1,
                    [0, 0, 1],
                    "doubled keys double the scores' differences; that squares the ratios, no "
                    "more.",
                ),
                (1, [1 / 15, 6 / 15, 8 / 15], _SQUARES),
                (1, [2 / 11, 4 / 11, 5 / 11], _SQUARES),
                (1, [1 / 92, 27 / 92, 64 / 92], _SQUARES),
                (1, [1 / 3, 1 / 3, 1 / 3], "no tanh saturates: doubled keys differ twice as much."),
            ),
        ),
    ),
    notice=(
        "Such a layer trains, and its weights favour some keys. Only two queries side by side "
        "show that it does not listen."
    ),
)
_NO_CONSTANT = "this score has no constants beside its matrices: two of them, and w_v."
_EACH_ONCE = (
    "this projects every pair; each query and each key is projected once, before they meet."
)

counts = Predict(
    name="additive.counts",
    title="The sizes of the first paper",
    level="easy",
    minutes=6,
    solution_of=solutions.counts,
    hints=(
        "There are three arrays of parameters: (1000, 1000), (2000, 1000) and (1000,).",
        "The hidden layer has one row of 1000 numbers for each pair of a query and a key.",
        "Multiplications: 30 · 1000 · 1000 for the queries, 40 · 2000 · 1000 for the keys, and "
        "one for each number of the hidden layer.",
    ),
    explanation=(
        "Parameters: 1000 · 1000 + 2000 · 1000 + 1000. Hidden layer: 30 · 40 · 1000. "
        "Multiplications: 30 million for the queries, 80 million for the keys, 1.2 million for "
        "the products with w_v."
    ),
    misconceptions=(
        Misconception(
            [1_200_000, 3_001_000, 111_200_000],
            "the first two are exchanged: parameters first, then the hidden layer.",
        ),
        Misconception(
            [3_001_000, 111_200_000, 1_200_000],
            "the last two are exchanged: the hidden layer first, then the multiplications.",
        ),
        *mistakes_in_parts(
            [3_001_000, 1_200_000, 111_200_000],
            (
                (0, 3_000_000, "w_v is learned as well: 1000 parameters more."),
                (0, 3_002_000, _NO_CONSTANT),
                (0, 3_002_001, _NO_CONSTANT),
                (0, 3_003_001, _NO_CONSTANT),
                (0, 2_000_000, "queries and keys have a matrix each, and w_v is learned as well."),
                (
                    2,
                    101_200_000,
                    "the widths are exchanged: queries have 1000 numbers, keys 2000.",
                ),
                (0, 2_001_000, "w_k has 2000 rows, as many as a key has numbers: 2 million."),
                (
                    1,
                    70_000,
                    "the hidden layer has a row for each pair, 30 · 40 of them, not 30 + 40.",
                ),
                (
                    1,
                    3_600_000,
                    "d_q + d_k numbers for each pair is the concatenation; the hidden layer has "
                    "d_hidden.",
                ),
                (
                    1,
                    1_200,
                    "30 · 40 is the number of scores; the hidden layer has 1000 numbers for each.",
                ),
                (1, 1_000, "1000 is the number of units for one pair; there are 30 · 40 pairs."),
                (1, 9_600_000, "the question asks for numbers, not for bytes."),
                (
                    2,
                    110_000_000,
                    "the product with w_v is missing: one multiplication for each hidden number.",
                ),
                (2, 110_001_200, "w_v multiplies each hidden number: 1.2 million, not 1200."),
                (2, 3_601_200_000, _EACH_ONCE),
                (2, 3_600_000_000, _EACH_ONCE),
                (
                    2,
                    3_001_000,
                    "each parameter is used more than once: for every query, every key or every "
                    "pair.",
                ),
                (2, 31_200_000, "the projections of the keys are missing: 80 million."),
                (2, 81_200_000, "the projections of the queries are missing: 30 million."),
                (2, 1_200_000, "the projections are missing: 30 million and 80 million."),
                (2, 222_400_000, "multiplications only are counted, not the additions."),
                (2, 112_400_000, "the tanh is no multiplication; w_v takes 1.2 million, once."),
            ),
        ),
    ),
    notice=(
        "Nearly all of the work is in the projections, which the paper does once for each "
        "sentence. The hidden layer is where the memory goes."
    ),
)

sharpest = Predict(
    name="additive.sharpest",
    title="As sharp as it gets",
    level="hard",
    minutes=10,
    solution_of=solutions.sharpest,
    atol=0.0006,
    hints=(
        "A hidden unit lies between -1 and 1. What is the largest score that w_v allows, and the "
        "smallest?",
        "The largest weight belongs to a key with the largest score while the other seven have "
        "the smallest.",
        "Its weight is exp(c) / (exp(c) + 7 exp(-c)) with c = |1| + |-1| + |0.5|.",
    ),
    explanation=(
        "No score is above c = 2.5 or below −2.5. One key at the top and seven at the bottom "
        "give exp(c) / (exp(c) + 7 exp(−c)) = 1 / (1 + 7 exp(−5)) = 0.955. Only infinite "
        "inputs reach it."
    ),
    misconceptions=(
        Misconception(
            0.5,
            "0.5 is the sum of w_v with its signs, or an even share of two: neither is the limit.",
        ),
        Misconception(
            1 / (1 + np.exp(-5.0) / 7),
            "the other seven add up: their exponential counts 7 times, not 1/7.",
        ),
        Misconception(7 / 8, "7/8 is what the other seven share where all are equal."),
        Misconception(
            1 / (1 + 7 * np.exp(-6.0)),
            "this takes 3 for the largest score; the third unit counts half: 2.5.",
        ),
        Misconception(
            np.exp(2.5),
            "this is the exponential of the largest score; divide by the sum of all eight.",
        ),
        Misconception(
            1.0, "the scores are bounded, so their softmax cannot come as near to 1 as you like."
        ),
        Misconception(
            1 / (1 + 7 * np.exp(-1.0)),
            "this adds up w_v with its signs; a unit may be -1 where w_v is negative, so the "
            "sizes add up.",
        ),
        Misconception(
            1 / (1 + 7 * np.exp(-2.5)),
            "this leaves the other scores at 0; they can sink as far as the first can rise.",
        ),
        Misconception(
            1 / (1 + 7 * np.exp(-2.0)),
            "one unit alone gives this; all three can point the same way.",
        ),
        Misconception(1 / (1 + 8 * np.exp(-5.0)), "there are 8 keys in all, so 7 others, not 8."),
        Misconception(
            1 / (1 + np.exp(-5.0)), "this is for two keys; 7 others share in the sum, not one."
        ),
        Misconception(
            1 / (1 + 7 * np.exp(-3.0)),
            "this takes 1.5 for the largest score; all units can add up, to 1 + 1 + 1/2.",
        ),
        Misconception(
            1 / (1 + 7 * np.exp(-4.0)), "this leaves out the unit with 1/2: it counts as well."
        ),
        Misconception(
            1 / (1 + 7 * np.exp(-0.5)),
            "w_v is added up with its signs, and the other scores stay at 0: neither is the limit.",
        ),
        *(
            Misconception(ratio, "this is the largest ratio of two weights; give the weight.")
            for ratio in (np.exp(5.0), 148.0, 148.4, 148.41)
        ),
        Misconception(2.5, "this is the largest score; its weight is asked for."),
        *(
            Misconception(bent, "this bends the largest score alone; a weight needs all eight.")
            for bent in (np.tanh(2.5), 1 / (1 + np.exp(-2.5)))
        ),
        Misconception(5.0, "this is the largest step between two scores; give the weight."),
        Misconception(
            7 / (7 + np.exp(5.0)), "this is what the other seven get; the largest gets the rest."
        ),
        Misconception(
            1 / 8, "this is the weight of each where all scores are equal: the smallest."
        ),
        *(
            Misconception(percentage, "this is a percentage: a weight lies between 0 and 1.")
            for percentage in (95.5, 95.496)
        ),
        *(Misconception(short, "this is near; give three decimals.") for short in (0.95, 0.96)),
    ),
    notice=(
        "More keys make it worse: with 1000 of them the best weight is 0.13. A dot product has "
        "no such ceiling."
    ),
)
