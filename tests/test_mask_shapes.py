"""What a mask of each shape means: for all, for sequences, for heads, and where an axis is 1."""

import numpy as np
import pytest
import torch
from libraries import BOTH, ones, taken_by, tensor
from test_arguments import refusal
from test_twins import tensors

from attnbook import pytorch, reference

attend = pytorch.scaled_dot_product_attention
MASKS = [(3, 5), (2, 3, 5), (1, 1, 5), (2, 2, 3, 5), (2, 1, 1, 5), (1, 2, 3, 5)]


@pytest.mark.parametrize("shape", [(3, 1), (1, 5), (1, 1), (2, 3, 1)])
def test_an_axis_of_a_mask_may_be_1_and_a_nan_stays_with_who_sees_it(shape):
    q, k, v = tensors("scaled_dot_product_attention")
    shown = torch.rand(shape, generator=torch.Generator().manual_seed(4)) < 0.5
    v[..., 2, 0] = torch.nan
    whole = shown.expand(*v.shape[:-2], 3, 5)
    out = attend(q, k, v, shown)
    assert torch.allclose(out, attend(q, k, v, whole), rtol=1e-13, equal_nan=True)
    assert torch.equal(out[..., 0].isnan(), whole[..., 2])


@BOTH
@pytest.mark.parametrize("shape", MASKS, ids=str)
def test_a_mask_of_each_rank_has_one_meaning_where_heads_are_made_inside(library, shape):
    """There are as many heads as sequences, so that no shape gives the meaning away."""
    rng = np.random.default_rng(0)
    q, k, v = (rng.normal(size=(2, n, 8)) for n in (3, 5, 5))
    w = rng.normal(size=(4, 8, 8))
    mask = rng.random(shape) < 0.6
    full = {2: mask, 3: mask[:, None] if mask.ndim == 3 else None, 4: mask}[mask.ndim]
    heads = [reference.split_heads(x @ m, 2) for x, m in zip((q, k, v), w, strict=False)]
    mixed = reference.scaled_dot_product_attention(*heads, mask=full)
    expected = reference.merge_heads(mixed) @ w[3]
    *given, shown = taken_by(library, q, k, v, *w, mask)
    out = library.multi_head_attention(*given, n_heads=2, mask=shown)
    np.testing.assert_allclose(out, expected, rtol=1e-12, atol=1e-12)
    layer = pytorch.MultiHeadAttention(8, 2).double()
    for part, matrix in zip((layer.w_q, layer.w_k, layer.w_v, layer.w_o), w, strict=True):
        part.weight.data = torch.from_numpy(matrix.T.copy())
    out = layer(*map(tensor, (q, k, v)), mask=tensor(mask))
    np.testing.assert_allclose(out.detach(), expected, rtol=1e-12, atol=1e-12)


@BOTH
def test_a_mask_with_some_batch_axes_is_refused(library):
    """It could be for each sequence or for each head."""
    q, mask = ones(library, 2, 2, 3, 4), ones(library, 2, 3, 3, dtype=bool)
    said = refusal(library.scaled_dot_product_attention, q, q, q, mask)
    assert said.endswith("expected shape (3, 3) or (2, 2, 3, 3), where any axis may be 1")


@BOTH
def test_axes_of_one_in_front_of_a_mask_for_all_mean_nothing(library):
    q, mask = ones(library, 2, 2, 3, 4), ones(library, 3, 3, dtype=bool)
    out = library.scaled_dot_product_attention(q, q, q, mask)
    assert (library.scaled_dot_product_attention(q, q, q, mask[None]) == out).all()


def test_a_module_names_its_own_mask():
    x, mask = torch.ones(2, 3, 8), torch.ones(2, 3, 3, 3, dtype=torch.bool)
    said = refusal(pytorch.MultiHeadAttention(8, 2), x, x, x, mask=mask)
    assert said.startswith("MultiHeadAttention.forward: mask is bool tensor of shape (2, 3, 3, 3)")
    each = "shape (3, 3) or (2, 3, 3) or (2, 2, 3, 3), where any axis may be 1"
    assert said.endswith(f"; expected {each}")
    x = torch.ones(2, 2, 3, 8)
    said = refusal(pytorch.DotProductAttention(), x, x, x, mask=mask[:, 0])
    assert said.startswith("DotProductAttention.forward: mask is bool tensor of shape (2, 3, 3)")


@BOTH
def test_a_mask_for_each_sequence_is_for_all_its_heads_with_any_batch_axes(library):
    rng = np.random.default_rng(0)
    x, w, mask = (rng.normal(size=shape) for shape in ((2, 3, 5, 8), (8, 8), (2, 3, 5, 5)))
    x, w, mask = taken_by(library, x, w, mask < 0.5)
    out = library.multi_head_attention(x, x, x, w, w, w, w, 2, mask)
    for i, j in np.ndindex(2, 3):
        one = library.multi_head_attention(*(3 * [x[i, j]]), w, w, w, w, 2, mask[i, j])
        np.testing.assert_allclose(out[i, j], one, rtol=1e-12, atol=1e-12)
