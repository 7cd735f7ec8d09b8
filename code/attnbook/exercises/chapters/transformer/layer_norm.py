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

from typing import NamedTuple

import numpy as np
import torch

from attnbook.exercises.engine import case, draw, stress, write
from attnbook.exercises.engine.tensors import nothing_in_place, with_gradients


def layer_norm(x, scale, shift, eps):
    """Each vector with mean 0 and size 1, then scaled and shifted."""
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    return centred / torch.sqrt(variance + eps) * scale + shift


class Normed(NamedTuple):
    """A result, and the gradients of a weighted sum of it."""

    result: np.ndarray
    grad_x: np.ndarray
    grad_scale: np.ndarray
    grad_shift: np.ndarray


def with_three_gradients(function):
    """For `through`: a norm that a module may own learns its scale and its shift, too."""

    def call(*arguments):
        *arrays, eps = arguments
        tensors = [torch.from_numpy(array) for array in arrays]
        with nothing_in_place(arrays, tensors):
            learning = [tensor.requires_grad_() for tensor in tensors]
            return Normed(*with_gradients(lambda: function(*learning, eps), "x", *learning))

    return call


def vector_by_vector(x, scale, shift, eps):
    """The equation for each vector, and its derivatives by hand."""
    c = np.cos(np.arange(x.size)).reshape(x.shape)
    out, gradient = np.empty_like(x), np.empty_like(x)
    grad_scale, grad_shift = np.zeros_like(scale), np.zeros_like(shift)
    for place in np.ndindex(x.shape[:-1]):
        row, flowing = x[place].astype(float), c[place] * scale
        deviation = np.sqrt(np.var(row) + eps)
        normed = (row - np.mean(row)) / deviation
        out[place] = scale * normed + shift
        left = flowing - np.mean(flowing) - normed * np.mean(flowing * normed)
        gradient[place] = left / deviation
        grad_scale += c[place] * normed
        grad_shift += c[place]
    return Normed(out, gradient, grad_scale, grad_shift)


rng = np.random.default_rng(31)


def drawn(*shape, eps=1e-5, dtype=np.float64):
    arrays = draw(rng, {"x": shape, "scale": shape[-1:], "shift": shape[-1:]}, dtype=dtype)
    return arrays | {"eps": eps}


across = drawn(2, 3, 4)
across["x"] = np.asfortranarray(across["x"])
# Here x² has 9 digits behind the point; the check compares 11, and x - mean has 12.
far_from_0 = drawn(2, 4)
far_from_0["x"] += 3000

CASES = (
    case(**drawn(1, 4)),
    case(**drawn(1, 4, eps=0.5)),
    case(**drawn(2, 4)),
    case(**drawn(3, 5, eps=0.1)),
    case(**drawn(2, 3, 4, eps=0.1)),
    case(**drawn(4)),
    stress(**drawn(2, 5, dtype=np.float32)),
    case(**across),
    stress(**far_from_0),
    stress(**drawn(2, 4) | {"x": np.full((2, 4), 7.0)}),
)

MISTAKES = """
the variance divides by the number of features, d, not by d - 1.
    centred.square().mean(dim=-1, keepdim=True) → x.var(dim=-1, keepdim=True)
ε is added to the variance, under the root.
    torch.sqrt(variance + eps) → (torch.sqrt(variance) + eps)
two things: PyTorch's `std` divides by d - 1, and ε is added to the variance, under the root.
    torch.sqrt(variance + eps) → (x.std(dim=-1, keepdim=True) + eps)
ε is added to the variance, and is not its lower bound.
    variance + eps → variance.clamp(min=eps)
the mean of the squares minus the square of the mean cancels where the mean is large: subtract the
mean first.
    centred = x - x.mean(dim=-1, keepdim=True) → mean = x.mean(dim=-1, keepdim=True); centred = x - mean ; variance = centred.square().mean(dim=-1, keepdim=True) → variance = (x * x).mean(dim=-1, keepdim=True) - mean * mean
    variance = centred.square().mean(dim=-1, keepdim=True) → variance = x.square().mean(dim=-1, keepdim=True) - x.mean(dim=-1, keepdim=True).square()
ε is missing: it is added to the variance, under the root.
    variance + eps → variance
this is RMSNorm: subtract the mean first.
    centred = x - x.mean(dim=-1, keepdim=True) → centred = x
the variance is that of the deviations, but they have to stand above the fraction, too.
    centred / torch.sqrt → x / torch.sqrt
the mean is subtracted, but the size is that of x as it was.
    variance = centred.square() → variance = x.square()
divide by the root of the variance, not by the variance.
    torch.sqrt(variance + eps) → (variance + eps)
each vector has a mean and a variance of its own: they run over the last axis alone.
    dim=-1 ⇒ dim=0 || dim=None || dim=-2 || dim=1 || dim=(-2, -1)
the scale is the factor itself, and not what is added to 1.
    * scale + shift → * (1 + scale) + shift
scale and shift are exchanged.
    * scale + shift → * shift + scale
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
`data` writes into x, and autograd doesn't see it: make a new tensor.
    centred = x - x.mean(dim=-1, keepdim=True) → x.data -= x.data.mean(dim=-1, keepdim=True)\\n    centred = x
the output is right, but the gradient takes the mean for a constant: no `detach`.
    x.mean(dim=-1, keepdim=True) → x.mean(dim=-1, keepdim=True).detach()
the output is right, but the scale and the shift learn nothing: no `detach`, `data` or copy.
    * scale + shift → * scale.detach() + shift.detach()
    * scale + shift → * scale.detach() + shift || * scale + shift.detach()
"""

exercise = write(
    layer_norm,
    CASES,
    MISTAKES,
    oracle=vector_by_vector,
    through=with_three_gradients,
)
