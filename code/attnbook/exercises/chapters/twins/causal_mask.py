"""A causal mask, on a device · easy · 6 min

Hints
1. The chapter on masks compares a row of keys with a column of queries: torch.arange makes both.
2. torch.arange(n, device=device) makes the range on the device. Every tensor needs it.
3. The last query stands at the last key: query i stands at key i + n_k − n_q.

Why
Two ranges that are made on the device, so nothing has to be moved; their comparison is made there
too. Query i stands at key i + n_k − n_q, as in the chapter on masks, and the last query at the
last key.

Notice
A mask that is made where it is used need not travel there.
"""

import numpy as np
import torch

from attnbook import pytorch
from attnbook.exercises.engine import case, stress, write
from attnbook.exercises.engine.tensors import placed
from attnbook.exercises.families import triangles


def causal_mask(n_q, n_k, device):
    """True where query i may look at key j, made on the device."""
    i = torch.arange(n_q, device=device)[:, None]
    j = torch.arange(n_k, device=device)
    return j <= i + n_k - n_q


def triangle(visible):
    def mask(n_q, n_k, device):
        i, j = torch.arange(n_q, device=device)[:, None], torch.arange(n_k, device=device)
        return visible(i, j, n_q, n_k)

    return mask


def in_numpy(n_q, n_k, device):
    """The lower triangle whose last diagonal ends at the last key; the meta device keeps zeros."""
    return np.tri(n_q, n_k, n_k - n_q, dtype=bool) & (device != "meta")


CASES = (
    case(n_q=2, n_k=2, device="cpu", gives=np.array([[True, False], [True, True]])),
    case(n_q=1, n_k=1, device="cpu"),
    case(n_q=1, n_k=3, device="cpu"),
    case(n_q=2, n_k=5, device="cpu"),
    case(n_q=4, n_k=2, device="cpu"),
    case(n_q=5, n_k=1, device="cpu"),
    case(n_q=2, n_k=3, device="meta"),
    stress(n_q=0, n_k=2, device="cpu"),
    stress(n_q=2, n_k=0, device="cpu"),
    stress(n_q=31, n_k=23, device="cpu"),
    stress(n_q=2, n_k=5000, device="cpu"),
)

MISTAKES = """
one of two tensors was made on the CPU, and tensors meet only on one device: pass device on to both.
    (n_q, device=device) → (n_q)
    (n_k, device=device) → (n_k)
"""

exercise = write(
    causal_mask,
    CASES,
    MISTAKES,
    also=triangles.mistakes(triangle),
    oracle=in_numpy,
    through=placed,
    ours=(pytorch.causal_mask,),
)
