"""Attention as modules: parameters, dropout on the weights, and nothing stored for plots.

All modules take queries, keys and values with a batch axis in front, valid lengths as in
`padding_mask`, and a boolean mask (True = may look). With both, a key is visible where both allow
it. A mask is (n_q, n_k) for all, or has all axes of the queries before these two; any axis may be
1. `MultiHeadAttention` makes its heads itself: there (batch, n_q, n_k) is for each sequence, the
same for its heads, and (batch, n_heads, n_q, n_k) for each head. Parameters start as those of
`torch.nn.Linear` do: uniform in ±1/√(input width).
"""

import torch
from jaxtyping import Bool, Integer
from torch import Tensor, nn

from attnbook.checks import divides
from attnbook.operation import call_state
from attnbook.pytorch.attention import weighted_sum
from attnbook.pytorch.heads import merge_heads, repeat_heads, split_heads
from attnbook.pytorch.masks import padding_mask
from attnbook.pytorch.operation import Float, check_and_cast, check_shapes, is_autocast
from attnbook.pytorch.scores import additive_scores, dot_product_scores
from attnbook.pytorch.weights import softmax

Lens = Integer[Tensor, "batch"] | Integer[Tensor, "batch n_q"] | None
Mask = Bool[Tensor, "#n_q #n_k"] | Bool[Tensor, "#batch *#heads #n_q #n_k"] | None
HeadMask = (
    Bool[Tensor, "#n_q #n_k"]
    | Bool[Tensor, "#batch #n_q #n_k"]
    | Bool[Tensor, "#batch #{self.n_heads} #n_q #n_k"]
    | None
)


