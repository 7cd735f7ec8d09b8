"""A Transformer taken apart by heads: their matrices, what each writes, and runs without one."""

import torch
from jaxtyping import Integer
from torch import Tensor

from attnbook.models.blocks import SelfAttention
from attnbook.models.transformer import Transformer
from attnbook.pytorch.operation import Float

Replaced = dict[tuple[int, int], Tensor]


def head_matrices(attention: SelfAttention, head: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """W_Q, W_K and W_V of one head, (d_model, d_k) each, and its W_O, (d_k, d_model).

        head(x) = softmax(x W_Q (x W_K)ᵀ / √d_k) x W_V W_O

    is what the head adds to the stream, if no position turns its queries and keys.
    Raises ValueError if there is no such head.

    Source: Elhage et al. (2021), "Attention heads as information movement".
    """
    _known("head", head, attention.n_heads)
    w_q, w_k, w_v = (
        w.weight.unflatten(0, (attention.n_heads, -1))[head].mT
        for w in (attention.w_q, attention.w_k, attention.w_v)
    )
    return w_q, w_k, w_v, attention.w_o.weight.unflatten(1, (attention.n_heads, -1))[:, head].mT


def heads_of(
    model: Transformer, tokens: Integer[Tensor, "batch n"], replaced: Replaced | None = None
) -> Float[Tensor, "n_layers batch n_heads n d_model"]:
    """What each head adds to the stream, of shape (n_layers, batch, n_heads, n, d_model).

    In each layer the sum over heads is what attention adds. `replaced` is that of `logits_with`.
    """
    return _run(model, tokens, replaced or {})[0]


def logits_with(
    model: Transformer, tokens: Integer[Tensor, "batch n"], replaced: Replaced
) -> Float[Tensor, "batch n vocabulary"]:
    """The logits if some heads add something else to the stream than what they have found.

        x = x + Σ_h (replaced_h if there is one, else head_h(norm(x)))

    `replaced` has for a pair (layer, head), both counted from 0, a tensor that broadcasts to
    (batch, n, d_model): zeros or a mean for an ablation, the head's output on another text for a
    patch. Later layers read the changed stream. Raises ValueError if there is no such head.

    Source: Olsson et al. (2022), argument 3, for a head that is left out; Meng et al. (2022),
    section 2.1, for what another text has brought forth.
    """
    return _run(model, tokens, replaced)[1]


def _run(model, tokens, replaced):
    """What all heads add to the stream, and the logits."""
    for layer, head in replaced:
        _known("layer", layer, len(model.blocks))
        _known("head", head, model.blocks[layer].attention.n_heads)
    x, mask, positions = model.start(tokens)
    kept = []
    for layer, block in enumerate(model.blocks):
        written = block.attention.written(block.norm_attention(x), mask, positions)
        for (at, head), other in replaced.items():
            if at == layer:
                written[:, head] = other
        kept.append(written)
        x = x + written.sum(dim=1)
        x = x if block.dense is None else x + block.dense(block.norm_dense(x))
    return torch.stack(kept), model.logits(model.norm(x))


def _known(name, number, n):
    if not 0 <= number < n:
        raise ValueError(f"{name} is {number}; expected 0 to {n - 1}")
