"""Which query may look at which key: `attnbook.masks`, on tensors."""

from numbers import Integral

import torch
from jaxtyping import Bool, Integer
from torch import Tensor

from attnbook.pytorch.operation import checked


@checked
def padding_mask(
    valid_lens: Integer[Tensor, "batch"] | Integer[Tensor, "batch n_q"], n_k: Integral
) -> Bool[Tensor, "batch rows n_k"]:
    """Hide the keys past each sequence's valid length: M_bij = (j < valid_lens_b).

    Parameters
    ----------
    valid_lens
        One length per sequence, shape (batch,), or one per query, shape (batch, n_q).
    n_k
        Number of keys, padding included.

    Returns
    -------
    Boolean tensor of shape (batch, 1, n_k), or (batch, n_q, n_k) with one length per query, on the
    device of valid_lens.

    Raises
    ------
    ValueError
        If a length is negative or larger than n_k. Under `torch.compile` this is not checked.
    """
    _count("n_k", n_k)
    if not torch.compiler.is_compiling():
        outside = valid_lens[(valid_lens < 0) | (valid_lens > n_k)]
        if outside.numel():
            raise ValueError(
                f"padding_mask: valid_lens has {outside[0]}; expected 0 to n_k = {n_k}"
            )
    lens = valid_lens[:, None, None] if valid_lens.ndim == 1 else valid_lens[:, :, None]
    return torch.arange(n_k, device=valid_lens.device) < lens


@checked
def causal_mask(
    n_q: Integral, n_k: Integral, device: torch.device | str | None = None
) -> Bool[Tensor, "n_q n_k"]:
    """Hide the future: M_ij = (j ≤ i + n_k - n_q). The last query sees the last key.

    Returns a boolean tensor of shape (n_q, n_k). Raises ValueError if a number is negative.

    >>> causal_mask(2, 3)
    tensor([[ True,  True, False],
            [ True,  True,  True]])
    """
    _count("n_q", n_q)
    _count("n_k", n_k)
    places = torch.arange(n_q, device=device)[:, None] + n_k - n_q
    return torch.arange(n_k, device=device) <= places


def _count(name, value):
    if value < 0:
        raise ValueError(f"{name} is {value}; expected 0 or more")
