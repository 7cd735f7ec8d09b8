"""Heads of queries that share heads of keys and values, against loops and against torch."""

import functools
import re

import loops
import numpy as np
import pytest
import torch
from both_positions import on_tensors
from draw import assert_close, mask, matrices
from test_learned_scores import theirs
from torch.nn.functional import scaled_dot_product_attention as sdpa
from wrong_versions import put

from attnbook import pytorch, reference

HEADS, WIDTH = 4, 2
D_MODEL = HEADS * WIDTH
every_sharing = pytest.mark.parametrize("n_kv_heads", [1, 2, 4])
BOTH = pytest.mark.parametrize("library", [reference, pytorch], ids=["numpy", "torch"])


def drawn(n_kv_heads, batch=(2,)):
    """Queries, keys and values of width 8, and the four matrices."""
    rng = np.random.default_rng(5)
    d_kv = n_kv_heads * WIDTH
    sizes = (D_MODEL, D_MODEL), (D_MODEL, d_kv), (D_MODEL, d_kv), (D_MODEL, D_MODEL)
    inputs = [rng.standard_normal((*batch, n, D_MODEL)) for n in (3, 5, 5)]
    return *inputs, *matrices(np.float64, *sizes)


def in_loops(q, k, v, w_q, w_k, w_v, w_o, n_kv_heads, visible):
    """One sequence: head h of the queries reads columns of head h // group, written out."""
    group, heads = HEADS // n_kv_heads, []

    def piece(x, w, head):
        columns = w.T.tolist()[WIDTH * head : WIDTH * (head + 1)]
        return [[loops.dot(row, column) for column in columns] for row in x.tolist()]

    for h in range(HEADS):
        parts = piece(q, w_q, h), piece(k, w_k, h // group), piece(v, w_v, h // group)
        heads.append(loops.attention(*parts, visible, np.zeros((3, 5)).tolist()))
    merged = [[x for head in heads for x in head[i]] for i in range(3)]
    return [[loops.dot(row, column) for column in w_o.T.tolist()] for row in merged]


@every_sharing
def test_shared_heads_are_the_equation_in_loops(n_kv_heads):
    given, causal = drawn(n_kv_heads, ()), np.tri(3, 5, 2, dtype=bool)
    out = reference.multi_head_attention(*given, HEADS, causal, n_kv_heads)
    assert_close(out, in_loops(*given, n_kv_heads, causal.tolist()))


@every_sharing
def test_shared_heads_are_multihead_attention_of_torch_with_their_columns_written_again(n_kv_heads):
    q, k, v, w_q, w_k, w_v, w_o = drawn(n_kv_heads)
    causal = np.tri(3, 5, 2, dtype=bool)
    order = [h // (HEADS // n_kv_heads) for h in range(HEADS)]
    columns = [WIDTH * head + c for head in order for c in range(WIDTH)]
    expected = theirs(q, k, v, w_q, w_k[:, columns], w_v[:, columns], w_o, HEADS, causal)
    out = reference.multi_head_attention(
        q, k, v, w_q, w_k, w_v, w_o, HEADS, causal, n_kv_heads=n_kv_heads
    )
    assert_close(out, expected)


def grouped_in_torch(given, shown):
    """torch's own grouped attention; `unflatten` and `transpose` make its heads."""
    q, k, v, *w, w_o = map(torch.from_numpy, given)
    heads = [
        (x @ m).unflatten(-1, (-1, WIDTH)).transpose(-2, -3)
        for x, m in zip((q, k, v), w, strict=True)
    ]
    out = sdpa(*heads, attn_mask=torch.from_numpy(shown), enable_gqa=True)
    return out.transpose(-2, -3).flatten(-2) @ w_o


@every_sharing
@BOTH
def test_shared_heads_are_the_grouped_attention_of_torch(library, n_kv_heads):
    given, shown = drawn(n_kv_heads), np.tri(3, 5, 2, dtype=bool)
    arrays = given if library is reference else map(torch.from_numpy, given)
    seen = shown if library is reference else torch.from_numpy(shown)
    out = library.multi_head_attention(*arrays, HEADS, seen, n_kv_heads)
    assert_close(np.asarray(out), grouped_in_torch(given, shown))


@pytest.mark.parametrize("times", [1, 3])
@BOTH
def test_each_head_stands_in_a_row_as_often_as_it_is_read(library, times):
    x = np.arange(2 * 2 * 3 * 2.0).reshape(2, 2, 3, 2)
    out = library.repeat_heads(x if library is reference else torch.from_numpy(x), times)
    assert out.shape == (2, 2 * times, 3, 2)
    for b, h in np.ndindex(2, 2 * times):
        assert np.array_equal(out[b, h], x[b, h // times])


@BOTH
def test_without_a_number_each_head_has_its_own(library):
    given = drawn(HEADS) if library is reference else [*map(torch.from_numpy, drawn(HEADS))]
    plain = library.multi_head_attention(*given, HEADS)
    assert (plain == library.multi_head_attention(*given, HEADS, n_kv_heads=HEADS)).all()


@every_sharing
def test_a_mask_for_each_head_is_for_each_head_of_the_queries(n_kv_heads):
    given, shown = drawn(n_kv_heads), mask((2, HEADS))
    out = reference.multi_head_attention(*given, HEADS, shown, n_kv_heads)
    shown[..., 0, :] = True  # torch has no answer where nothing is visible
    full = reference.multi_head_attention(*given, HEADS, shown, n_kv_heads)
    assert_close(full, grouped_in_torch(given, shown))
    assert not out[:, 0].any() and np.array_equal(out[:, 1:], full[:, 1:])


@every_sharing
def test_gradients_reach_shared_heads(n_kv_heads):
    leaves = [torch.from_numpy(x).requires_grad_() for x in drawn(n_kv_heads, ())]
    attend = functools.partial(pytorch.multi_head_attention, n_heads=HEADS, n_kv_heads=n_kv_heads)
    assert torch.autograd.gradcheck(attend, leaves)


REFUSED = [
    (4, 2, 3, "n_kv_heads is 3; expected a divisor of n_heads = 4"),
    (4, 2, 0, "n_kv_heads is 0; expected a divisor of n_heads = 4"),
    (4, 2, -2, "n_kv_heads is -2; expected a divisor of n_heads = 4"),
    (2, 2, 4, "n_kv_heads is 4; expected a divisor of n_heads = 2"),
    (4, 2, 1, "w_k and w_v have 4 columns; expected n_kv_heads · d_head = 1 · 2"),
    (4, 2, None, "w_k and w_v have 4 columns; expected n_kv_heads · d_head = 4 · 2"),
    (3, 4, 1, "n_heads is 3; expected a divisor of d_model = 8"),
]


@pytest.mark.parametrize(("n_heads", "made_for", "n_kv_heads", "said"), REFUSED)
@BOTH
def test_heads_that_cannot_be_shared_are_refused(library, n_heads, made_for, n_kv_heads, said):
    given = drawn(made_for)
    given = given if library is reference else [*map(torch.from_numpy, given)]
    with pytest.raises(ValueError, match=re.escape(said)) as caught:
        library.multi_head_attention(*given, n_heads, n_kv_heads=n_kv_heads)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("times", [0, -1])
@BOTH
def test_no_head_is_repeated_less_than_once(library, times):
    x = np.ones((2, 3, 4)) if library is reference else torch.ones(2, 3, 4)
    with pytest.raises(ValueError, match=f"repeat_heads: times is {times}; expected 1 or more"):
        library.repeat_heads(x, times)


@pytest.mark.parametrize("w_v_columns", [2, 8])
def test_keys_and_values_have_the_same_heads(w_v_columns):
    q, k, v, w_q, w_k, w_v, w_o = drawn(2)
    w_v = np.ones((D_MODEL, w_v_columns))
    with pytest.raises(TypeError, match="w_v is float64 array"):
        reference.multi_head_attention(q, k, v, w_q, w_k, w_v, w_o, HEADS, n_kv_heads=2)


def layer(n_kv_heads, **options):
    torch.manual_seed(0)
    return pytorch.MultiHeadAttention(8, HEADS, n_kv_heads=n_kv_heads, **options).double().eval()


@every_sharing
def test_the_module_is_the_reference_with_its_own_weights(n_kv_heads):
    module, (q, k, v, *_) = layer(n_kv_heads), drawn(n_kv_heads)
    parts = module.w_q, module.w_k, module.w_v, module.w_o
    w = [part.weight.mT.detach().numpy() for part in parts]
    causal = np.tri(3, 5, 2, dtype=bool)
    out = module(*map(torch.from_numpy, (q, k, v)), mask=torch.from_numpy(causal))
    expected = reference.multi_head_attention(q, k, v, *w, HEADS, causal, n_kv_heads)
    assert_close(out.detach().numpy(), expected)


def test_a_module_whose_heads_share_says_so_and_is_not_taken_for_torchs():
    assert "n_heads=4, n_kv_heads=2" in repr(layer(2))
    assert "n_kv_heads" not in repr(layer(None))
    assert layer(2).w_k.weight.shape == layer(2).w_v.weight.shape == (4, 8)
    with pytest.raises(ValueError, match="to_multihead: n_kv_heads is 2; expected n_heads = 4"):
        pytorch.to_multihead(layer(2))


@pytest.mark.parametrize("n_kv_heads", [0, 3, -2, 2.0, 8])
def test_a_module_refuses_heads_that_cannot_be_shared(n_kv_heads):
    said = f"n_kv_heads is {n_kv_heads}; expected a divisor of n_heads = 4"
    with pytest.raises(ValueError, match=said):
        layer(n_kv_heads)


def test_a_nan_in_the_padding_is_in_no_gradient_of_shared_heads():
    module, (q, k, v, *_) = layer(2), drawn(2)
    k[0, 2:], v[0, 2:] = np.nan, np.nan
    leaves = [torch.from_numpy(x).requires_grad_() for x in (q, k, v)]
    out = module(*leaves, torch.tensor([2, 5]))
    gradients = torch.autograd.grad(out.sum(), [*leaves, *module.parameters()])
    assert all(gradient.isfinite().all() for gradient in gradients)


def tiled(x, times):
    """Head h reads h % n_kv_heads."""
    return np.concatenate([x] * times, axis=-3)


def mean_of_all(x, times):
    return np.repeat(x.mean(axis=-3, keepdims=True), times * x.shape[-3], axis=-3)


def cut(order):
    """Heads made by `order` of the pieces (..., n, n_heads, d_head)."""

    def split(x, n_heads):
        return order(x.reshape(*x.shape[:-1], n_heads, -1))

    return split


right_repeat, right_scores = reference.repeat_heads, reference.dot_product_scores
WRONG = {
    "tile for repeat": ("repeat_heads", tiled),
    "in reverse": ("repeat_heads", lambda x, times: right_repeat(x[..., ::-1, :, :], times)),
    "the first head for all": (
        "repeat_heads",
        lambda x, times: np.repeat(x[..., :1, :, :], times * x.shape[-3], axis=-3),
    ),
    "the mean of all heads": ("repeat_heads", mean_of_all),
    "shifted by one": (
        "repeat_heads",
        lambda x, times: np.roll(right_repeat(x, times), 1, axis=-3),
    ),
    "view for transpose": (
        "split_heads",
        lambda x, n_heads: x.reshape(*x.shape[:-2], n_heads, x.shape[-2], -1),
    ),
    "heads in reverse": (
        "split_heads",
        cut(lambda pieces: np.swapaxes(pieces[..., ::-1, :], -2, -3)),
    ),
    "every n-th feature": (
        "split_heads",
        lambda x, n_heads: np.moveaxis(x.reshape(*x.shape[:-1], -1, n_heads), -1, -3),
    ),
    "merged in reverse": (
        "merge_heads",
        lambda x: np.swapaxes(x[..., ::-1, :, :], -2, -3).reshape(*x.shape[:-3], -1, D_MODEL),
    ),
    "merged by a view": ("merge_heads", lambda x: x.reshape(*x.shape[:-3], -1, D_MODEL)),
    "the scale of the model": (
        "dot_product_scores",
        lambda q, k, scale=None: right_scores(q, k, D_MODEL**-0.5),
    ),
    "the scale of the keys of all heads": (
        "dot_product_scores",
        lambda q, k, scale=None: right_scores(q, k, (2 * WIDTH) ** -0.5),
    ),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_a_wrong_sharing_of_tensors_is_rejected(monkeypatch, mistake):
    name, wrong = WRONG[mistake]
    put(monkeypatch, pytorch, name, on_tensors(wrong))
    with pytest.raises(AssertionError):
        test_shared_heads_are_the_grouped_attention_of_torch(pytorch, 2)


@pytest.mark.parametrize("mistake", WRONG)
def test_a_wrong_sharing_is_rejected_by_loops_and_by_torch(monkeypatch, mistake):
    put(monkeypatch, reference, *WRONG[mistake])
    with pytest.raises(AssertionError):
        test_shared_heads_are_the_equation_in_loops(2)
    with pytest.raises(AssertionError):
        test_shared_heads_are_the_grouped_attention_of_torch(reference, 2)


def test_values_that_are_not_shared_as_keys_are_is_rejected(monkeypatch):
    """The keys right, the values tiled: each call of `repeat_heads` after the first."""
    calls = []

    def second_tiled(x, times):
        calls.append(x)
        return right_repeat(x, times) if len(calls) % 2 else tiled(x, times)

    put(monkeypatch, reference, "repeat_heads", second_tiled)
    with pytest.raises(AssertionError):
        test_shared_heads_are_the_equation_in_loops(2)
