"""How far apart are two rows? · medium · 10 min

Hints
1. Let m = (p + q)/2. The divergence is the mean of two sums, each over the last axis.
2. In PyTorch 0 · log(0) is NaN. Where p is 0, let torch.where choose 0, or use torch.xlogy.
3. torch.xlogy(p, p / m) is 0 where p is 0, unless its second argument is NaN. Where is m 0?

Why
m is 0 only where both are, and there neither has a term. Where only p is 0, its term is 0 and q has
one, q ln 2. That is why two rows with nothing in common are ln 2 apart, and none are farther.

Notice
PyTorch has the sums as `kl_div`, which wants logarithms first and the middle before the rows.
"""

import numpy as np
import torch
from scipy.spatial.distance import jensenshannon

from attnbook import models
from attnbook.exercises.engine import case, stress, write
from attnbook.exercises.engine.tensors import on_tensors


def jensen_shannon(p, q):
    """The mean of KL(p || m) and KL(q || m) along the last axis, with m halfway."""
    m = (p + q) / 2
    m = torch.where(m > 0, m, 1)
    terms = torch.xlogy(p, p / m) + torch.xlogy(q, q / m)
    return terms.sum(dim=-1) / 2


def by_scipy(p, q):
    """SciPy's distance is the root of this divergence."""
    wide = jensenshannon(p.astype(float), q.astype(float), axis=-1) ** 2
    return np.asarray(np.nan_to_num(wide)).astype(p.dtype)


rng = np.random.default_rng(5)


def drawn(*shape, dtype=np.float64, zeros=False):
    rows = rng.random((2, *shape))
    if zeros:
        rows[rng.random(rows.shape) < 0.3] = 0
        rows[..., 0] = 0
        rows[..., 1] += 0.1
    p, q = (rows / rows.sum(axis=-1, keepdims=True)).astype(dtype)
    return {"p": p, "q": q}


CASES = (
    case(p=np.array([0.5, 0.5]), q=np.array([0.5, 0.5]), gives=np.array(0.0)),
    case(p=np.array([1.0, 0.0]), q=np.array([0.0, 1.0]), gives=np.array(np.log(2))),
    case(p=np.array([0.5, 0.5]), q=np.array([0.25, 0.75])),
    case(p=np.array([1 - 1e-7, 1e-7]), q=np.array([1.0, 0.0])),
    case(**drawn(3)),
    case(**drawn(2, 3)),
    case(**drawn(2, 4, 5)),
    case(**drawn(3, 5, zeros=True)),
    case(**{name: np.asfortranarray(x) for name, x in drawn(2, 3, 4).items()}),
    stress(p=np.array([1.0, 0, 0]), q=np.array([1.0, 0, 0]), gives=np.array(0.0)),
    stress(**drawn(2, 4, dtype=np.float32)),
)

MISTAKES = """
where a weight is 0 its term is 0, and 0 times the logarithm of 0 is NaN: choose with torch.where.
    torch.xlogy(p, p / m) + torch.xlogy(q, q / m) → p * torch.log(p / m) + q * torch.log(q / m)
where a weight is 0 in one row alone, the other row still has its term: choose in each of the two,
before they are added.
    terms = torch.xlogy(p, p / m) + torch.xlogy(q, q / m) → terms = torch.where((p > 0) & (q > 0), torch.xlogy(p, p / m) + torch.xlogy(q, q / m), 0)
    terms = torch.xlogy(p, p / m) + torch.xlogy(q, q / m) → terms = torch.where(p > 0, torch.xlogy(p, p / m) + torch.xlogy(q, q / m), 0)
    torch.xlogy(p, p / m) + torch.xlogy(q, q / m) → torch.nan_to_num(p * torch.log(p / m) + q * torch.log(q / m))
the two sides are exchanged: KL(p ‖ m) has p in front of the logarithm, and log(p / m) behind it;
`kl_div` wants log m first, and then p.
    torch.xlogy(p, p / m) + torch.xlogy(q, q / m) → torch.xlogy(m, m / p) + torch.xlogy(m, m / q)
    torch.xlogy(p, p / m) + torch.xlogy(q, q / m) → m * (m / p).log() + m * (m / q).log()
    torch.xlogy(p, p / m) + torch.xlogy(q, q / m) → 2 * torch.xlogy(m, m) - torch.xlogy(m, p.clamp(min=torch.finfo(p.dtype).tiny)) - torch.xlogy(m, q.clamp(min=torch.finfo(p.dtype).tiny))
weights below the bound of your clamp count as the bound: choose with torch.where, or clamp at
torch.finfo(p.dtype).tiny.
    torch.xlogy(p, p / m) + torch.xlogy(q, q / m) → p * (p.clamp(min=1e-3).log() - m.clamp(min=1e-3).log()) + q * (q.clamp(min=1e-3).log() - m.clamp(min=1e-3).log())
    torch.xlogy(p, p / m) + torch.xlogy(q, q / m) → p * (p.clamp(min=1e-6).log() - m.clamp(min=1e-6).log()) + q * (q.clamp(min=1e-6).log() - m.clamp(min=1e-6).log())
where both are 0, m is 0 too, and 0/0 is NaN.
    m = torch.where(m > 0, m, 1) → m = m
this is the sum of two divergences; Jensen–Shannon is their mean.
    .sum(dim=-1) / 2 → .sum(dim=-1)
this is half of one divergence, from p to the middle; that from q belongs to it.
    torch.xlogy(p, p / m) + torch.xlogy(q, q / m) → torch.xlogy(p, p / m)
this is one divergence, from p to the middle; take the mean with that from q.
    torch.xlogy(p, p / m) + torch.xlogy(q, q / m) → 2 * torch.xlogy(p, p / m)
this compares p and q with each other; both are compared with the row halfway.
    torch.xlogy(p, p / m) + torch.xlogy(q, q / m) → torch.xlogy(p, p / q) + torch.xlogy(q, q / p)
    torch.xlogy(p, p / m) + torch.xlogy(q, q / m) → 2 * torch.xlogy(p, p / q)
    torch.xlogy(p, p / m) + torch.xlogy(q, q / m) → torch.xlogy(p, p) - torch.xlogy(p, q) + torch.xlogy(q, q) - torch.xlogy(q, p)
    torch.xlogy(p, p / m) + torch.xlogy(q, q / m) → 2 * (torch.xlogy(p, p) - torch.xlogy(p, q))
the middle is half of the sum: m has to sum to 1.
    m = (p + q) / 2 → m = p + q
these are bits; the divergence is asked for with the natural logarithm.
    .sum(dim=-1) / 2 → .sum(dim=-1) / 2 / np.log(2)
this is the distance, the root of the divergence.
    return terms.sum(dim=-1) / 2 → return (terms.sum(dim=-1) / 2).clamp(min=0).sqrt()
    return terms.sum(dim=-1) / 2 → return (terms.sum(dim=-1) / 2 / np.log(2)).clamp(min=0).sqrt()
each row has a divergence of its own: sum over the last axis.
    dim=-1 → dim=0
    terms.sum(dim=-1) → terms.sum()
the sum over a row is not divided by its number of weights.
    .sum(dim=-1) / 2 → .mean(dim=-1) / 2
this is the total variation distance, or twice that: another one.
    terms.sum(dim=-1) / 2 → (p - q).abs().sum(dim=-1) / 2
    terms.sum(dim=-1) / 2 → (p - q).abs().sum(dim=-1)
"""

OURS = (models.jensen_shannon,)
exercise = write(jensen_shannon, CASES, MISTAKES, oracle=by_scipy, through=on_tensors, ours=OURS)
