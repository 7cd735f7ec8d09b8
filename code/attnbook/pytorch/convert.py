"""Masks and weights, to and from `torch.nn.MultiheadAttention`.

`torch.nn.functional.scaled_dot_product_attention` needs no converter: in its boolean mask, as in
ours, True = may look. In the masks of `MultiheadAttention`, True = hidden.
"""

from numbers import Integral

import torch
from jaxtyping import Bool, Integer
from torch import Tensor, nn

from attnbook.pytorch.masks import padding_mask
from attnbook.pytorch.modules import MultiHeadAttention
from attnbook.pytorch.operation import check_shapes


@check_shapes
def from_torch_mask(
    attn_mask: Bool[Tensor, "n_q n_k"] | None = None,
    key_padding_mask: Bool[Tensor, "batch n_k"] | None = None,
) -> Bool[Tensor, "n_q n_k"] | Bool[Tensor, "batch rows n_k"] | None:
    """Our mask from the two of `MultiheadAttention`: visible where neither hides.

    Returns a mask of shape (n_q, n_k), or (batch, n_q or 1, n_k) with a padding mask; None for two
    times None. Raises TypeError for a float mask, which is a bias.

    >>> from_torch_mask(torch.tensor([[False, True]]))
    tensor([[ True, False]])
    """
    if key_padding_mask is None:
        return None if attn_mask is None else ~attn_mask
    visible = ~key_padding_mask[:, None, :]
    return visible if attn_mask is None else visible & ~attn_mask


@check_shapes
def to_torch_mask(
    mask: Bool[Tensor, "rows n_k"]
    | Bool[Tensor, "batch rows n_k"]
    | Bool[Tensor, "batch #{n_heads} rows n_k"],
    n_heads: Integral,
    n_q: Integral | None = None,
) -> Bool[Tensor, "n_q n_k"] | Bool[Tensor, "batch_heads n_q n_k"]:
    """The `attn_mask` of `MultiheadAttention` from our mask.

    Returns a mask in which True = hidden, of shape (n_q, n_k), or (batch · n_heads, n_q, n_k),
    where the heads of one sequence lie beside each other. Theirs must have all of its rows: where
    ours has one for all queries, as a padding mask has, `n_q` says how many that is; otherwise it
    is n_k, as in self-attention.

    >>> to_torch_mask(torch.tensor([[True, False], [True, True]]), n_heads=2)
    tensor([[False,  True],
            [False, False]])
    """
    if mask.shape[-2] == 1:
        rows = mask.shape[-1] if n_q is None else n_q
        mask = mask.expand(*mask.shape[:-2], rows, mask.shape[-1])
    if mask.ndim == 2:
        return ~mask
    by_head = mask if mask.ndim == 4 else mask[:, None]
    return ~by_head.expand(-1, n_heads, -1, -1).flatten(0, 1)


@check_shapes
def to_key_padding_mask(
    valid_lens: Integer[Tensor, "batch"], n_k: int
) -> Bool[Tensor, "batch n_k"]:
    """The `key_padding_mask` of `MultiheadAttention` from valid lengths: True = padding.

    >>> to_key_padding_mask(torch.tensor([1, 3]), 3)
    tensor([[False,  True,  True],
            [False, False, False]])
    """
    return ~padding_mask(valid_lens, n_k)[:, 0]


@check_shapes
def from_multihead(theirs: nn.MultiheadAttention) -> MultiHeadAttention:
    """Our module with a copy of the weights of theirs.

    Raises ValueError if theirs has what ours has not: keys or values of another width, or learned
    or zero keys added to each sequence; or if its batch is its second axis, which ours would take
    for positions without a word.
    """
    if not theirs.batch_first:
        raise ValueError(
            "batch_first is False; expected True, as ours has the batch in front: "
            "set it on a module that you call in place of ours, and transpose its inputs"
        )
    if theirs.in_proj_weight is None or theirs.bias_k is not None or theirs.add_zero_attn:
        raise ValueError(
            "the module has kdim, vdim, add_bias_kv or add_zero_attn; expected one without"
        )
    bias = theirs.in_proj_bias is not None
    ours = MultiHeadAttention(theirs.embed_dim, theirs.num_heads, theirs.dropout, bias)
    _copy_state(theirs, ours, _ours_from_theirs(theirs.state_dict()))
    return ours


@check_shapes
def to_multihead(ours: MultiHeadAttention) -> nn.MultiheadAttention:
    """A `torch.nn.MultiheadAttention`, batch first, with a copy of our weights.

    Raises ValueError if heads of ours share keys and values, which theirs cannot.
    """
    if ours.n_kv_heads != ours.n_heads:
        raise ValueError(
            f"n_kv_heads is {ours.n_kv_heads}; expected n_heads = {ours.n_heads}, "
            "as each head of nn.MultiheadAttention has keys and values of its own"
        )
    bias = ours.w_o.bias is not None
    theirs = nn.MultiheadAttention(
        ours.w_o.in_features, ours.n_heads, ours.dropout.p, bias, batch_first=True
    )
    _copy_state(ours, theirs, _theirs_from_ours(ours.state_dict()))
    return theirs


def _ours_from_theirs(state):
    """Theirs keep the projections of q, k and v in one matrix, one below the other."""
    names = {"in_proj_weight": "weight", "in_proj_bias": "bias"}
    joint = {new: state[old].chunk(3) for old, new in names.items() if old in state}
    split = {
        f"w_{x}.{name}": parts[i] for name, parts in joint.items() for i, x in enumerate("qkv")
    }
    out = {f"w_o.{name}": state[f"out_proj.{name}"] for name in joint}
    return split | out


def _theirs_from_ours(state):
    names = [name for name in ("weight", "bias") if f"w_o.{name}" in state]
    joint = {
        f"in_proj_{name}": torch.cat([state[f"w_{x}.{name}"] for x in "qkv"]) for name in names
    }
    out = {f"out_proj.{name}": state[f"w_o.{name}"] for name in names}
    return joint | out


def _copy_state(source, target, state):
    """Load a state, on the device, in the dtype and in the mode of its source."""
    weight = next(source.parameters())
    target.to(weight.device, weight.dtype).train(source.training).load_state_dict(state)
