"""What to predict of gradients: one row by hand, and the step of a difference in float32."""

from attnbook.exercises.additive.parts import mistakes_in_parts
from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.predict import Predict
from attnbook.exercises.solutions import gradients as solutions

GRAD_V, GRAD_S = [2, 1, 1], [6, -5, -1]
_FORGOTTEN = "G_O = 4 is a factor of every gradient, and is left out."
_OF_THE_CHAPTER = "that is as with the chapter's G_O = 8: here it is 4."
_UNROUNDED = "these are the exponents themselves: round to whole ones."
_ROWS = "the rows are in the wrong order: G_V comes first."

another_row = Predict(
    name="gradients.another_row",
    title="Another row",
    level="easy",
    minutes=5,
    solution_of=solutions.another_row,
    atol=0.01,
    hints=(
        "A value counts by its weight: G_V is 4 times the weights.",
        "G_A is 4 times the values: 32, 0, 16. What is its average under the weights?",
        "G_S is each weight times how far its G_A lies above that average.",
    ),
    explanation=(
        "$G_V$ is the weights times 4. $G_A$ is the values times 4: 32, 0, 16, and its average "
        "under the weights is 20, four times the output 5. So $G_S$ is ½ · 12, ¼ · (−20) and "
        "¼ · (−4). Its sum is 0, as the sum of each row of $G_S$ is."
    ),
    misconceptions=(
        Misconception([GRAD_S, GRAD_V], _ROWS),
        *mistakes_in_parts(
            [GRAD_V, GRAD_S],
            (
                (0, [32, 0, 16], "that is G_A, 4 times the values: G_V is 4 times the weights."),
                (0, [8, 0, 4], "these are the values: G_V is 4 times the weights."),
                (0, [0.5, 0.25, 0.25], "these are the weights: " + _FORGOTTEN),
                (0, [4, 4, 4], "a value counts by its weight: 4 times the weight of each."),
                (
                    0,
                    [4, 0, 1],
                    "that is weight times value; a value counts by its weight times G_O.",
                ),
                (0, [16, 0, 4], "that is weight times G_A: the gradient of a value is A G_O."),
                (0, [4, 2, 2], _OF_THE_CHAPTER),
                (1, [12, -10, -2], _OF_THE_CHAPTER),
                (
                    1,
                    [-4, -20, -16],
                    "the average is subtracted from A ∘ G_A; subtract it from G_A, then take "
                    "times A.",
                ),
                (1, [20, 20, 20], "that is the average r of G_A; a score gets A ∘ (G_A - r)."),
                (1, [1.5, -1.25, -0.25], "in the second row " + _FORGOTTEN),
                (
                    1,
                    [16, 0, 4],
                    "that is A ∘ G_A: the average of G_A under the weights is not subtracted.",
                ),
                (
                    1,
                    [8, 0, 3],
                    "A (1 - A) is the diagonal of J alone: the other weights move as well.",
                ),
                (
                    1,
                    [8, -4, 0],
                    "the plain mean 16 is subtracted: the average under the weights is 20.",
                ),
                (1, [24, -20, -4], "G_O is a factor twice: G_A has it already."),
                (1, [12, -20, -4], "the factor A is missing: a score moves its own weight so far."),
                (1, [32, 0, 16], "that is G_A: go on through the softmax."),
                (1, [-6, 5, 1], "the sign is turned: raising a score pulls towards its value."),
                (
                    1,
                    [13.5, -1.25, 2.75],
                    "the output 5 is subtracted from G_A; its average is 4 · 5 = 20.",
                ),
            ),
        ),
    ),
    notice="Each row of G_S sums to 0: to raise all scores alike changes nothing.",
)

_RATIO = "On a logarithmic axis ratios are distances, and another power is nearer."

steps_in_float32 = Predict(
    name="gradients.steps_in_float32",
    title="Differences in float32",
    level="medium",
    minutes=5,
    solution_of=solutions.steps_in_float32,
    atol=0.01,
    hints=(
        "Truncation and rounding meet where h² = ε/h, or h = ε/h for the one-sided difference.",
        "So the steps are the cube root and the square root of ε = 1.2e-7.",
        "0.0049 and 0.00035. Which powers of ten lie nearest on a logarithmic axis?",
    ),
    explanation=(
        "The steps are $\\varepsilon^{1/3} = 0.0049$ and $\\varepsilon^{1/2} = 0.00035$. The "
        "central difference is then right to about $\\varepsilon^{2/3}$, five digits, and the "
        "one-sided one to about $\\varepsilon^{1/2}$, three or four: with a step of 1e-5, the "
        "best in float64, float32 leaves two."
    ),
    misconceptions=(
        Misconception([-5, -8], "these are the steps of float64: float32 has ε = 1.2e-7."),
        Misconception([-3, -2], "they are exchanged: the central difference bears larger steps."),
        Misconception([2, 3], "the steps are small: the exponents are negative."),
        *(
            Misconception(
                logs, "these are natural logarithms: of a power of ten the exponent is log10."
            )
            for logs in ([-5.312, -7.968], [-5.3, -8], [-5.3, -7.97])
        ),
        Misconception([0.01, 0.001], "these are the steps: of 0.01 the exponent is -2."),
        Misconception([0.0049, 0.00035], "these are the steps: of 0.01 the exponent is -2."),
        Misconception([-7, -7], "that is ε itself: with such a step nothing is left but rounding."),
        Misconception(
            [-5, -5], "that is the step of the chapter, for float64: float32 needs larger ones."
        ),
        Misconception(
            [-2, -2], "one-sided, h meets ε/h at the square root of ε, not at the cube root."
        ),
        *mistakes_in_parts(
            [-2, -3],
            (
                *((0, log, _UNROUNDED) for log in (-2.31, -2.3)),
                *((1, log, _UNROUNDED) for log in (-3.46, -3.5)),
                (0, -3, f"10⁻³ is near the central difference's step. {_RATIO}"),
                (0, -5, "ε^(2/3) is the error at the bottom; the step is ε^(1/3)."),
                (0, -1, "the central difference's step is far below 10⁻¹."),
                (1, -4, f"10⁻⁴ is near the one-sided step. {_RATIO}"),
                (1, -7, "one-sided, the step is √ε; ε itself leaves nothing but rounding."),
            ),
        ),
    ),
    notice="Gradient checks are run in float64 for this reason, whatever a model is trained in.",
)
