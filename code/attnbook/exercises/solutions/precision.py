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
