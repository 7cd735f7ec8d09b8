"""A wrong gradient that a test lets pass, and a right one that it rejects."""

import numpy as np

from attnbook.exercises.engine.break_it import Break, Miss
from attnbook.exercises.solutions import gradients as solutions
from attnbook.gradients import softmax_backward
from attnbook.operation import describe

SLOPE = 10 * np.log(4) - 4.5 * np.log(3)  # of the chapter's loss, by the first entry of its query


def test_passes(grad_weights, weights):
    """Whether a test on this row lets a wrong backward pass of softmax through."""
    forgotten = weights * grad_weights  # the average is not subtracted
    return np.allclose(forgotten, softmax_backward(grad_weights[None], weights[None])[0])


def test_should_pass(grad_weights, weights):
    """It should not: something is forgotten."""
    return False


def _row(name, x):
    if not isinstance(x, np.ndarray) or x.ndim != 1 or x.dtype.kind not in "if":
        return f"{name} is {describe(x)}; the check wants a list of numbers, [1, 2]."
    if not 1 <= x.size <= 8 or not np.isfinite(x).all():
        return f"{name} should be 1 to 8 finite numbers."
    return None


def _row_and_weights(grad_weights, weights):
    if refusal := _row("grad_weights", grad_weights) or _row("weights", weights):
        return refusal
    if grad_weights.size != weights.size:
        return f"{grad_weights.size} gradients meet {weights.size} weights; each key has both."
    if np.any(weights < 0.01) or not np.isclose(weights.sum(), 1, rtol=0, atol=1e-9):
        return "every weight should be 0.01 or more, and their sum 1."
    if not 0.1 <= np.abs(grad_weights).max() <= 1000:
        return "the largest gradient should lie between 0.1 and 1000 in size: 0 proves nothing."
    return None


def _average(grad_weights, weights):
    return np.sum(grad_weights * weights)


def _one_sign(grad_weights, weights):
    return np.all(grad_weights >= 0) or np.all(grad_weights <= 0)


unseen = Break(
    name="gradients.unseen",
    title="A mistake that a test cannot see",
    level="medium",
    minutes=6,
    wrong=test_passes,
    right=test_should_pass,
    allowed=_row_and_weights,
    solution_of=solutions.unseen,
    hints=(
        "Right is A ∘ (G_A - r), wrong is A ∘ G_A. When are they equal?",
        "r is the average of G_A under the weights. When is it 0, though G_A is not?",
        "Two keys of equal weight: which two gradients have the average 0?",
    ),
    explanation=(
        "Both agree where the average r is 0. The weights ½, ½ and the gradients 1, −1 have it, "
        "and so has every row whose output is at right angles to the gradient of the loss, "
        "because r is $g \\cdot \\text{out}$. A random row has it almost never: test with "
        "random gradients, not with those that are easy to write down."
    ),
    misconceptions=(
        Miss(
            ([1.0], [1.0]),
            lambda grad_weights, weights: grad_weights.size == 1,
            "a single key has the weight 1 and r = G_A, so that the right gradient is 0 and the "
            "wrong one is not.",
        ),
        Miss(
            ([1.0, 1.0], [0.5, 0.5]),
            lambda grad_weights, weights: np.ptp(grad_weights) == 0,
            "equal gradients have their own value as average: the right gradient is 0, and the "
            "wrong one is not.",
        ),
        Miss(
            ([0.0, 1.0], [0.5, 0.5]),
            _one_sign,
            "gradients of one sign have an average of that sign, which is forgotten: take two "
            "signs.",
        ),
        Miss(
            ([1.0, -1.0], [0.25, 0.75]),
            lambda grad_weights, weights: abs(np.mean(grad_weights)) < 1e-6,
            "the plain mean is 0 here, and the average under the weights is not.",
        ),
        Miss(
            ([2.0, -1.0], [0.5, 0.5]),
            lambda grad_weights, weights: abs(_average(grad_weights, weights)) > 0,
            "the average of the gradients under the weights is not 0, so the test sees that it is "
            "forgotten.",
        ),
    ),
    notice="An input with a zero in the right place hides what stands beside that zero.",
)


def some_step_agrees(small, large):
    """Whether the right gradient, 8.919, passes with one of the two steps at least."""

    def loss(first):
        exp = np.array([1.0, 3.0, 4.0]) ** first
        return 8 * (exp @ [0, 4, 8]) / exp.sum()

    found = [(loss(1 + h) - loss(1 - h)) / (2 * h) for h in (small, large)]
    return bool(np.any(np.abs(np.array(found) - SLOPE) < 1e-6))


def right_gradient_agrees(small, large):
    """It should pass with both: the gradient is right."""
    return True


def _steps(small, large):
    for name, h in {"small": small, "large": large}.items():
        if isinstance(h, bool) or not isinstance(h, (int, float)) or not 1e-16 <= h <= 100:
            return f"{name} should be one number from 1e-16 to 100."
    if not small < 1e-6 < 1e-4 < large:
        return "small should be below 1e-6, and large above 1e-4: the best step lies between."
    return None


def _agrees(h):
    return some_step_agrees(h, h)


rejected = Break(
    name="gradients.rejected",
    title="A right gradient, rejected",
    level="easy",
    minutes=4,
    wrong=some_step_agrees,
    right=right_gradient_agrees,
    allowed=_steps,
    solution_of=solutions.rejected,
    hints=(
        "Which of the two errors is large at a small step, and which at a large one?",
        "The error must exceed 1e-6. The rounding is about 4e-15 / h, the truncation about 0.4 h².",
        "Look at the figure with the two Vs: where is the error above 1e-7 of 8.9?",
    ),
    explanation=(
        "The loss is near 44, where floats lie 7e-15 apart: at h = 1e-14 the difference of two is "
        "off by some tenths. At h = 0.5 the truncation is about 0.1. A difference that disagrees "
        "may be the one that is wrong: try other steps before you doubt the gradient."
    ),
    misconceptions=(
        Miss(
            (1e-14, 1e-3),
            lambda small, large: not _agrees(small),
            "the small step is small enough, but with the large one the truncation is still below "
            "1e-6: take a larger one.",
        ),
        Miss(
            (1e-7, 0.5),
            lambda small, large: not _agrees(large),
            "the large step is large enough, but with the small one the rounding is still below "
            "1e-6: take a smaller one.",
        ),
        Miss(
            (1e-7, 2e-4),
            lambda small, large: True,
            "with both steps the difference is right to 1e-6: move them farther apart.",
        ),
    ),
    notice="A gradient check has a window of steps; outside of it, it tests the step.",
)
