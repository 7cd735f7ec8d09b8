"""Many heads, and heads of keys and values that queries share, against loops and against torch."""

import functools
import re

import loops
import numpy as np
import one_line
import pytest
import torch
from draw import assert_close, mask, matrices
from libraries import BOTH, ones, taken_by
from torch.nn.functional import scaled_dot_product_attention as sdpa

from attnbook import pytorch, reference
from attnbook.pytorch.heads import in_heads

HEADS, WIDTH = 4, 2
D_MODEL = HEADS * WIDTH
every_sharing = pytest.mark.parametrize("n_kv_heads", [1, 2, 4])


def layer_inputs(n_kv_heads, batch=(2,)):
    """Queries, keys and values of width 8, and the four matrices."""
    rng = np.random.default_rng(5)
    d_kv = n_kv_heads * WIDTH
    sizes = (D_MODEL, D_MODEL), (D_MODEL, d_kv), (D_MODEL, d_kv), (D_MODEL, D_MODEL)
    inputs = [rng.standard_normal((*batch, n, D_MODEL)) for n in (3, 5, 5)]
    return *inputs, *matrices(np.float64, *sizes)


def multihead(q, k, v, w_q, w_k, w_v, w_o, mask):
    """torch.nn.MultiheadAttention with the same weights; its mask says what is hidden."""
    module = torch.nn.MultiheadAttention(
        D_MODEL, HEADS, bias=False, batch_first=True, dtype=torch.float64
    )
    module.requires_grad_(False)
    module.in_proj_weight.copy_(torch.from_numpy(np.concatenate([w_q.T, w_k.T, w_v.T])))
    module.out_proj.weight.copy_(torch.from_numpy(w_o.T))
    inputs = (torch.from_numpy(x) for x in (q, k, v))
    return module(*inputs, attn_mask=torch.from_numpy(~mask), need_weights=False)[0].numpy()


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
    given, causal = layer_inputs(n_kv_heads, ()), np.tri(3, 5, 2, dtype=bool)
    out = reference.multi_head_attention(*given, HEADS, causal, n_kv_heads)
    assert_close(out, in_loops(*given, n_kv_heads, causal.tolist()))


