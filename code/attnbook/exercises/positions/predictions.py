"""Weights of hands that turn by 60 degrees, and where a head looks after a change."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.predict import Predict
from attnbook.exercises.families.parts import mistakes_in_parts
from attnbook.exercises.solutions import positions as solutions
from attnbook.reference import softmax

BACK = np.array([3, 2, 1, 0])
COS = np.cos(np.pi / 3 * BACK)
WRONG_END = (
    "these are in reverse order: the last query stands at place 3, and the key of place 3 points "
    "where it does."
)
NOT_YET = "these are the {}: the weights are the exponentials over their sum."

sixty_degrees = Predict(
    name="positions.sixty_degrees",
    title="Hands that turn by 60 degrees",
    level="easy",
    minutes=5,
    atol=0.0051,
    solution_of=solutions.sixty_degrees,
    explanation=(
        "The keys stand 180, 120, 60 and 0 degrees behind the query, whose cosines are −1, −1/2, "
        "1/2 and 1. Times ln 4 these are the logarithms of 1/4, 1/2, 2 and 4, which sum to 27/4: "
        "the weights are 1/27, 2/27, 8/27 and 16/27."
    ),
    hints=(
        "Only the difference of two angles counts. How far behind the last query is each key?",
        "The cosines of 0, 60, 120 and 180 degrees are 1, 1/2, −1/2 and −1.",
        "exp(ln 4 · 1/2) is the root of 4.",
    ),
    misconceptions=(
        Misconception(softmax(np.log(4) * COS[::-1]), WRONG_END),
        Misconception(
            np.full(4, 0.25),
            "these weights know no places: keys at different angles have different scores.",
        ),
        Misconception(np.log(4) * COS, NOT_YET.format("scores")),
        Misconception(
            COS,
            "these are the cosines: times ln 4 they are scores, which softmax makes weights of.",
        ),
        Misconception(
            softmax(np.log(4) * np.array([-1, -(3**0.5) / 2, 3**0.5 / 2, 1])),
            "that is the sine of 60 degrees, 0.87: the cosine is 1/2.",
        ),
        Misconception(
            softmax(np.log(4) * np.cos(np.pi / 6 * BACK)),
            "these hands turn by 30 degrees: π/3 are 60.",
        ),
        Misconception(
            [0.03, 0.07, 0.29, 0.59], "these are cut off, not rounded: 1/27 is 0.037, so 0.04."
        ),
        Misconception(4**COS, NOT_YET.format("exponentials of the scores")),
        Misconception(
            softmax(COS), "the scores are too small: each is ln 4 times a cosine, without a scale."
        ),
        Misconception(
            softmax(np.log(4) * np.abs(COS)),
            "the cosines of 120 and 180 degrees are −1/2 and −1: those keys point away.",
        ),
        Misconception(
            softmax(np.log(4) * np.cos(np.pi / 2 * BACK)),
            "that is the quarter turn of the chapter; here a place turns by π/3, a sixth of a "
            "turn.",
        ),
        Misconception(
            softmax(-np.log(4) * BACK),
            "these fall by the same factor with each place, as ALiBi's do: a hand's score follows "
            "the cosine of its angle.",
        ),
        Misconception(
            softmax(np.log(4) * np.sin(np.pi / 3 * BACK)),
            "these are the weights of sines: the dot product of two hands is the cosine of the "
            "angle between them.",
        ),
        Misconception(
            softmax(np.log(4) * np.cos(60 * BACK)),
            "60 was taken for radians: π/3 radians are 60 degrees.",
        ),
    ),
    notice=(
        "At place 6 the hand would be back where it was at place 0, and the key there would share "
        "the first weight."
    ),
)

_SLOWER = "in the first case the hands turn half as fast: the same angle takes twice as many words."
_SAME = "in the second case both places rise by 50, and their difference is what it was."
_APART = (
    "in the third case each word is three places on: two words are six places, and the angle is "
    "the same."
)
_AHEAD = (
    "in the fourth case the angle between query and key has the other sign: six words ahead it is "
    "what six words back it was."
)

looks_back = Predict(
    name="positions.looks_back",
    title="Where does the head look?",
    level="medium",
    minutes=5,
    solution_of=solutions.looks_back,
    explanation=(
        "A score is a function of the angle between the two turns, here 6 θ. With θ/2 that takes "
        "12 words. Places raised together keep their differences. With three places per word it "
        "takes 2 words. With turns the other way the angle of 6 words back is found 6 words ahead."
    ),
    hints=(
        "Which angle, in multiples of θ, does the head like best?",
        "How many words does it take to make this angle, in each case?",
        "In the last case the angle is (i − j) θ where it was (j − i) θ.",
    ),
    misconceptions=(
        Misconception(
            [-12, -6, -2, 6],
            "all signs are turned: words back count as positive, words ahead as negative.",
        ),
        *mistakes_in_parts(
            [12, 6, 2, -6],
            (
                *((0, n, _SLOWER) for n in (3, 6, 8, 24)),
                *((1, n, _SAME) for n in (56, -44, 50, 300, 100, 106, 0)),
                *((2, n, _APART) for n in (18, 6, 3, 9)),
                *((3, n, _AHEAD) for n in (6, 0, 12)),
            ),
        ),
    ),
    notice="A head of this kind is what linear interpolation breaks, until it is trained again.",
)
