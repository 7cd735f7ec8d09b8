"""Scores become weights."""

import torch
from jaxtyping import Bool, Integer
from torch import Tensor

from attnbook.pytorch.masks import padding_mask
from attnbook.pytorch.operation import Float, check_and_cast


@check_and_cast
def logsumexp(
    scores: Float[Tensor, "*batch n_k"], mask: Bool[Tensor, "*#batch #n_k"] | None = None
) -> Float[Tensor, "*batch"]:
    """The logarithm of the sum of the exponentials of each row.

        L = log Σ_j exp(s_j) = m + log Σ_j exp(s_j - m),    m = max_j s_j,  j visible

    Returns a tensor without the last axis: -inf where nothing is visible, with gradient 0.

    Source: Blanchard, Higham and Higham (2021), algorithm 4.1 without their index k. That the L of
    two parts make the L of the whole: Milakov and Gimelshein (2018), for attention Rabe and Staats
    (2021).

    >>> logsumexp(torch.tensor([1000.0, 1000.0], dtype=torch.float64))
    tensor(1000.6931, dtype=torch.float64)
    """
    shift, _, total = shifted_exp(scores, mask)
    # The slope of log at 0 is infinite, and the outer where sends it a 0: their product is NaN.
    log = torch.log(torch.where(total == 0, 1, total))
    return torch.squeeze(shift + torch.where(total == 0, -torch.inf, log), dim=-1)


@check_and_cast
def softmax(
    scores: Float[Tensor, "*batch n_k"], mask: Bool[Tensor, "*#batch #n_k"] | None = None
) -> Float[Tensor, "*batch n_k"]:
    """Turn each row of scores into weights that are positive and sum to one.

        A_j = exp(s_j - m) / Σ_l exp(s_l - m),    m = max_l s_l,  j and l visible

    Returns a tensor of the same shape: exactly 0 where the mask is False, and a row of zeros where
    nothing is visible (all masked, or all scores -inf). A row with a visible NaN or +inf has no
    weights: it has NaN at every visible key for a NaN, and for +inf at that key at least.

    Source: Bridle (1990); the shift by m as in Blanchard, Higham and Higham (2021).

    >>> softmax(torch.tensor([0.0, 0.0, 9.0]), torch.tensor([True, True, False]))
    tensor([0.5000, 0.5000, 0.0000])
    """
    _, exp, total = shifted_exp(scores, mask)
    weights = exp / torch.where(total == 0, 1, total)
    return weights if mask is None else torch.where(mask, weights, 0)


def softmax_with_lse(scores, mask):
    """What `softmax` and `logsumexp` give, from exponentials that are made once.

    In a row that sees a NaN, what the mask hides has weight NaN: `weighted_sum` leaves it out.
    """
    shift, exp, total = shifted_exp(scores, mask)
    above_0 = torch.where(total == 0, 1, total)  # at 0 the slope of log is infinite
    log = torch.where(total == 0, -torch.inf, torch.log(above_0))
    return exp / above_0, torch.squeeze(shift + log, dim=-1)


def shifted_exp(scores, mask):
    """A shift m per row, exp(s - m) and its sum: the three steps that softmax and lse share."""
    if mask is not None:
        scores = torch.where(mask, scores, -torch.inf)
    top = _row_max(scores.detach())  # no shift changes softmax or log-sum-exp
    shift = torch.where(torch.isfinite(top), top, 0)
    exp = torch.exp(scores - shift)
    return shift, exp, torch.sum(exp, dim=-1, keepdim=True)


def _row_max(scores):
    """The maximum of each row, -inf where there are no keys at all."""
    if scores.shape[-1] == 0:
        return scores.new_full((*scores.shape[:-1], 1), -torch.inf)
    return torch.amax(scores, dim=-1, keepdim=True)


@check_and_cast
def masked_softmax(
    scores: Float[Tensor, "batch *heads n_q n_k"],
    valid_lens: Integer[Tensor, "batch"] | Integer[Tensor, "batch n_q"] | None = None,
) -> Float[Tensor, "batch *heads n_q n_k"]:
    """Softmax over the first `valid_lens` keys of each row.

    `valid_lens` is None (every key is valid), of shape (batch,), one length per sequence, or of
    shape (batch, n_q), one per query.

    Returns weights of the shape of scores, (batch, ..., n_q, n_k): exactly 0 past the valid
    length; a row of length 0 is zeros. Raises ValueError if a length is negative or beyond n_k.
    """
    if valid_lens is None:
        return softmax(scores)
    mask = padding_mask(valid_lens, scores.shape[-1])
    heads = [1] * (scores.ndim - 3)
    return softmax(scores, mask.reshape(len(mask), *heads, *mask.shape[1:]))
