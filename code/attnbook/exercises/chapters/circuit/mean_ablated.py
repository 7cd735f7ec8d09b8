"""Take a head out, and leave its average · easy · 8 min

Hints
1. What attention adds to the stream is the sum of what its heads add.
2. `written[head].mean(dim=0)` is a vector of d numbers. Where does it go?
3. Make a copy with `clone()` before you write into a tensor that somebody else owns.

Why
Heads only add, so one can be replaced without touching the others. Its mean keeps what the head adds
everywhere, on which later parts may rely, and takes away what differs from position to position.

Notice
With zeros a head loses its average as well, and the model may fail for that reason alone. If the two
ablations disagree, say which one you have made.
"""

import functools

import numpy as np

from attnbook.exercises.engine import case, draw, stress, write
from attnbook.exercises.engine.tensors import on_tensors


def mean_ablated(written, head):
    """What attention adds if one head adds its mean over positions instead."""
    changed = written.clone()
    changed[head] = written[head].mean(dim=0)
    return changed.sum(dim=0)


def in_loops(written, head):
    """Position by position, head by head."""
    n_heads, n, d = written.shape
    total = np.zeros((n, d), written.dtype)
    for i in range(n):
        for h in range(n_heads):
            own = written[h, i]
            total[i] += own if h != head else sum(written[h, j] for j in range(n)) / n
    return total


def with_a_head(function):
    """For `through`: the head is a plain number."""

    @functools.wraps(function)
    def call(written, head):
        return on_tensors(lambda tensor: function(tensor, head))(written)

    return call


rng = np.random.default_rng(9)


def drawn(n_heads, n, d, head, dtype=np.float64):
    return draw(rng, {"written": (n_heads, n, d)}, dtype=dtype) | {"head": head}


def not_contiguous(n, n_heads, d, head):
    case = drawn(n, n_heads, d, head)
    return case | {"written": case["written"].swapaxes(0, 1)}


CASES = (
    case(
        written=np.array([[[2.0], [4.0]], [[10.0], [20.0]]]),
        head=0,
        gives=np.array([[13.0], [23.0]]),
    ),
    case(**drawn(1, 2, 1, 0)),
    case(**drawn(2, 3, 2, 1)),
    case(**drawn(3, 4, 2, 1)),
    case(**drawn(2, 1, 3, 0)),
    case(**drawn(4, 5, 3, 3)),
    case(**drawn(3, 3, 3, 0)),
    stress(**not_contiguous(3, 4, 2, 1)),
    stress(**drawn(2, 3, 2, 0, np.float32)),
)

MISTAKES = """
that is a zero ablation: the head should add its mean.
    written[head].mean(dim=0) → 0
the mean runs over the positions, and keeps each feature apart.
    written[head].mean(dim=0) → written[head].mean() || written[head].mean(dim=1, keepdim=True)
the mean is that of the head that is taken out, and not of all heads or of the others.
    written[head].mean(dim=0) → written.mean(dim=(0, 1)) || written.mean(dim=0)
    written[head].mean(dim=0) → written[[h for h in range(len(written)) if h != head]].mean(dim=(0, 1))
    written[head].mean(dim=0) → written[[h for h in range(len(written)) if h != head]].mean(dim=0)
the other heads still add what they have found.
    return changed.sum(dim=0) → return changed[head]
what attention adds is a sum over heads, and not a mean.
    changed.sum(dim=0) → changed.mean(dim=0)
the other heads add what they have found, and not their average.
    changed.sum(dim=0) → changed[head] + changed[[h for h in range(len(written)) if h != head]].mean(dim=0)
the sum runs over the heads, the first axis.
    changed.sum(dim=0) → changed.sum(dim=1)
another head is taken out: `head` says which, and heads are counted from 0.
    changed[head] = written[head].mean(dim=0) → changed[0] = written[0].mean(dim=0)
    changed[head] = written[head].mean(dim=0) → changed[head - 1] = written[head - 1].mean(dim=0)
the head still adds what it has found, beside its mean.
    changed[head] = written[head].mean(dim=0) → changed[head] = changed[head] + written[head].mean(dim=0)
this is what varies in the head, and the mean is what should be left.
    changed[head] = written[head].mean(dim=0) → changed[head] = changed[head] - written[head].mean(dim=0)
every head is replaced here, and only one should be.
    changed[head] = written[head].mean(dim=0) → changed[:] = written.mean(dim=1, keepdim=True)
nothing is taken out.
    changed[head] = written[head].mean(dim=0) → pass
"""

exercise = write(mean_ablated, CASES, MISTAKES, oracle=in_loops, through=with_a_head)