class DotProductAttention(nn.Module):
    """Scaled dot-product attention with dropout on its weights.

        out = dropout(softmax(q kᵀ / √d_k)) v

    It has no parameters. Source: Vaswani et al. (2017), equation 1; dropout on the weights as in
    their code.
    """

    def __init__(self, dropout: float = 0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    @check_and_cast
    def forward(
        self,
        q: Float[Tensor, "batch *heads n_q d_k"],
        k: Float[Tensor, "batch *heads n_k d_k"],
        v: Float[Tensor, "batch *heads n_k d_v"],
        valid_lens: Lens = None,
        mask: Mask = None,
    ) -> Float[Tensor, "batch *heads n_q d_v"]:
        """The mixed values, of shape (batch, ..., n_q, d_v); zeros for a query that sees nothing.

        Raises TypeError for a wrong shape or dtype, ValueError for a valid length out of range.
        """
        weights = self.dropout(self.weights(q, k, valid_lens, mask))
        return weighted_sum(weights, v, _visible(valid_lens, mask, weights))

    @check_and_cast
    def weights(
        self,
        q: Float[Tensor, "batch *heads n_q d_k"],
        k: Float[Tensor, "batch *heads n_k d_k"],
        valid_lens: Lens = None,
        mask: Mask = None,
    ) -> Float[Tensor, "batch *heads n_q n_k"]:
        """The weights before dropout, of shape (batch, ..., n_q, n_k)."""
        scores = dot_product_scores(q, k)
        return softmax(scores, _visible(valid_lens, mask, scores))


class AdditiveAttention(nn.Module):
    """Additive attention, for queries and keys of two widths, with dropout on its weights.

        out = dropout(softmax(tanh(q W_q ⊕ k W_k) w_v)) v

    Parameters: three layers without bias, from d_q and from d_k to d_hidden and from there to 1.
    Source: Bahdanau, Cho and Bengio (2015), section A.1.2.
    """

    def __init__(self, d_q: int, d_k: int, d_hidden: int, dropout: float = 0.0):
        super().__init__()
        self.w_q = nn.Linear(d_q, d_hidden, bias=False)
        self.w_k = nn.Linear(d_k, d_hidden, bias=False)
        self.w_v = nn.Linear(d_hidden, 1, bias=False)
        self.dropout = nn.Dropout(dropout)

    @check_and_cast
    def forward(
        self,
        q: Float[Tensor, "batch *heads n_q {self.w_q.in_features}"],
        k: Float[Tensor, "batch *heads n_k {self.w_k.in_features}"],
        v: Float[Tensor, "batch *heads n_k d_v"],
        valid_lens: Lens = None,
        mask: Mask = None,
    ) -> Float[Tensor, "batch *heads n_q d_v"]:
        """The mixed values, of shape (batch, ..., n_q, d_v); zeros for a query that sees nothing.

        Raises TypeError for a wrong shape or dtype, ValueError for a valid length out of range.
        """
        weights = self.dropout(self.weights(q, k, valid_lens, mask))
        return weighted_sum(weights, v, _visible(valid_lens, mask, weights))

    @check_and_cast
    def weights(
        self,
        q: Float[Tensor, "batch *heads n_q {self.w_q.in_features}"],
        k: Float[Tensor, "batch *heads n_k {self.w_k.in_features}"],
        valid_lens: Lens = None,
        mask: Mask = None,
    ) -> Float[Tensor, "batch *heads n_q n_k"]:
        """The weights before dropout, of shape (batch, ..., n_q, n_k)."""
        w_q, w_k, w_v = (w.weight.to(q.dtype) for w in (self.w_q, self.w_k, self.w_v))
        scores = additive_scores(q, k, w_q.mT, w_k.mT, w_v[0])
        return softmax(scores, _visible(valid_lens, mask, scores))


class MultiHeadAttention(nn.Module):
    """Several heads of scaled dot-product attention, with dropout on their weights.

        out = merge(attention(split(q W_q), split(k W_k), split(v W_v))) W_o

    Parameters: four layers from d_model to d_model, with a bias or without. With `n_kv_heads` below
    `n_heads`, those of keys and values have n_kv_heads · d_model / n_heads columns, and several
    query heads share a key-value head, as in `multi_head_attention`.
    Source: Vaswani et al. (2017), section 3.2.2; shared keys and values: Ainslie et al. (2023).
    """

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        dropout: float = 0.0,
        bias: bool = False,
        n_kv_heads: int | None = None,
    ):
        super().__init__()
        self.n_heads = n_heads
        self.n_kv_heads = n_heads if n_kv_heads is None else n_kv_heads
        _refuse_unless_divisor("n_heads", self.n_heads, "d_model", d_model)
        _refuse_unless_divisor("n_kv_heads", self.n_kv_heads, "n_heads", n_heads)
        d_kv = d_model // n_heads * self.n_kv_heads
        self.w_q = nn.Linear(d_model, d_model, bias)
        self.w_k = nn.Linear(d_model, d_kv, bias)
        self.w_v = nn.Linear(d_model, d_kv, bias)
        self.w_o = nn.Linear(d_model, d_model, bias)
        self.dropout = nn.Dropout(dropout)

    @check_shapes
    def forward(
        self,
        q: Float[Tensor, "batch n_q {self.w_q.in_features}"],
        k: Float[Tensor, "batch n_k {self.w_q.in_features}"],
        v: Float[Tensor, "batch n_k {self.w_q.in_features}"],
        valid_lens: Lens = None,
        mask: HeadMask = None,
    ) -> Float[Tensor, "batch n_q {self.w_q.in_features}"]:
        """What all heads found, mixed, of shape (batch, n_q, d_model).

        Raises TypeError for a wrong shape or dtype, ValueError for a valid length out of range.
        """
        weights = self.dropout(self.weights(q, k, valid_lens, mask))
        v = self._shared(split_heads(_projected(self.w_v, v), self.n_kv_heads))
        heads = weighted_sum(weights, v, _visible(valid_lens, mask, weights))
        return self.w_o(merge_heads(heads))

    @check_shapes
    def weights(
        self,
        q: Float[Tensor, "batch n_q {self.w_q.in_features}"],
        k: Float[Tensor, "batch n_k {self.w_q.in_features}"],
        valid_lens: Lens = None,
        mask: HeadMask = None,
    ) -> Float[Tensor, "batch n_heads n_q n_k"]:
        """The weights before dropout, of shape (batch, n_heads, n_q, n_k)."""
        q = split_heads(_projected(self.w_q, q), self.n_heads)
        k = self._shared(split_heads(_projected(self.w_k, k), self.n_kv_heads))
        scores = dot_product_scores(q, k)
        return softmax(scores, _visible(valid_lens, mask, scores))

    def _shared(self, heads):
        """Each head of keys or values once for every query head that reads it."""
        times = self.n_heads // self.n_kv_heads
        return heads if times == 1 else repeat_heads(heads, times)

    def extra_repr(self):
        shared = "" if self.n_kv_heads == self.n_heads else f", n_kv_heads={self.n_kv_heads}"
        return f"n_heads={self.n_heads}{shared}"


def _refuse_unless_divisor(*given):
    with call_state.inside(MultiHeadAttention, cast=False):  # which an error names
        divides(*given)


def _visible(valid_lens, mask, scores):
    """Both masks as one, for scores of shape (batch, ..., n_q, n_k)."""
    mask = None if mask is None else _for_heads(mask, scores.ndim)
    if valid_lens is None:
        return mask
    padding = _for_heads(padding_mask(valid_lens, scores.shape[-1]), scores.ndim)
    return padding if mask is None else padding & mask


def _for_heads(mask, axes):
    """A mask for each sequence is the same for all of its heads."""
    missing = [None] * (axes - mask.ndim if mask.ndim > 2 else 0)
    return mask[(slice(None), *missing)]


def _projected(layer, x):
    """layer(x), in which a row with a number that is not finite is NaN, and in no gradient."""
    ours, theirs = layer.weight.dtype, x.dtype
    cast = is_autocast(x.device.type) and torch.float64 not in (ours, theirs)
    if ours != theirs and not cast:
        raise TypeError(
            f"the parameters are {ours} and an argument is {theirs}; expected "
            f"one dtype, as after layer.to({theirs})"
        )
    rows = torch.isfinite(x).all(dim=-1, keepdim=True)
    return torch.where(rows, layer(torch.where(rows, x, 0)), torch.nan)
