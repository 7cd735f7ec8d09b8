"""FlexAttention: rules and masks as `mask_mod`, and what changes a score as `score_mod`.

A `mask_mod`, for `create_block_mask`, takes the numbers of a batch, a head, a query and a key, as
tensors, and says whether that query may look at that key; PyTorch's `and_masks` combines several. A
`score_mod` takes the score before them, and returns another.
"""

from collections.abc import Callable
from numbers import Integral

import torch
from jaxtyping import Bool
from torch import Tensor
from torch.nn.attention.flex_attention import BlockMask, and_masks

from attnbook.operation import Scalar
from attnbook.pytorch.operation import check_shapes
from attnbook.pytorch.rules import Rule

BLOCK = 128  # queries, and keys, of a block: as create_block_mask has it


@check_shapes
def mask_mod(
    rule: Rule, n_q: Integral, n_k: Integral, device: torch.device | str | None = None
) -> Callable:
    """A rule of `attnbook.pytorch.rules`, or several with ``&``, for so many queries and keys.

    Returns a mask_mod. Raises ValueError if a number is negative.
    """
    sees = rule.sees(n_q, n_k, device)
    return lambda b, h, i, j: sees(b, i, j)


@check_shapes
def mask_tensor(mask: Bool[Tensor, "batch heads n_q n_k"]) -> Callable:
    """A mask itself, any axis of which may be 1. Returns a mask_mod."""
    b_1, h_1, i_1, j_1 = (int(n > 1) for n in mask.shape)
    return lambda b, h, i, j: mask[b * b_1, h * h_1, i * i_1, j * j_1]


def softcap(cap: Scalar) -> Callable:
    """As `attnbook.pytorch.softcap`: cap · tanh(s / cap). Returns a score_mod."""
    written = repr(float(cap))  # a float that changes, PyTorch 2.15 refuses to compile

    def bent(s, b, h, i, j):
        return float(written) * torch.tanh(s / float(written))

    return bent


def alibi(n_heads: Integral, n_q: Integral, n_k: Integral) -> Callable:
    """With the bias of `alibi_bias`.

        s' = s - 2^(-8 (h + 1) / n_heads) · |j - (i + n_k - n_q)|

    Returns a score_mod.

    Source: Press, Smith and Lewis (2022), section 3.
    """

    def sloped(s, b, h, i, j):
        return s - torch.exp2(-8 * (h + 1) / n_heads) * torch.abs(j - (i + n_k - n_q))

    return sloped


def bias_tensor(bias: Tensor) -> Callable:
    """s + bias, of shape (batch, heads, n_q, n_k), any axis 1. Returns a score_mod."""
    b_1, h_1, i_1, j_1 = (int(n > 1) for n in bias.shape)
    return lambda s, b, h, i, j: s + bias[b * b_1, h * h_1, i * i_1, j * j_1]


def masked(*mask_mods: Callable) -> Callable:
    """-inf for the scores that these hide: a mask without blocks. Returns a score_mod."""
    seen = and_masks(*mask_mods)
    return lambda s, b, h, i, j: torch.where(seen(b, h, i, j), s, -torch.inf)


def in_turn(*score_mods: Callable) -> Callable | None:
    """One after the other. Returns a score_mod, None for none."""

    def all_of_them(s, b, h, i, j):
        for score_mod in score_mods:
            s = score_mod(s, b, h, i, j)
        return s

    return all_of_them if score_mods else None


def full_block_mask(
    n_q: Integral, n_k: Integral, device: torch.device | str | None = None
) -> BlockMask:
    """A BlockMask that shows everything, made without a look at any place.

    Without one FlexAttention takes a single block, and on a CPU that is held whole (PyTorch 2.13).
    """
    rows, columns = -(-n_q // BLOCK), -(-n_k // BLOCK)
    indices = torch.arange(columns, dtype=torch.int32, device=device).expand(1, 1, rows, columns)
    return BlockMask.from_kv_blocks(
        torch.full((1, 1, rows), columns, dtype=torch.int32, device=device),
        indices.contiguous(),
        BLOCK_SIZE=BLOCK,
        seq_lengths=(n_q, n_k),
    )


def visible_blocks(
    block_mask: BlockMask,
) -> tuple[Bool[Tensor, "batch heads rows columns"], Bool[Tensor, "batch heads rows columns"]]:
    """Of each block, whether something in it is visible, and whether all is.

    The same as `attnbook.online.visible_blocks`, from what FlexAttention keeps: lists of the
    partial blocks and of the full ones. Returns two boolean tensors of shape (batch, heads,
    blocks of queries, blocks of keys).
    """
    columns = -(-block_mask.seq_lengths[1] // block_mask.BLOCK_SIZE[1])
    partial = _listed(block_mask.kv_num_blocks, block_mask.kv_indices, columns)
    if block_mask.full_kv_num_blocks is None:
        return partial, torch.zeros_like(partial)
    full = _listed(block_mask.full_kv_num_blocks, block_mask.full_kv_indices, columns)
    return partial | full, full


def _listed(numbers, indices, columns):
    """True at the first `numbers` of the `indices` of each row."""
    named = torch.arange(indices.shape[-1], device=indices.device) < numbers[..., None]
    grid = torch.zeros(*indices.shape[:-1], columns, dtype=torch.int32, device=indices.device)
    grid.scatter_add_(-1, indices.to(torch.int64), named.to(torch.int32))
    return grid > 0