@every_sharing
def test_shared_heads_are_multihead_attention_of_torch_with_their_columns_written_again(n_kv_heads):
    q, k, v, w_q, w_k, w_v, w_o = layer_inputs(n_kv_heads)
    causal = np.tri(3, 5, 2, dtype=bool)
    order = [h // (HEADS // n_kv_heads) for h in range(HEADS)]
    columns = [WIDTH * head + c for head in order for c in range(WIDTH)]
    expected = multihead(q, k, v, w_q, w_k[:, columns], w_v[:, columns], w_o, causal)
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


def called(library, given, shown, n_kv_heads):
    *given, shown = taken_by(library, *given, shown)
    return np.asarray(library.multi_head_attention(*given, HEADS, shown, n_kv_heads))


@every_sharing
@pytest.mark.parametrize("of", ["all", "sequences", "heads"])
@BOTH
def test_shared_heads_are_the_grouped_attention_of_torch(library, of, n_kv_heads):
    """With a mask for all, for each sequence, or for each head."""
    given, shown = layer_inputs(n_kv_heads), mask((2, HEADS))
    shown[..., 0] = True  # torch has no answer where nothing is visible
    shown = {"all": shown[0, 0], "sequences": shown[:, 0], "heads": shown}[of]
    expected = grouped_in_torch(given, shown[:, None] if of == "sequences" else shown)
    assert_close(called(library, given, shown, n_kv_heads), expected)


def test_heads_are_consecutive_pieces_in_front_of_the_positions():
    x = np.arange(2 * 3 * 8.0).reshape(2, 3, 8)
    heads = reference.split_heads(x, 4)
    assert heads.shape == (2, 4, 3, 2)
    for b, h, n in np.ndindex(2, 4, 3):
        assert (heads[b, h, n] == x[b, n, 2 * h : 2 * h + 2]).all()
    assert (reference.merge_heads(heads) == x).all()
    assert not (x.reshape(2, 4, 3, 2) == heads).all(), "a reshape is not a transpose"


@pytest.mark.parametrize("n_heads", [0, -2, 3])
def test_heads_that_do_not_divide_the_width_are_refused(n_heads):
    with pytest.raises(
        ValueError, match=f"n_heads is {n_heads}; expected a divisor of d_model = 8"
    ):
        reference.split_heads(np.ones((3, 8)), n_heads)


@pytest.mark.parametrize("times", [1, 3])
@BOTH
def test_each_head_stands_in_a_row_as_often_as_it_is_read(library, times):
    x = np.arange(2 * 2 * 3 * 2.0).reshape(2, 2, 3, 2)
    out = library.repeat_heads(*taken_by(library, x), times)
    assert out.shape == (2, 2 * times, 3, 2)
    for b, h in np.ndindex(2, 2 * times):
        assert np.array_equal(out[b, h], x[b, h // times])


@BOTH
def test_without_a_number_each_head_has_its_own(library):
    given = taken_by(library, *layer_inputs(HEADS))
    plain = library.multi_head_attention(*given, HEADS)
    assert (plain == library.multi_head_attention(*given, HEADS, n_kv_heads=HEADS)).all()


@every_sharing
def test_a_query_that_sees_nothing_in_any_head_gets_zeros(n_kv_heads):
    given, shown = layer_inputs(n_kv_heads), mask((2, HEADS))
    out = reference.multi_head_attention(*given, HEADS, shown, n_kv_heads)
    shown[..., 0, :] = True
    full = reference.multi_head_attention(*given, HEADS, shown, n_kv_heads)
    assert not out[:, 0].any() and np.array_equal(out[:, 1:], full[:, 1:])


@every_sharing
def test_gradients_reach_shared_heads(n_kv_heads):
    leaves = [torch.from_numpy(x).requires_grad_() for x in layer_inputs(n_kv_heads, ())]
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
    given = taken_by(library, *layer_inputs(made_for))
    with pytest.raises(ValueError, match=re.escape(said)) as caught:
        library.multi_head_attention(*given, n_heads, n_kv_heads=n_kv_heads)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("times", [0, -1])
@BOTH
def test_no_head_is_repeated_less_than_once(library, times):
    x = ones(library, 2, 3, 4)
    with pytest.raises(ValueError, match=f"repeat_heads: times is {times}; expected 1 or more"):
        library.repeat_heads(x, times)


@pytest.mark.parametrize("w_v_columns", [2, 8])
def test_keys_and_values_have_the_same_heads(w_v_columns):
    q, k, v, w_q, w_k, w_v, w_o = layer_inputs(2)
    w_v = np.ones((D_MODEL, w_v_columns))
    with pytest.raises(TypeError, match="w_v is float64 array"):
        reference.multi_head_attention(q, k, v, w_q, w_k, w_v, w_o, HEADS, n_kv_heads=2)


def layer(n_kv_heads, **options):
    torch.manual_seed(0)
    return pytorch.MultiHeadAttention(8, HEADS, n_kv_heads=n_kv_heads, **options).double().eval()


@every_sharing
def test_the_module_is_the_reference_with_its_own_weights(n_kv_heads):
    module, (q, k, v, *_) = layer(n_kv_heads), layer_inputs(n_kv_heads)
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
    module, (q, k, v, *_) = layer(2), layer_inputs(2)
    k[0, 2:], v[0, 2:] = np.nan, np.nan
    leaves = [torch.from_numpy(x).requires_grad_() for x in (q, k, v)]
    out = module(*leaves, torch.tensor([2, 5]))
    gradients = torch.autograd.grad(out.sum(), [*leaves, *module.parameters()])
    assert all(gradient.isfinite().all() for gradient in gradients)


SHARED, WEIGHTS = "repeat_heads(x, n_heads // n_kv_heads)", "((k, w_k), (v, w_v))"
MIXED = "merge_heads(scaled_dot_product_attention(q, k, v, mask))"
CUT, TURNED = "n_heads, x.shape[-1] // n_heads", "swapaxes(x, -2, -3)"


def reads(head):
    """What stands for the heads of keys where head h of the queries reads another one."""
    return f"x[..., [{head} for h in range(n_heads)], :, :]"


MISTAKES = {
    "multi_head_attention": {
        "tile for repeat": f"{SHARED} → " + reads("h % n_kv_heads"),
        "shared in reverse": f"{SHARED} → " + reads("-1 - h * n_kv_heads // n_heads"),
        "the first head for all": f"{SHARED} → " + reads("0"),
        "shifted by one": f"{SHARED} → " + reads("(h + 1) % n_heads * n_kv_heads // n_heads"),
        "the mean of all heads": f"{SHARED} → 0.5 * ({reads('0')} + {reads('1')})",
        "values tiled, not keys": (
            f"{SHARED} for x in (k, v) → repeat_heads(k, n_heads // n_kv_heads), "
            + reads("h % n_kv_heads").replace("x", "v", 1)),
        "the scale of the model": "v, mask) → v, mask, scale=8**-0.5)",
        "the scale of the keys of all heads": "v, mask) → v, mask, scale=4**-0.5)",
        "the mask of a sequence for a head": "mask[..., None, :, :] → mask",
        "a mask for all heads of a sequence as one of queries": "None, :, :] → :, None, :]",
        "the mask ignored": "(q, k, v, mask) → (q, k, v)",
        "W_k for W_v": f"{WEIGHTS} → ((k, w_v), (v, w_k))",
        "keys for values": f"{WEIGHTS} → ((k, w_k), (k, w_v))",
        "keys and values swapped": "(q, k, v, mask) → (q, v, k, mask)",
        "as many heads of keys as of queries": "n_kv_heads) for x, w in → n_heads) for x, w in",
        "as many copies as heads": "n_heads // n_kv_heads) for → n_heads) for",
        "heads not merged by position":
            f"{MIXED} → {MIXED[12:-1]}.reshape(*q.shape[:-3], q.shape[-2], -1)",
        "W_o forgotten": " @ w_o → ",
        "W_o turned over": " @ w_o →  @ w_o.T",
    },
    "split_heads": {
        "view for transpose": (f"*x.shape[:-1], {CUT}) → "
            "*x.shape[:-2], n_heads, x.shape[-2], x.shape[-1] // n_heads).swapaxes(-2, -3)"),
        "heads in reverse": "(pieces, → (pieces[..., [*range(n_heads)][::-1], :],",
        "every n-th feature": f"{CUT}) → x.shape[-1] // n_heads, n_heads).swapaxes(-1, -2)",
    },
    "merge_heads": {
        "merged in reverse": "(x, -2 → (x[..., [*range(x.shape[-3])][::-1], :, :], -2",
        "merged by a view": f"{TURNED} → swapaxes(x.reshape(*x.shape[:-3], -1, 4, 2), 0, 0)",
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "mistake"), [(name, mistake) for name in MISTAKES for mistake in MISTAKES[name]]
)
@BOTH
def test_a_mistake_is_rejected(monkeypatch, library, name, mistake):
    function, change = getattr(library, name), MISTAKES[name][mistake]
    if function is pytorch.multi_head_attention:  # whose lines SDPA shares
        function = in_heads
        change = change.replace("scaled_dot_product_attention", "attend")
    one_line.put(monkeypatch, function, change)
    with pytest.raises((AssertionError, ValueError, RuntimeError)):
        for of in ("all", "sequences"):
            test_shared_heads_are_the_grouped_attention_of_torch(library, of, 2)
