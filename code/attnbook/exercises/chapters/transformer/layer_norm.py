"""Project, step 1: the norm · medium · 10 min

Hints
1. `x.mean(dim=-1, keepdim=True)` has an axis of length 1 at its end, so that it can be subtracted.
2. The variance is the mean of the squares of what is left. ε is added to it, under the root.
3. The scale multiplies, and the shift is added last.

Why
Mean and variance are taken over the features of each vector alone, so no other token and no other
text has any influence: in training and in use the norm does the same.

Notice
That is what tells LayerNorm from batch normalisation, which takes its means over a batch.
"""

import numpy as np
import torch

from attnbook.exercises.engine import case, draw, stress, write
from attnbook.exercises.engine.tensors import Differentiated, differentiated_if_floats


def layer_norm(x, scale, shift, eps):
    """Each vector with mean 0 and size 1, then scaled and shifted."""
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    return centred / torch.sqrt(variance + eps) * scale + shift


def vector_by_vector(x, scale, shift, eps):
    """The equation for each vector, and its derivative by hand."""
    c = np.cos(np.arange(x.size)).reshape(x.shape)
    out, gradient = np.empty_like(x), np.empty_like(x)
    for place in np.ndindex(x.shape[:-1]):
        row, flowing = x[place].astype(float), c[place] * scale
        deviation = np.sqrt(np.var(row) + eps)
        normed = (row - np.mean(row)) / deviation
        out[place] = scale * normed + shift
        left = flowing - np.mean(flowing) - normed * np.mean(flowing * normed)
        gradient[place] = left / deviation
    return Differentiated(out, gradient)


rng = np.random.default_rng(31)


def drawn(*shape, eps=1e-5, dtype=np.float64):
    arrays = draw(rng, {"x": shape, "scale": shape[-1:], "shift": shape[-1:]}, dtype=dtype)
    return arrays | {"eps": eps}


CASES = (
    case(**drawn(1, 2)),
    case(**drawn(1, 3, eps=0.5)),
    case(**drawn(2, 3)),
    case(**drawn(3, 4, eps=0.1)),
    case(**drawn(2, 3, 4, eps=0.1)),
    case(**drawn(3)),
    stress(**drawn(2, 5, dtype=np.float32)),
    stress(**drawn(2, 3) | {"x": np.full((2, 3), 7.0)}),
)

MISTAKES = """
the variance divides by the number of features, d, not by d - 1.
    centred.square().mean(dim=-1, keepdim=True) → x.var(dim=-1, keepdim=True)
ε is added to the variance, under the root.
    torch.sqrt(variance + eps) → (torch.sqrt(variance) + eps)
ε is missing: it is added to the variance, under the root.
    variance + eps → variance
this is RMSNorm: subtract the mean first.
    centred = x - x.mean(dim=-1, keepdim=True) → centred = x
the mean is subtracted, but the size is that of x as it was.
    variance = centred.square() → variance = x.square()
divide by the root of the variance, not by the variance.
    torch.sqrt(variance + eps) → (variance + eps)
each vector has a mean and a variance of its own: they run over the last axis alone.
    dim=-1 ⇒ dim=0 || dim=None
the scale multiplies each feature: it is missing.
    * scale + shift → + shift
the shift is missing: it is added last.
    * scale + shift → * scale
the shift is added after the scale has multiplied.
    centred / torch.sqrt(variance + eps) * scale + shift → (centred / torch.sqrt(variance + eps) + shift) * scale
the shift is added, not subtracted.
    * scale + shift → * scale - shift
the output is right, but the gradient takes the variance for a constant: no `detach`.
    variance + eps → variance.detach() + eps
the output is right, but the gradient takes the mean for a constant: no `detach`.
    x.mean(dim=-1, keepdim=True) → x.mean(dim=-1, keepdim=True).detach()
"""

exercise = write(
    layer_norm,
    CASES,
    MISTAKES,
    oracle=vector_by_vector,
    through=differentiated_if_floats,
)
