"""Min-p · medium · 8 min

Hints
1. The threshold is p times the largest probability, and each row has one of its own.
2. `probabilities.amax(dim=-1, keepdim=True)` keeps the axis, so that it can be compared with.
3. `logits.masked_fill(low, -torch.inf)` hides what is below the threshold.

Why
A probability is compared with the largest of its row. Where the model is sure, the threshold is high and
little stays; where it hesitates, the threshold is low and much stays. The softmax that follows divides
what is left by its new sum.

Notice
Since e^(s − max) is the quotient of the two probabilities, the same can be asked of the logits,
s < max + ln p, without any softmax.
"""

import numpy as np
import torch

from attnbook.exercises.chapters.teach._first import first_as_tensor
from attnbook.exercises.engine import case, stress, write


def min_p(logits, p):
    """The logits, −∞ where the probability is below p times the largest."""
    probabilities = logits.softmax(dim=-1)
    threshold = p * probabilities.amax(dim=-1, keepdim=True)
    return logits.masked_fill(probabilities < threshold, -torch.inf)


def of_logits(logits, p):
    """By the difference to the largest logit."""
    logits = np.asarray(logits)
    below = np.exp(logits.astype(np.float64) - logits.max(axis=-1, keepdims=True)) < p
    return np.where(below, -np.inf, logits).astype(logits.dtype)


rng = np.random.default_rng(21)


def drawn(*shape, p, size=2.0, dtype=np.float64):
    return {"logits": (size * rng.standard_normal(shape)).astype(dtype), "p": p}


def not_contiguous(*shape, p):
    case = drawn(*shape, p=p)
    return case | {"logits": case["logits"].swapaxes(0, 1)}


FAR_APART = [[1000.0, -np.inf], [0.0, -np.inf]]
HALVES = np.log([8.0, 4.0, 2.0, 1.0])
A_LITTLE_BELOW = np.log([0.1, 1.0, 0.5 * (1 - 1e-9)])
CASES = (
    case(logits=HALVES[:2], p=0.9, gives=[HALVES[0], -np.inf]),
    case(logits=HALVES, p=0.9, gives=[HALVES[0], *[-np.inf] * 3]),
    case(logits=HALVES, p=0.4, gives=[HALVES[0], HALVES[1], -np.inf, -np.inf]),
    case(logits=HALVES, p=0.2, gives=[*HALVES[:3], -np.inf]),
    case(logits=HALVES[::-1].copy(), p=0.3),
    case(logits=HALVES[None, :3], p=0.4, gives=[[HALVES[0], HALVES[1], -np.inf]]),
    case(logits=np.array([[2.0, 2.0, 2.0], [5.0, 0.0, 4.0]]), p=0.3),
    case(logits=A_LITTLE_BELOW, p=0.5, gives=[-np.inf, 0.0, -np.inf]),
    case(**drawn(2, 5, p=0.1)),
    case(**drawn(2, 3, 6, p=0.05)),
    case(logits=np.array([0.0, -9.0, -16.0]), p=1e-6, gives=[0.0, -9.0, -np.inf]),
    stress(logits=HALVES, p=1.0, gives=[HALVES[0], *[-np.inf] * 3]),
    stress(logits=HALVES, p=0.0, gives=HALVES),
    stress(**drawn(3, 7, p=0.2, dtype=np.float32)),
    stress(**not_contiguous(4, 3, 5, p=0.2)),
    stress(**drawn(2, 4, p=0.1, size=900.0)),
    stress(logits=np.array([[1000.0, 0.0], [0.0, -1.0]]), p=0.5, gives=FAR_APART),
    stress(logits=np.array([1000.0, 999.0, 0.0]), p=0.5, gives=[1000.0, -np.inf, -np.inf]),
)

MISTAKES = """
the threshold is p times the largest probability, not p itself.
    p * probabilities.amax(dim=-1, keepdim=True) → p
the threshold is p times the largest probability, not p below it.
    p * probabilities.amax(dim=-1, keepdim=True) → probabilities.amax(dim=-1, keepdim=True) - p
    probabilities = logits.softmax(dim=-1) → probabilities = logits ; p * probabilities.amax(dim=-1, keepdim=True) → probabilities.amax(dim=-1, keepdim=True) - p
a large p hides more: the threshold is p times the largest probability, and not 1 - p times.
    p * probabilities.amax → (1 - p) * probabilities.amax
the probabilities are compared, not the logits.
    probabilities = logits.softmax(dim=-1) → probabilities = logits
a token exactly at the threshold stays: only what is below it is hidden.
    probabilities < threshold → probabilities <= threshold
the other way round: what is below the threshold is hidden.
    probabilities < threshold → probabilities >= threshold
each row has its own largest probability: amax with dim=-1.
    .amax(dim=-1, keepdim=True) → .amax()
hidden logits are −∞, and not a very small number.
    -torch.inf) → -1e9) || torch.finfo(logits.dtype).min)
hidden logits are −∞, so that the next softmax gives them 0; with 0 they still have weight.
    -torch.inf) → 0.0)
logits come back as they were, and neither probabilities nor their logarithms.
    return logits.masked_fill → return probabilities.masked_fill || return probabilities.log().masked_fill
    return logits.masked_fill(probabilities < threshold, -torch.inf) → return probabilities.masked_fill(probabilities < threshold, 0)
    return logits → kept = probabilities.masked_fill(probabilities < threshold, 0)\\n    return (kept / kept.sum(dim=-1, keepdim=True)).log()
each row has its own largest logit: far below that of the others all of a row would become 0.
    probabilities = logits.softmax(dim=-1) → probabilities = (logits - logits.max()).exp()
the probabilities are rounded too coarsely to tell what lies a little below the threshold: keep the
dtype of `logits`.
    logits.softmax → logits.float().softmax || logits.half().softmax || logits.bfloat16().softmax
exp overflows: of 1000 it is infinite. Subtract the largest logit first, as softmax does.
    logits.softmax(dim=-1) → logits.exp() || logits.exp() / logits.exp().sum(dim=-1, keepdim=True)
that is top-p, which adds up probabilities; here each is compared with the largest.
    threshold = p * probabilities.amax(dim=-1, keepdim=True) → threshold = probabilities[..., None, :]\\n    more = torch.where(threshold > threshold.mT, threshold, 0).sum(dim=-1) ; probabilities < threshold → (more > 0) & (more >= p)
the threshold is p times the largest probability, and not the mean one.
    .amax(dim=-1, keepdim=True) → .mean(dim=-1, keepdim=True)
logits are natural logarithms: the threshold is the largest plus ln p, in no other base.
    probabilities = logits.softmax(dim=-1) → probabilities = logits ; p * probabilities.amax(dim=-1, keepdim=True) → logits.amax(dim=-1, keepdim=True) + np.log2(p)
    probabilities = logits.softmax(dim=-1) → probabilities = logits ; p * probabilities.amax(dim=-1, keepdim=True) → logits.amax(dim=-1, keepdim=True) + np.log10(p)
the distribution is over the last axis.
    softmax(dim=-1) → softmax(dim=0)
    amax(dim=-1, keepdim=True) → amax(dim=0, keepdim=True)
    softmax(dim=-1) → softmax(dim=0) ; amax(dim=-1, keepdim=True) → amax(dim=0, keepdim=True)
"""

exercise = write(min_p, CASES, MISTAKES, oracle=of_logits, through=first_as_tensor)
