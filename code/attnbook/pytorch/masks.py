"""Which query may look at which key: `attnbook.masks`, on tensors.

Where `rules` has a rule of sizes alone, the mask is made of it.
"""

from numbers import Integral

import torch
from jaxtyping import Bool, Integer
from torch import Tensor

from attnbook.checks import at_least, at_most
from attnbook.pytorch import rules
from attnbook.pytorch.operation import check_shapes
from attnbook.pytorch.rules import refuse_lengths


@check_shapes
def padding_mask(
    valid_lens: Integer[Tensor, "batch"] | Integer[Tensor, "batch n_q"], n_k: Integral
) -> Bool[Tensor, "batch rows n_k"]:
    """Hide the keys past each sequence's valid length: M_bij = (j < valid_lens_b).

    `valid_lens` is one length per sequence, shape (batch,), or one per query, (batch, n_q); padding
    counts among the n_k keys.

    Returns a boolean tensor of shape (batch, 1, n_k), or (batch, n_q, n_k) with one length per
    query, on the device of valid_lens. Raises ValueError if a length is negative or larger than
    n_k: on the CPU alone, and not under `torch.compile` or vmap, since a program would wait for
    another device to know a number of it.
    """
    at_least(0, n_k=n_k)
    refuse_lengths(valid_lens, n_k)
    lens = valid_lens[:, None, None] if valid_lens.ndim == 1 else valid_lens[:, :, None]
    return torch.arange(n_k, device=valid_lens.device) < lens


@check_shapes
def causal_mask(
    n_q: Integral, n_k: Integral, device: torch.device | str | None = None
) -> Bool[Tensor, "n_q n_k"]:
    """Hide the future: M_ij = (j ≤ i + n_k - n_q). The last query sees the last key.

    Returns a boolean tensor of shape (n_q, n_k). Raises ValueError if a number is negative.

    >>> causal_mask(2, 3)
    tensor([[ True,  True, False],
            [ True,  True,  True]])
    """
    return rules.causal().mask(n_q, n_k, device)


@check_shapes
def sliding_window_mask(
    n_q: Integral,
    n_k: Integral,
    left: Integral,
    right: Integral = 0,
    device: torch.device | str | None = None,
) -> Bool[Tensor, "n_q n_k"]:
    """Show the `left` keys before a query's own position, its own, and the `right` after it.

    M_ij = (-left ≤ j - (i + n_k - n_q) ≤ right). With right = 0 a query sees left + 1 keys, the
    window of causal models.

    Returns a boolean tensor of shape (n_q, n_k). Raises ValueError if a number is negative.

    Source: Beltagy et al. (2020), section 3.1.
    """
    return rules.sliding_window(left, right).mask(n_q, n_k, device)


@check_shapes
def prefix_mask(
    n_q: Integral, n_k: Integral, prefix_len: Integral, device: torch.device | str | None = None
) -> Bool[Tensor, "n_q n_k"]:
    """Causal, but every query sees all of the first `prefix_len` keys.

    M_ij = (j < prefix_len) or (j ≤ i + n_k - n_q).

    Returns a boolean tensor of shape (n_q, n_k). Raises ValueError if a number is negative or the
    prefix is longer than n_k.

    Source: Raffel et al. (2020), figure 3, "causal with prefix".
    """
    rule = rules.prefix(prefix_len)
    at_most("n_k", n_k, prefix_len=prefix_len)
    return rule.mask(n_q, n_k, device)


@check_shapes
def document_mask(
    q_documents: Integer[Tensor, "*batch n_q"], k_documents: Integer[Tensor, "*batch n_k"]
) -> Bool[Tensor, "*batch n_q n_k"]:
    """Keep documents that are packed into one row apart: M_ij = (document of i = document of j).

    Returns a boolean tensor of shape (..., n_q, n_k), on the device of the documents.
    """
    return q_documents[..., :, None] == k_documents[..., None, :]


def steps_ahead(n_q, n_k, device):
    """How far key j lies ahead of query i's own position: j - (i + n_k - n_q)."""
    at_least(0, n_q=n_q, n_k=n_k)
    own = torch.arange(n_q, device=device)[:, None] + n_k - n_q
    return torch.arange(n_k, device=device) - own
