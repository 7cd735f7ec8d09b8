"""What flows back from log-sum-exp."""

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.predict import Predict
from attnbook.exercises.solutions import twins as solutions

lse_gradient = Predict(
    name="twins.lse_gradient",
    title="The gradient of log-sum-exp",
    level="medium",
    minutes=5,
    solution_of=solutions.lse_gradient,
    atol=0.001,
    explanation=(
        "The derivative of $\\ln \\sum_l e^{s_l}$ with respect to $s_j$ is "
        "$e^{s_j} / \\sum_l e^{s_l} = A_j$: the gradient of log-sum-exp is softmax. Each row has "
        "its own sum, so its gradient is its own weights: 1/8, 3/8, 4/8, and with the last key "
        "hidden 1/4, 3/4, 0."
    ),
    hints=(
        "Differentiate ln(e^a + e^b + e^c) with respect to a. Which familiar quotient appears?",
        "Adding the two results does not mix the rows: each score appears in one of them.",
        "In the second row the last score appears nowhere: its gradient is 0.",
    ),
    misconceptions=(
        Misconception(
            [[1 / 3, 1 / 3, 1 / 3], [1 / 2, 1 / 2, 0]],
            "the scores differ, and so do the weights: only equal ones share evenly.",
        ),
        Misconception(
            [[1 / 8, 3 / 8, 4 / 8], [1 / 4, 3 / 4, 4 / 8]],
            "the hidden key appears in no sum: its gradient is 0.",
        ),
        Misconception(
            [[0, 1.0986, 1.3863], [0, 1.0986, 0]],
            "these are the scores: the gradient is their softmax.",
        ),
        Misconception(
            [[1 / 8, 3 / 8, 4 / 8], [1 / 8, 3 / 8, 4 / 8]],
            "the second row has no last key: its other weights grow to 1/4 and 3/4.",
        ),
        Misconception(
            [[1 / 8, 3 / 8, 4 / 8], [1 / 8, 3 / 8, 0]],
            "the hidden key has left the sum as well: divide by 1 + 3 in the second row.",
        ),
        Misconception(
            [[1 / 4, 3 / 4, 0], [1 / 8, 3 / 8, 4 / 8]],
            "the rows are in the wrong order: the first query sees all three keys.",
        ),
        *(
            Misconception(
                halves,
                "these are the weights over 2: sum() adds the two results, and a mean would divide "
                "by their number.",
            )
            for halves in (
                [[1 / 16, 3 / 16, 4 / 16], [1 / 8, 3 / 8, 0]],
                [[1 / 16, 3 / 16, 4 / 16], [1 / 16, 3 / 16, 0]],
            )
        ),
        Misconception(
            [[1, 3, 4], [1, 3, 0]],
            "these are the exponentials: the logarithm divides them by their sum.",
        ),
        Misconception(
            [[1 / 8, 1 / 8, 1 / 8], [1 / 4, 1 / 4, 0]],
            "that is the derivative of the logarithm alone: the inner derivative, e^s_j, is due.",
        ),
        Misconception(
            [[1, 1, 1], [1, 1, 0]],
            "that is the gradient of a plain sum: log-sum-exp divides one unit among the scores.",
        ),
        Misconception(
            [[1 / 12, 3 / 12, 4 / 12], [1 / 12, 3 / 12, 0]],
            "the rows do not share a sum: each result has its own logarithm.",
        ),
        Misconception(
            [[0, 0, 0], [0, 0, 0]],
            "zeros are the gradient of the sum of the weights, which is always 1; this is the sum "
            "of two logarithms.",
        ),
    ),
    notice="The gradient of log-sum-exp is softmax: SciPy's documentation defines softmax so.",
)

five_zeros = Predict(
    name="twins.five_zeros",
    title="Five zeros",
    level="medium",
    minutes=5,
    solution_of=solutions.five_zeros,
    explanation=(
        "Backward multiplies the slopes of the steps. In 1 the choice sends 0 to the logarithm, "
        "and 0 · ∞ is NaN; in 2 the logarithm sees 1, whose slope is finite. In 3 the factor 0 "
        "meets the root's slope ∞; in 4 that slope arrives alone, as ∞. In 5 the exponential has "
        "the slope 0, and 1/|x| an infinite one: NaN."
    ),
    hints=(
        "Write down the slope of each step at the number that it is given: log and √ at 0?",
        "What does where send back to what it did not choose? Not nothing: 0.",
        "0 · ∞ is NaN, and ∞ alone is not.",
    ),
    misconceptions=(
        Misconception(
            [True, False, True, True, True],
            "the slope of the root arrives alone in the fourth: ∞, which is not NaN.",
        ),
        Misconception(
            [False, False, True, False, True],
            "in the first the choice sends 0 back to the logarithm, whose slope at 0 is ∞.",
        ),
        Misconception(
            [True, True, True, False, True],
            "in the second the choice stands before the logarithm, which is given 1.",
        ),
        Misconception(
            [False, True, True, False, True],
            "before and after are swapped: a choice after the logarithm leaves its slope, ∞, in.",
        ),
        Misconception(
            [True, False, False, False, True],
            "a factor of 0 does not switch the third off: 0 times the slope of the root is NaN.",
        ),
        Misconception(
            [True, False, True, False, False],
            "in the fifth the exponential has the slope 0, but what it multiplies is infinite.",
        ),
        Misconception(
            [True, False, False, False, False],
            "not only choices do it: 0 · ∞ stands in the third and the fifth as well.",
        ),
        Misconception(
            [False, False, False, False, False],
            "all five numbers are 0, and three of their gradients are NaN.",
        ),
        Misconception(
            [False, False, False, True, False],
            "the fourth is ∞, which is not NaN; 0 · ∞ is, in three of the others.",
        ),
        Misconception(
            [False, True, False, True, False],
            "here True stands for what is not NaN: it should stand for NaN.",
        ),
    ),
    notice="A finite result says nothing about its gradient.",
)
