"""Which query may look at which key.

A mask is a boolean array with one row per query and one column per key. True means "may look".
Masks compose with ``&``: a key is visible where every mask allows it.
Where n_q and n_k differ, the last query stands at the last key: query i at key i + n_k - n_q.
"""

from numbers import Integral

import numpy as np
from jaxtyping import Bool, Integer

from attnbook.checks import at_least, at_most
from attnbook.operation import Array, check_shapes


@check_shapes
def padding_mask(
    valid_lens: Integer[Array, "batch"] | Integer[Array, "batch n_q"], n_k: Integral
) -> Bool[Array, "batch rows n_k"]:
    """Hide the keys past each sequence's valid length: M_bij = (j < valid_lens_b).

    `valid_lens` is one length per sequence, shape (batch,), or one per query, (batch, n_q); padding
    counts among the n_k keys.

    Returns a boolean array of shape (batch, 1, n_k), or (batch, n_q, n_k) with one length per
    query. Raises ValueError if a length is negative or larger than n_k.
    """
    at_least(0, n_k=n_k)
    refuse_lengths(valid_lens, n_k)
    lens = valid_lens[:, None, None] if valid_lens.ndim == 1 else valid_lens[:, :, None]
    return np.arange(n_k) < lens


@check_shapes
def causal_mask(n_q: Integral, n_k: Integral) -> Bool[Array, "n_q n_k"]:
    """Hide the future: M_ij = (j ≤ i + n_k - n_q). The last query sees the last key.

    Returns a boolean array of shape (n_q, n_k). Raises ValueError if a number is negative.

    >>> causal_mask(2, 3)
    array([[ True,  True, False],
           [ True,  True,  True]])
    """
    return steps_ahead(n_q, n_k) <= 0


@check_shapes
def sliding_window_mask(
    n_q: Integral, n_k: Integral, left: Integral, right: Integral = 0
) -> Bool[Array, "n_q n_k"]:
    """Show the `left` keys before a query's own position, its own, and the `right` after it.

    M_ij = (-left ≤ j - (i + n_k - n_q) ≤ right). With right = 0 a query sees left + 1 keys, the
    window of causal models.

    Returns a boolean array of shape (n_q, n_k). Raises ValueError if a number is negative.

    Source: Beltagy et al. (2020), section 3.1.

    >>> sliding_window_mask(3, 3, left=1)
    array([[ True, False, False],
           [ True,  True, False],
           [False,  True,  True]])
    """
    at_least(0, left=left, right=right)
    ahead = steps_ahead(n_q, n_k)
    left, right = min(left, n_k), min(right, n_q)  # no key lies farther
    return (-left <= ahead) & (ahead <= right)


@check_shapes
def prefix_mask(n_q: Integral, n_k: Integral, prefix_len: Integral) -> Bool[Array, "n_q n_k"]:
    """Causal, but every query sees all of the first `prefix_len` keys.

    M_ij = (j < prefix_len) or (j ≤ i + n_k - n_q).

    Returns a boolean array of shape (n_q, n_k). Raises ValueError if a number is negative or the
    prefix is longer than n_k.

    Source: Raffel et al. (2020), figure 3, "causal with prefix".
    """
    at_least(0, prefix_len=prefix_len)
    at_most("n_k", n_k, prefix_len=prefix_len)
    return (np.arange(n_k) < prefix_len) | causal_mask(n_q, n_k)


@check_shapes
def document_mask(
    q_documents: Integer[Array, "*batch n_q"], k_documents: Integer[Array, "*batch n_k"]
) -> Bool[Array, "*batch n_q n_k"]:
    """Keep documents that are packed into one row apart: M_ij = (document of i = document of j).

    Returns a boolean array of shape (..., n_q, n_k).

    >>> document_mask(np.array([0, 0, 1]), np.array([0, 0, 1]))
    array([[ True,  True, False],
           [ True,  True, False],
           [False, False,  True]])
    """
    return q_documents[..., :, None] == k_documents[..., None, :]


def steps_ahead(n_q, n_k):
    """How far key j lies ahead of query i's own position: j - (i + n_k - n_q)."""
    at_least(0, n_q=n_q, n_k=n_k)
    return np.arange(n_k) - (np.arange(n_q)[:, None] + n_k - n_q)


def refuse_lengths(valid_lens, n_k):
    """Refuse lengths that are negative or larger than n_k."""
    outside = valid_lens[(valid_lens < 0) | (valid_lens > n_k)]
    if outside.size:
        raise ValueError(f"valid_lens has {outside[0]}; expected 0 to n_k = {n_k}")
