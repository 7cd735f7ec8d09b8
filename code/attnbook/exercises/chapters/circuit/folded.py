"""Fold a norm into a matrix · hard · 15 min

Hints
1. Write LayerNorm as (x - mean) / σ · scale + shift, and multiply by W. Which parts don't depend on x?
2. `scale` multiplies the rows of W, one number for each feature.
3. Subtracting the mean from x is the same as subtracting from each column of the scaled matrix its
   mean: (x - mean) M = x (M - column means), since all features are weighted alike.

Why
norm(x) W is (x C diag(scale) W) / σ + shift W, where C subtracts the mean. C is symmetric, so it may
act on the matrix instead of the vector: each column of diag(scale) W loses its mean. What is left
for a run is the division by σ, a single number for each vector.

Notice
A matrix that is read through a norm is only known together with it. After folding, two heads can be
compared, and the part of the stream that the norm removes is visibly unread.
"""

import numpy as np
import torch

from attnbook.exercises.engine import case, draw, stress, write
from attnbook.exercises.engine.tensors import on_tensors


def folded(scale, shift, w):
    """The matrix, with the bias as a last row."""
    scaled = scale[:, None] * w
    centred = scaled - scaled.mean(dim=0)
    return torch.cat([centred, (shift @ w)[None]])


def by_probing(scale, shift, w):
    """What the norm and the matrix make of a zero vector, and of a step along each feature."""
    d = len(scale)

    def read(x, sigma):
        return ((x - x.mean()) / sigma * scale + shift) @ w

    bias = read(np.zeros(d, w.dtype), 1)
    return np.stack([*(2 * (read(row, 2) - bias) for row in np.eye(d, dtype=w.dtype)), bias])


rng = np.random.default_rng(12)


def drawn(d, m, dtype=np.float64):
    arrays = draw(rng, {"scale": (d,), "shift": (d,), "w": (d, m)}, dtype=dtype)
    return arrays | {"scale": np.abs(arrays["scale"]) + dtype(0.5)}


CASES = (
    case(
        scale=np.array([1.0, 2.0]),
        shift=np.array([0.0, 1.0]),
        w=np.array([[3.0, 1.0], [1.0, 2.0]]),
        gives=np.array([[0.5, -1.5], [-0.5, 1.5], [1.0, 2.0]]),
    ),
    case(**drawn(2, 2)),
    case(**drawn(3, 1)),
    case(**drawn(3, 4)),
    case(**drawn(5, 2)),
    case(**drawn(4, 4)),
    stress(**drawn(3, 2, np.float32)),
)

MISTAKES = """
the scale multiplies the rows of W, since each row belongs to a feature of x.
    scale[:, None] * w → scale * w
this norm multiplies by `scale` itself; 1 + scale is the convention of other norms.
    scale[:, None] * w → (1 + scale)[:, None] * w
the scale is missing in the matrix.
    scaled = scale[:, None] * w → scaled = w
the mean of x is subtracted before the scale, so each column of the scaled matrix loses its mean.
    centred = scaled - scaled.mean(dim=0) → centred = scaled
    centred = scaled - scaled.mean(dim=0) → centred = scale[:, None] * (w - w.mean(dim=0))
W keeps its column means until it is scaled: the mean is subtracted once, behind the scale.
    scaled = scale[:, None] * w → scaled = scale[:, None] * (w - w.mean(dim=0))
the scale multiplies, and does not divide.
    scale[:, None] * w → w / scale[:, None]
the mean runs over the features of x, down each column.
    scaled.mean(dim=0) → scaled.mean() || scaled.mean(dim=1, keepdim=True)
a mean of d numbers is divided by d, and not by d - 1.
    scaled.mean(dim=0) → scaled.sum(dim=0) / (len(scale) - 1)
the rows keep their means: only what is read is centred, and not what comes out.
    centred = scaled - scaled.mean(dim=0) → centred = scaled - scaled.mean(dim=0)\\n    centred = centred - centred.mean(dim=1, keepdim=True)
the shift stands in the bias alone, since it is added behind the division by σ.
    centred = scaled - scaled.mean(dim=0) → centred = scaled - scaled.mean(dim=0) + shift[:, None]
the shift goes through the matrix as well.
    (shift @ w)[None] → shift[None, : w.shape[1]] if len(shift) >= w.shape[1] else (shift @ w)[None]
    (shift @ w)[None] → shift.sum().expand(1, w.shape[1])
the shift is added behind the scale, so the bias is shift @ w without it.
    (shift @ w)[None] → (shift @ scaled)[None]
the shift is added behind the mean's subtraction, so W acts on it as it is.
    (shift @ w)[None] → (shift @ centred)[None] || ((shift - shift.mean()) @ w)[None]
    (shift @ w)[None] → (shift @ w - (shift @ w).mean())[None] || (shift @ w - scaled.mean(dim=0))[None] || (shift @ w - w.mean(dim=0))[None]
the bias is the last row.
    torch.cat([centred, (shift @ w)[None]]) → torch.cat([(shift @ w)[None], centred])
the bias is missing: it is a last row.
    return torch.cat([centred, (shift @ w)[None]]) → return centred
the bias is what the shift gives, shift @ w, and not zero.
    (shift @ w)[None] → 0 * (shift @ w)[None]
"""

exercise = write(folded, CASES, MISTAKES, oracle=by_probing, through=on_tensors)
