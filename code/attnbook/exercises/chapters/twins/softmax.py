"""A softmax with a finite gradient · medium · 10 min

Hints
1. torch.softmax subtracts the maximum and divides. What has to be done to hidden scores before it,
   and to hidden weights after it?
2. torch.where selects, forward and backward: what it replaced gets the gradient 0.
3. Replace hidden scores by -torch.inf before the softmax, and hidden weights by 0 after it.

Why
The softmax of an empty row is NaN, and its step back multiplies the 0 that the outer `torch.where`
sends by that NaN. So the outer one keeps the NaN out of the weights, and only the inner one keeps
it out of the gradient: it gives 0 to each score that it replaced, whatever arrives there, where a
product with 0 would stay NaN. Anomaly mode stops at this NaN, though it does no harm. Hidden scores
are replaced before the exponential, so none of them overflows.

Notice
What is hidden is replaced, not multiplied by 0, before the softmax and after it.
"""

import numpy as np
import torch

from attnbook import pytorch, reference
from attnbook.exercises.engine import case, stress, write
from attnbook.exercises.engine.tensors import Differentiated, differentiated


def softmax(scores, mask):
    """Weights over the visible keys of each row; where there are none, zeros with gradient 0."""
    visible = torch.where(mask, scores, -torch.inf)
    return torch.where(mask, torch.softmax(visible, dim=-1), 0)


def unmended(scores, mask):
    replaced = torch.where(mask, scores, -torch.inf)
    return torch.softmax(replaced, dim=-1)


def by_hand(scores, mask):
    seen = scores.masked_fill(~mask, -torch.inf)
    top = seen.detach().amax(dim=-1, keepdim=True)
    terms = torch.exp(seen - torch.where(top.isfinite(), top, 0))
    total = terms.sum(dim=-1, keepdim=True)
    return terms / torch.where(total == 0, 1, total)


def late(scores, mask):
    kept = torch.exp(scores - scores.amax(dim=-1, keepdim=True)) * mask
    total = kept.sum(dim=-1, keepdim=True)
    return kept / torch.where(total == 0, 1, total)


def plus(scores, mask, number):
    """Scores to which a number is added where they are hidden."""
    return scores + torch.where(mask, scores.new_zeros(()), number)


def by_formula(scores, mask):
    """The weights of NumPy's twin, and A (c - Σ A c), the gradient of the sum of A c."""
    weights = reference.softmax(scores, mask)
    c = np.cos(np.arange(weights.size)).reshape(weights.shape)
    gradient = weights * (c - np.sum(weights * c, axis=-1, keepdims=True))
    return Differentiated(weights, gradient.astype(weights.dtype))


rng = np.random.default_rng(11)
TINY = np.log([1.0, 3.0, 4.0])


def row(scores, mask, dtype=np.float64):
    return {"scores": np.array(scores, dtype), "mask": np.array(mask, bool)}


def with_empty(shape, dtype=np.float64):
    """Scores, and a random mask with one empty row."""
    mask = rng.random(shape) < 0.6
    mask[..., 0, :] = False
    return {"scores": rng.standard_normal(shape).astype(dtype), "mask": mask}


CASES = (
    case(**row([TINY], [[1, 1, 0]])),
    case(**row([TINY, TINY], [[1, 1, 0], [0, 0, 0]])),
    case(**row(TINY, [1, 0, 1])),
    case(**row([5.0], [1])),
    case(**row([[0.0, 0.0], [0.0, 2.0]], [[1, 1], [0, 1]])),
    case(**with_empty((3, 4))),
    case(**with_empty((2, 3, 2, 4))),
    case(scores=rng.standard_normal((2, 3, 4)), mask=np.array([[True, True, False, True]])),
    case(scores=rng.standard_normal((2, 3, 4)), mask=np.arange(12).reshape(3, 4) > 3),
    case(scores=rng.standard_normal((3, 4)), mask=np.array([True, False, True, True])),
    case(scores=rng.standard_normal((2, 3, 4)), mask=np.array([[[True]], [[False]]])),
    stress(**row([0.0, 800.0], [1, 0])),
    stress(**row([[0.0, 800.0], [800.0, 0.0]], [[1, 1], [1, 1]])),
    stress(**row([-81.0, -80.0, 0.0], [1, 1, 0])),
    stress(**row([-901.0, -900.0, 0.0], [1, 1, 0])),
    stress(**row([[0.0, 1.0, 1e300], [2.0, 0.0, 900.0]], [[1, 1, 0], [0, 1, 0]])),
    stress(**row([1e4, -1e4, 1e4], [1, 1, 0])),
    stress(**row([[-1e4, -9999.0], [1e4, 9999.0]], [[1, 1], [1, 1]])),
    stress(**row([np.finfo(float).min, np.finfo(float).min, 0.0], [1, 1, 0])),
    stress(**row([-2e4, -2e4, 0.0], [1, 1, 0])),
    stress(**row([-1e300, -1e300, 0.0], [1, 1, 0])),
    stress(**row([1.0, np.nan, 0.0], [1, 0, 1])),
    stress(**row([1.0, np.inf, 0.0, -np.inf], [1, 0, 1, 0])),
    stress(**row([[np.nan, np.inf]], [[0, 0]])),
    stress(**with_empty((2, 3, 4), np.float32)),
    stress(**row([[1, 200, 2], [1, 2, 3]], [[1, 0, 1], [0, 0, 0]], np.float32)),
    stress(**with_empty((2, 3, 4), np.float16)),
    stress(**row([[1, 60_000, 2], [1, 2, 3]], [[1, 0, 1], [0, 0, 0]], np.float16)),
)

