"""Through a soft cap · easy · 6 min

Hints
1. Each score is bent on its own: the gradient is multiplied entry by entry.
2. The slope of tanh x is 1 - tanh² x. By the chain rule, what do the factor cap in front and the
   division inside make of it together?
3. cap · (1 / cap) is 1: what is left is 1 - np.tanh(scores / cap) ** 2.

Why
By the chain rule the slope is cap · (1 − tanh²(S/cap)) · 1/cap, and the caps cancel. Near 0 the
slope is 1, as without a cap; far beyond the cap it is 0, and the score no longer learns.

Notice
The cap cancels from the slope: near 0 a soft cap changes no gradient, whatever it is.
"""

import numpy as np

from attnbook.exercises.engine import case, stress, write


def soft_cap_backward(grad_capped, scores, cap):
    """The derivative of cap · tanh(S / cap) is 1 - tanh²(S / cap)."""
    return grad_capped * (1 - np.tanh(scores / cap) ** 2)


def by_cosh(grad_capped, scores, cap):
    """The slope as 1 / cosh², of an exponential that cannot overflow."""
    small = np.exp(-2 * np.abs(scores / cap))
    return grad_capped * 4 * small / (1 + small) ** 2


rng = np.random.default_rng(4)


def drawn(*shape, cap=2.0, dtype=np.float64):
    grad, scores = (rng.standard_normal(shape).astype(dtype) for _ in range(2))
    return {"grad_capped": grad, "scores": (3 * scores).astype(dtype), "cap": cap}


CASES = (
    case(grad_capped=np.array([[3.0]]), scores=np.array([[0.0]]), cap=2.0, gives=np.array([[3.0]])),
    case(grad_capped=np.array([[1.0, -2.0]]), scores=np.array([[1.0, 3.0]]), cap=2.0),
    case(grad_capped=np.array([[3.0, 1.0]]), scores=np.array([[-1.0, 0.5]]), cap=1.0),
    case(**drawn(6, 4)),
    case(**drawn(2, 3, 5, cap=0.5)),
    case(**drawn(2, 1, 3, 2, cap=50)),
    stress(grad_capped=np.ones((1, 3)), scores=np.array([[1e4, -1e4, 1e300]]), cap=2.0),
    stress(**drawn(2, 3, dtype=np.float32)),
    stress(grad_capped=np.ones((1, 2), np.float16), scores=np.float16([[1, 3]]), cap=2.0),
)

MISTAKES = """
a power of cap is left over: the cap before the tanh and the 1 / cap from inside it cancel.
    (1 - → cap * (1 - || cap**2 * (1 -
    ** 2) → ** 2) / cap || ** 2) / cap**2
in the slope, cap stands inside the tanh alone: 1 - tanh²(S / cap).
    np.tanh(scores / cap) → (cap * np.tanh(scores / cap)) || (np.tanh(scores / cap) / cap)
    (1 - → (cap -
that is the slope of a sigmoid, from its own value; that of tanh is 1 - tanh².
    (1 - np.tanh(scores / cap) ** 2) → np.tanh(scores / cap) * (1 - np.tanh(scores / cap))
inside the tanh the scores are divided by the cap: take it of S / cap.
    (scores / cap) → (scores)
    scores / cap → scores * cap
that is the tanh, or its square: the slope is 1 - tanh².
    (1 - np.tanh(scores / cap) ** 2) → np.tanh(scores / cap)
    (1 - np → (np
the forward pass stands where its slope is asked for.
    (1 - np.tanh(scores / cap) ** 2) → cap * np.tanh(scores / cap)
    = cap * np.tanh(scores / cap) || cap * np.tanh(grad_capped / cap)
the slope is taken at the gradient: it is that of the scores which came in, 1 - tanh²(S / cap).
    np.tanh(scores / cap) → np.tanh(grad_capped / cap)
the scores are a factor: of S / cap inside the tanh the chain rule takes 1 / cap.
    (1 - → scores * (1 -
that is the slope of the arc tangent: that of tanh is 1 - tanh².
    (1 - np.tanh(scores / cap) ** 2) → 1 / (1 + (scores / cap) ** 2)
the tanh is taken twice: the slope is that at S / cap, not at its tanh.
    np.tanh(scores / cap) → np.tanh(np.tanh(scores / cap))
that is 1 / cosh x, the root of the slope: 1 - tanh² x is 1 / cosh² x.
    = grad_capped / np.cosh(scores / cap)
the gradient is divided by the slope, which is the way forward; multiply it.
    grad_capped * → grad_capped /
exp overflows on large scores, and inf / inf is NaN: use np.tanh.
    np.tanh(scores / cap) → ((np.exp(2 * scores / cap) - 1) / (np.exp(2 * scores / cap) + 1))
    np.tanh(scores / cap) → (np.sinh(scores / cap) / np.cosh(scores / cap))
"""

exercise = write(soft_cap_backward, CASES, MISTAKES, oracle=by_cosh)
