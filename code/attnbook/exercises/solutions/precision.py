"""Solutions to the exercises of the chapter on devices and short floats."""

import numpy as np
import torch

from attnbook import pytorch


def result_bits():
    """How many bits the numbers of five results have."""
    half = torch.tensor([0.0, 4.0], dtype=torch.float16)
    results = (
        torch.tensor([0.0, 4.0]),
        torch.from_numpy(np.array([0.0, 4.0])),
        half * 0.5,
        half + half.to(torch.bfloat16),
        pytorch.softmax(half),
    )
    return [torch.finfo(x.dtype).bits for x in results]


def fills():
    """Which of five fills a tensor of float16 refuses."""
    zeros, everywhere = torch.zeros(2, dtype=torch.float16), torch.tensor([True, True])
    refused = []
    for fill in (-1e4, -65504.0, -1e5, torch.finfo(torch.bfloat16).min, -torch.inf):
        try:
            zeros.masked_fill(everywhere, fill)
            refused.append(False)
        except RuntimeError:
            refused.append(True)
    return refused


def roundings():
    """By how many u the last of some stored outputs can be wrong, in four schemes."""
    in_turn = 1
    for _ in range(7):
        in_turn = max(in_turn, 1) + 1  # an average of both, rounded
    return [1, max(1, 1) + 1, max([1] * 8) + 1, in_turn]


def rounds_once(q, k, v):
    """softmax(q kᵀ / √d_k) v in float32, in the dtype that came in."""
    wide_q, wide_k, wide_v = q.float(), k.float(), v.float()
    scores = wide_q @ wide_k.mT * q.shape[-1] ** -0.5
    weights = torch.softmax(scores, dim=-1)
    return (weights @ wide_v).to(q.dtype)


def half_mean():
    """Two numbers whose sum is beyond 65504."""
    return ([40000.0, 40000.0],)
