"""The functions of `attnbook.reference` in PyTorch, with masks, positions, and modules of them.

Each has the equation, the arguments and the order of its twin. What is not finite stays out of its
products and comes back afterwards, so that a hidden NaN reaches no gradient either.
"""

from attnbook.pytorch import rules
from attnbook.pytorch.attention import (
    additive_attention,
    scaled_dot_product_attention,
    weighted_sum,
)
from attnbook.pytorch.caches import KVCache
from attnbook.pytorch.convert import (
    from_multihead,
    from_torch_mask,
    to_key_padding_mask,
    to_multihead,
    to_torch_mask,
)
from attnbook.pytorch.heads import merge_heads, multi_head_attention, repeat_heads, split_heads
from attnbook.pytorch.masks import (
    causal_mask,
    document_mask,
    padding_mask,
    prefix_mask,
    sliding_window_mask,
)
from attnbook.pytorch.modules import AdditiveAttention, DotProductAttention, MultiHeadAttention
from attnbook.pytorch.online import attention_with_lse, merge
from attnbook.pytorch.pages import PagedCache, Pages
from attnbook.pytorch.positions import (
    alibi_bias,
    frequencies,
    halves_from_neighbours,
    neighbours_from_halves,
    rope,
    rotate,
    sinusoidal,
    stretched,
    yarn,
)
from attnbook.pytorch.scores import (
    additive_scores,
    bilinear_scores,
    dot_product_scores,
    gaussian_scores,
    softcap,
)
from attnbook.pytorch.weights import logsumexp, masked_softmax, softmax
from attnbook.pytorch.window_cache import WindowCache

__all__ = [
    "AdditiveAttention",
    "DotProductAttention",
    "KVCache",
    "MultiHeadAttention",
    "PagedCache",
    "Pages",
    "WindowCache",
    "additive_attention",
    "additive_scores",
    "alibi_bias",
    "attention_with_lse",
    "bilinear_scores",
    "causal_mask",
    "document_mask",
    "dot_product_scores",
    "frequencies",
    "from_multihead",
    "from_torch_mask",
    "gaussian_scores",
    "halves_from_neighbours",
    "logsumexp",
    "masked_softmax",
    "merge",
    "merge_heads",
    "multi_head_attention",
    "neighbours_from_halves",
    "padding_mask",
    "prefix_mask",
    "repeat_heads",
    "rope",
    "rotate",
    "rules",
    "scaled_dot_product_attention",
    "sinusoidal",
    "sliding_window_mask",
    "softcap",
    "softmax",
    "split_heads",
    "stretched",
    "to_key_padding_mask",
    "to_multihead",
    "to_torch_mask",
    "weighted_sum",
    "yarn",
]
