"""The block that a Transformer repeats: attention and dense layers, each added to what it read."""

import torch
from jaxtyping import Bool, Integer
from torch import Tensor, nn

from attnbook.checks import at_least, divides
from attnbook.pytorch.attention import scaled_dot_product_attention
from attnbook.pytorch.heads import merge_heads, split_heads
from attnbook.pytorch.modules import MultiHeadAttention
from attnbook.pytorch.operation import Float, check_shapes
from attnbook.pytorch.positions import frequencies, rope, stretched
from attnbook.pytorch.scores import dot_product_scores
from attnbook.pytorch.weights import softmax

Mask = Bool[Tensor, "#n #n"] | Bool[Tensor, "#batch #n #n"] | None
Positions = Integer[Tensor, "n"] | None


class SelfAttention(nn.Module):
    """Several heads in which a text reads itself; given positions, they are rotary.

        out = merge(attention(rope(split(x W_q)), rope(split(x W_k)), split(x W_v))) W_o

    Parameters: four layers from d_model to d_model without bias, named as in `MultiHeadAttention`.
    `stretch`, a factor and a method of `stretched`, may be set for texts longer than the trained.
    Raises ValueError if n_heads does not divide d_model.
    Source: Vaswani et al. (2017), section 3.2.2; Su et al. (2021) for the positions.
    """

    def __init__(self, d_model: int, n_heads: int):
        super().__init__()
        divides("n_heads", n_heads, "d_model", d_model)
        self.n_heads = n_heads
        self.stretch = 1.0, "linear"  # for texts longer than those of training: see `stretched`
        self.w_q = nn.Linear(d_model, d_model, bias=False)
        self.w_k = nn.Linear(d_model, d_model, bias=False)
        self.w_v = nn.Linear(d_model, d_model, bias=False)
        self.w_o = nn.Linear(d_model, d_model, bias=False)

    @check_shapes
    def heads(self, x: Float[Tensor, "batch n d_model"], positions: Positions = None):
        """Queries, keys and values of each head, (batch, n_heads, n, d_head), the first two turned.

        They are what a cache keeps: `positions` are those of x in the whole text.
        """
        q, k, v = (split_heads(w(x), self.n_heads) for w in (self.w_q, self.w_k, self.w_v))
        if positions is not None:
            pairs = frequencies(q.shape[-1] // 2 * 2, device=x.device)
            pairs = stretched(pairs, *self.stretch)
            q, k = (rope(heads, positions[None], pairs) for heads in (q, k))
        return q, k, v

    @check_shapes
    def forward(
        self, x: Float[Tensor, "batch n d_model"], mask: Mask = None, positions: Positions = None
    ) -> Float[Tensor, "batch n d_model"]:
        """What all heads found, mixed, of shape (batch, n, d_model)."""
        return self.w_o(merge_heads(self._found(x, mask, positions)))

    @check_shapes
    def written(
        self, x: Float[Tensor, "batch n d_model"], mask: Mask = None, positions: Positions = None
    ) -> Float[Tensor, "batch n_heads n d_model"]:
        """What each head adds on its own, (batch, n_heads, n, d_model); all add up to `forward`.

        written_h = found_h W_o,h    with those rows of W_o that meet the features of head h
        """
        found = self._found(x, mask, positions)
        return found @ self.w_o.weight.mT.unflatten(0, (self.n_heads, -1))

    @check_shapes
    def weights(
        self, x: Float[Tensor, "batch n d_model"], mask: Mask = None, positions: Positions = None
    ) -> Float[Tensor, "batch n_heads n n"]:
        """The weights, of shape (batch, n_heads, n, n)."""
        q, k, _ = self.heads(x, positions)
        return softmax(dot_product_scores(q, k), _for_heads(mask))

    def _found(self, x, mask, positions):
        return scaled_dot_product_attention(*self.heads(x, positions), _for_heads(mask))


class Block(nn.Module):
    """One block, with the norm before each part (pre-norm), and cross-attention if asked for.

        x = x + attention(norm(x))
        x = x + cross_attention(norm(x), source)    with ``cross=True``
        x = x + max(norm(x) W_1 + b_1, 0) W_2 + b_2

    The dense layers have `d_hidden` units, 4 · d_model if None is given; with 0 there are none.
    Raises ValueError if n_heads does not divide d_model, or d_hidden is negative.
    Source: Vaswani et al. (2017), section 3; Xiong et al. (2020) for the place of the norm.
    """

    def __init__(
        self, d_model: int, n_heads: int, d_hidden: int | None = None, cross: bool = False
    ):
        super().__init__()
        d_hidden = 4 * d_model if d_hidden is None else d_hidden
        at_least(0, d_hidden=d_hidden)
        self.norm_attention = nn.LayerNorm(d_model)
        self.attention = SelfAttention(d_model, n_heads)
        self.norm_cross = nn.LayerNorm(d_model) if cross else None
        self.cross = MultiHeadAttention(d_model, n_heads) if cross else None
        self.norm_dense = nn.LayerNorm(d_model) if d_hidden else None
        self.dense = _dense(d_model, d_hidden) if d_hidden else None

    def forward(self, x, mask=None, positions=None, source=None, source_lens=None):
        """x of shape (batch, n, d_model) with all that the parts add to it, of the same shape.

        `source`, (batch, n_k, d_model), is what cross-attention reads; (batch,) `source_lens` say
        how much of it is no padding.
        """
        x = x + self.attention(self.norm_attention(x), mask, positions)
        if self.cross is not None:
            x = x + self.cross(self.norm_cross(x), source, source, source_lens)
        return x if self.dense is None else x + self.dense(self.norm_dense(x))


def known_tokens(tokens, vocabulary):
    """Refuse tokens outside the vocabulary, where that costs no waiting for another device."""
    if tokens.device.type == "cpu" and not torch.compiler.is_compiling() and tokens.numel():
        low, high = int(tokens.min()), int(tokens.max())
        if low < 0 or high >= vocabulary:
            wrong = low if low < 0 else high
            raise ValueError(f"tokens has {wrong}; expected 0 to {vocabulary - 1}")


def _dense(d_model, d_hidden):
    return nn.Sequential(nn.Linear(d_model, d_hidden), nn.ReLU(), nn.Linear(d_hidden, d_model))


def _for_heads(mask):
    """A mask for each sequence is the same for all of its heads."""
    return mask if mask is None or mask.ndim == 2 else mask[:, None]