MISTAKES = """
a finite fill is a score like any other: an empty row becomes uniform, if its weights are not
replaced, and a visible score at or below the fill loses to it. Only −∞ is below every score.
    (mask, scores, -torch.inf) → (mask, scores, torch.finfo(scores.dtype).min)
    (mask, scores, -torch.inf) → (mask, scores, -1e9) || (mask, scores, -1e4)
    (mask, scores, -torch.inf) → (mask, scores, -100.0)
    torch.where(mask, scores, -torch.inf) → scores.masked_fill(~mask, -1e9)
an empty row is NaN, or becomes uniform: its weights have to be replaced by 0.
    is unmended
    (replaced, → (torch.where(mask.any(dim=-1, keepdim=True), replaced, 0),
the weights of an empty row are mended, and its gradient is NaN: the NaN inside goes backward
through the sum. Replace scores with torch.where, and add nothing.
    visible = torch.where(mask, scores, -torch.inf) → visible = plus(scores, mask, -torch.inf)
a hidden score becomes 0, and e^0 = 1 takes part: only −∞ is absent.
    (mask, scores, -torch.inf) → (mask, scores, 0)
the mask hides nothing: it is not used, or it is added, and 1 more only favours a visible score.
    = torch.softmax(scores + mask, dim=-1) || torch.softmax(scores, dim=-1)
the hidden keys are still in the denominator: hide before the softmax.
    (visible, → (scores,
the small number in the denominator takes part in every row: divide by the sum itself, and by 1
where it is 0.
    torch.where(total == 0, 1, total) → (total + 1e-8) || (total + 1e-9)
a hidden score that is huge or NaN takes part, in exp or in a maximum, before it is set aside: hide
it first.
    torch.exp(scores - scores.amax(dim=-1, keepdim=True)) → torch.softmax(scores, dim=-1)
    torch.exp(scores - scores.amax(dim=-1, keepdim=True)) * mask → torch.where(mask, torch.exp(scores), 0)
    torch.exp(scores - scores.amax(dim=-1, keepdim=True)) * mask → torch.where(mask, torch.exp(scores), 0) ; torch.where(total == 0, 1, total) → total.clamp(min=1e-9)
    torch.exp(scores - scores.amax(dim=-1, keepdim=True)) * mask → torch.exp(torch.where(mask, scores - scores.detach().amax(dim=-1, keepdim=True), -torch.inf))
the weights of an empty row are 0 / 0, which is NaN, and goes on in the gradient: hide before exp,
and divide by 1 where the sum is 0.
    kept / torch.where(total == 0, 1, total) → kept / total || (kept / total).nan_to_num()
    * mask → .masked_fill(~mask, 0) ; kept / torch.where(total == 0, 1, total) → kept / total
0 · (−∞) is NaN, where a visible score should stay as it is: select with torch.where.
    torch.where(mask, scores, -torch.inf) → scores + ~mask * -torch.inf
    = torch.softmax(scores + ~mask * -torch.inf, dim=-1).nan_to_num()
a hidden score is still there under a finite number that is added to it: an empty row sees what it
must not, if its weights are not replaced, 1e300 − 1e9 is huge, and NaN stays NaN. Replace scores
and weights with torch.where.
    torch.where(mask, scores, -torch.inf) → plus(scores, mask, torch.finfo(scores.dtype).min)
    torch.where(mask, scores, -torch.inf) → plus(scores, mask, -1e9) || plus(scores, mask, -1e4)
    torch.where(mask, scores, -torch.inf) → plus(scores, mask, -100.0)
    torch.where(mask, scores, -torch.inf) → plus(scores, mask, -6e4 if scores.dtype == torch.float16 else -1e9)
    torch.where(mask, scores, -torch.inf) → plus(scores, mask, -1e4 if scores.dtype == torch.float16 else -1e9)
−∞ is added, and a hidden NaN or ∞ stays NaN, as an empty row does where nothing mends it. Replace
hidden scores, and then hidden weights, with torch.where.
    = torch.softmax(plus(scores, mask, -torch.inf), dim=-1)
    visible = torch.where(mask, scores, -torch.inf) → visible = torch.where(mask.any(dim=-1, keepdim=True), plus(scores, mask, -torch.inf), 0)
the polarity is inverted: True = may look.
    = softmax(scores, ~mask) || unmended(scores, ~mask)
the weights are right, and the gradient is not: the sum was detached, and it changes with every
score.
    terms / torch.where(total == 0, 1, total) → terms / torch.where(total == 0, 1, total).detach()
exp overflows or underflows: subtract each row's own largest visible score.
    seen - torch.where(top.isfinite(), top, 0) → seen
    seen - torch.where(top.isfinite(), top, 0) → seen ; torch.where(total == 0, 1, total) → total.clamp(min=1e-9)
    seen - torch.where(top.isfinite(), top, 0) → seen ; terms / torch.where(total == 0, 1, total) → torch.where(mask, terms / total, 0)
    top = seen → top = torch.where(mask, scores, 0)
    seen.detach().amax(dim=-1, keepdim=True) → seen.detach()[..., :1] || seen.detach().amax()
the softmax runs over another dimension, as it may where none is given and PyTorch guesses: keys are
the last of any tensor, dim=-1.
    dim=-1) → dim=0) || dim=-2) || dim=1)
    (visible, dim=-1) → (visible, dim=0 if visible.ndim in (1, 3) else 1)
the weights are computed in float32 whatever came in: keep the dtype of the scores.
    = softmax(scores.float(), mask).to(scores.dtype)
"""

exercise = write(
    softmax,
    CASES,
    MISTAKES,
    drafts=(unmended, by_hand, late),
    oracle=by_formula,
    ours=(pytorch.softmax,),
    through=differentiated,
    exact_zeros=True,
)
