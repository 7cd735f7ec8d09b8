"""The backward pass of the soft cap, which bends each score on its own."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import gradients as solutions

_rng = np.random.default_rng(4)


def _slope(slope):
    """The gradient times a slope of one's own."""
    return lambda grad, scores, cap: grad * slope(np.tanh(scores / cap), scores, cap)


def _promoted(grad, scores, cap):
    return grad * (1 - np.tanh(scores / np.float64(cap)) ** 2)


def _in_place(grad, scores, cap):
    grad *= 1 - np.tanh(scores / cap) ** 2
    return grad


def _by_exp(grad, scores, cap):
    bent = (np.exp(2 * scores / cap) - 1) / (np.exp(2 * scores / cap) + 1)
    return grad * (1 - bent**2)


def _by_quotient(grad, scores, cap):
    up, down = np.exp(scores / cap), np.exp(-scores / cap)
    return grad * (1 - ((up - down) / (up + down)) ** 2)


def _drawn(*shape, cap=2.0, dtype=np.float64):
    grad, scores = (_rng.standard_normal(shape).astype(dtype) for _ in range(2))
    return {"grad_capped": grad, "scores": (3 * scores).astype(dtype), "cap": cap}


soft_cap_backward = Write(
    name="gradients.soft_cap_backward",
    title="Through a soft cap",
    level="easy",
    minutes=6,
    solution_of=solutions.soft_cap_backward,
    hints=(
        "Each score is bent on its own: the gradient is multiplied entry by entry.",
        "The slope of tanh x is 1 - tanh² x. By the chain rule, what do the factor cap in front "
        "and the division inside make of it together?",
        "cap · (1 / cap) is 1: what is left is 1 - np.tanh(scores / cap) ** 2.",
    ),
    explanation=(
        "By the chain rule the slope is cap · (1 − tanh²(S/cap)) · 1/cap, and the caps cancel. "
        "Near 0 the slope is 1, as without a cap; far beyond the cap it is 0, and the score no "
        "longer learns."
    ),
    misconceptions=(
        Misconception(
            _slope(lambda bent, scores, cap: cap * (1 - bent**2)),
            "the slopes are cap times too large: inside the tanh stands S / cap, whose slope is "
            "1 / cap.",
        ),
        Misconception(
            _slope(lambda bent, scores, cap: (1 - bent**2) / cap),
            "the slopes are too small by the factor cap: it also stands before the tanh.",
        ),
        Misconception(
            _slope(lambda bent, scores, cap: 1 - (cap * bent) ** 2),
            "the capped score is squared: divide it by the cap first, or square the tanh.",
        ),
        Misconception(
            _slope(lambda bent, scores, cap: 1 - bent), "the tanh is not squared: 1 - tanh²."
        ),
        Misconception(
            _slope(lambda bent, scores, cap: bent * (1 - bent)),
            "that is the slope of a sigmoid, from its own value; that of tanh is 1 - tanh².",
        ),
        Misconception(
            _slope(lambda bent, scores, cap: 1 - np.tanh(scores) ** 2),
            "the tanh is taken of S itself, not of S / cap.",
        ),
        Misconception(
            _slope(lambda bent, scores, cap: cap * bent),
            "that is the gradient times the capped score: its slope is asked for.",
        ),
        Misconception(
            _slope(lambda bent, scores, cap: bent), "that is the tanh: its slope is 1 - tanh²."
        ),
        Misconception(
            _slope(lambda bent, scores, cap: bent**2), "that is tanh²: the slope is 1 - tanh²."
        ),
        Misconception(
            _slope(lambda bent, scores, cap: bent**2 - 1),
            "the sign is turned: a higher score has a higher result.",
        ),
        *(
            Misconception(
                _slope(cut),
                "that is the slope of a hard cut at the cap: the soft one bends everywhere.",
            )
            for cut in (
                lambda bent, scores, cap: np.abs(scores) < cap,
                lambda bent, scores, cap: np.abs(scores) <= cap,
            )
        ),
        *(
            Misconception(version, "that is the forward pass: the slope of it is asked for.")
            for version in (
                lambda grad, scores, cap: cap * np.tanh(scores / cap),
                lambda grad, scores, cap: cap * np.tanh(grad / cap),
            )
        ),
        Misconception(
            _slope(lambda bent, scores, cap: (1 - bent**2) / cap**2),
            "cap divides twice: the 1 / cap from inside the tanh meets the cap in front of it.",
        ),
        Misconception(
            _slope(lambda bent, scores, cap: cap**2 - (cap * bent) ** 2),
            "the slopes are cap² times too large: the caps cancel, and 1 - tanh² is left.",
        ),
        Misconception(
            _slope(lambda bent, scores, cap: cap - bent**2),
            "cap stands in the place of 1: the slope is 1 - tanh², whatever the cap is.",
        ),
        Misconception(
            _slope(lambda bent, scores, cap: 1 - (bent / cap) ** 2),
            "the tanh is divided by the cap: the division stands inside it alone.",
        ),
        Misconception(
            _slope(lambda bent, scores, cap: (1 - bent**2) * scores),
            "the scores are a factor: of S / cap inside the tanh the chain rule takes 1 / cap.",
        ),
        Misconception(
            _slope(lambda bent, scores, cap: 1 / (1 + (scores / cap) ** 2)),
            "that is the slope of the arc tangent: that of tanh is 1 - tanh².",
        ),
        Misconception(
            _slope(lambda bent, scores, cap: 1 - np.tanh(bent) ** 2),
            "the tanh is taken twice: the slope is that at S / cap, not at its tanh.",
        ),
        Misconception(
            _slope(lambda bent, scores, cap: 1 - (scores / cap) ** 2),
            "there is no tanh: `scores` are those before the cap.",
        ),
        Misconception(
            _slope(lambda bent, scores, cap: 1 - np.tanh(scores * cap) ** 2),
            "the scores are multiplied by the cap inside the tanh; they are divided by it.",
        ),
        Misconception(
            _slope(lambda bent, scores, cap: 1 + bent**2),
            "a plus stands for the minus: the slope is 1 - tanh², never above 1.",
        ),
        Misconception(
            lambda grad, scores, cap: grad / np.cosh(scores / cap),
            "that is 1 / cosh x, the root of the slope: 1 - tanh² x is 1 / cosh² x.",
        ),
        Misconception(
            lambda grad, scores, cap: grad / (1 - np.tanh(scores / cap) ** 2),
            "the gradient is divided by the slope, which is the way forward; multiply it.",
        ),
        Misconception(
            _slope(lambda bent, scores, cap: np.ones_like(scores)),
            "the gradient passes unchanged: beyond the cap a score hardly moves its result.",
        ),
        Misconception(
            lambda grad, scores, cap: 1 - np.tanh(scores / cap) ** 2,
            "the gradient that arrives is not used: multiply the slope by it.",
        ),
        *(
            Misconception(
                version, "exp overflows on large scores, and inf / inf is NaN: use np.tanh."
            )
            for version in (_by_exp, _by_quotient)
        ),
        Misconception(
            _promoted,
            "the result is float64 whatever came in: a NumPy float64 makes it so; keep the dtype.",
        ),
        Misconception(_in_place, "*= changes the caller's gradient; make a new array."),
    ),
    notice="The cap cancels from the slope: near 0 a soft cap changes no gradient, whatever it is.",
    cases=(
        case(grad_capped=np.array([[3.0]]), scores=np.array([[0.0]]), cap=2.0),
        case(grad_capped=np.array([[1.0, -2.0]]), scores=np.array([[1.0, 3.0]]), cap=2.0),
        case(grad_capped=np.array([[3.0, 1.0]]), scores=np.array([[-1.0, 0.5]]), cap=1.0),
        case(**_drawn(6, 4)),
        case(**_drawn(2, 3, 5, cap=0.5)),
        case(**_drawn(2, 1, 3, 2, cap=50)),
        stress(grad_capped=np.ones((1, 3)), scores=np.array([[1e4, -1e4, 1e300]]), cap=2.0),
        stress(**_drawn(2, 3, dtype=np.float32)),
        stress(grad_capped=np.ones((1, 2), np.float16), scores=np.float16([[1, 3]]), cap=2.0),
    ),
)
