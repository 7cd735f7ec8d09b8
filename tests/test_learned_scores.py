"""Additive and bilinear scores, and many heads, against loops and against another library."""

import math

import loops
import numpy as np
import pytest
import torch
from draw import assert_close, mask, matrices, queries_keys_values
from wrong_versions import put

from attnbook import reference


def additive_in_loops(q, k, w_q, w_k, w_v):
    """s_ij = Σ_h w_v[h] · tanh(Σ_f q_i[f] w_q[f][h] + Σ_f k_j[f] w_k[f][h])."""
    columns = [list(zip(*w, strict=True)) for w in (w_q, w_k)]

    def unit(q_i, k_j, h):
        return math.tanh(loops.dot(q_i, columns[0][h]) + loops.dot(k_j, columns[1][h]))

    return [[math.fsum(w_v[h] * unit(a, b, h) for h in range(len(w_v))) for b in k] for a in q]


@pytest.fixture
def drawn():
    """Queries of width 2 and keys of width 4, so that the two cannot be exchanged."""
    _, k, v = queries_keys_values()
    return np.random.default_rng(4).standard_normal((3, 2)), k, v


def test_additive_scores_are_the_equation_in_loops(drawn):
    q, k, _ = drawn
    w = matrices(np.float64, (2, 7), (4, 7), (7,))
    expected = additive_in_loops(*(x.tolist() for x in (q, k, *w)))
    assert_close(reference.additive_scores(q, k, *w), expected)


WRONG_SCORES = {
    "no tanh": lambda q, k, a, b, c: ((q @ a)[:, None] + (k @ b)[None]) @ c,
    "product for sum": lambda q, k, a, b, c: np.tanh((q @ a)[:, None] * (k @ b)[None]) @ c,
    "tanh at the end": lambda q, k, a, b, c: np.tanh(((q @ a)[:, None] + (k @ b)[None]) @ c),
    "no last layer": lambda q, k, a, b, c: np.tanh((q @ a)[:, None] + (k @ b)[None]).sum(-1),
}


@pytest.mark.parametrize("name", WRONG_SCORES)
def test_a_wrong_additive_score_is_rejected(drawn, monkeypatch, name):
    put(monkeypatch, reference, "additive_scores", WRONG_SCORES[name])
    with pytest.raises(AssertionError):
        test_additive_scores_are_the_equation_in_loops(drawn)


def test_additive_attention_is_softmax_of_its_scores_over_visible_keys(drawn):
    q, k, v = drawn
    w = matrices(np.float64, (2, 7), (4, 7), (7,))
    scores = additive_in_loops(*(x.tolist() for x in (q, k, *w)))
    weights = [loops.softmax(s, m) for s, m in zip(scores, mask().tolist(), strict=True)]
    expected = loops.weighted_sum(weights, v.tolist())
    assert_close(reference.additive_attention(q, k, v, *w, mask=mask()), expected)


def test_bilinear_scores_are_the_equation_in_loops(drawn):
    q, k, _ = drawn
    (w,) = matrices(np.float64, (2, 4))
    turned = [[loops.dot(a, column) for column in w.T.tolist()] for a in q.tolist()]
    expected = loops.dot_product_scores(turned, k.tolist(), scale=1)
    assert_close(reference.bilinear_scores(q, k, w), expected)


WRONG_PARTS = {
    "softmax over the queries": (
        "softmax",
        lambda scores, mask: np.exp(scores) * mask / np.sum(np.exp(scores) * mask, axis=-2),
        test_additive_attention_is_softmax_of_its_scores_over_visible_keys,
    ),
    "the mask ignored": (
        "softmax",
        lambda scores, mask: np.exp(scores) / np.sum(np.exp(scores), axis=-1, keepdims=True),
        test_additive_attention_is_softmax_of_its_scores_over_visible_keys,
    ),
    "a scale on the bilinear score": (
        "bilinear_scores",
        lambda q, k, w: q @ w @ k.T / 2,
        test_bilinear_scores_are_the_equation_in_loops,
    ),
    "the matrix on both sides": (
        "bilinear_scores",
        lambda q, k, w: q @ w @ w.T @ w @ k.T,
        test_bilinear_scores_are_the_equation_in_loops,
    ),
}


@pytest.mark.parametrize("mistake", WRONG_PARTS)
@pytest.mark.filterwarnings("ignore:invalid value encountered in divide")
def test_a_wrong_part_is_rejected(drawn, monkeypatch, mistake):
    name, wrong, claim = WRONG_PARTS[mistake]
    put(monkeypatch, reference, name, wrong)
    with pytest.raises(AssertionError):
        claim(drawn)


def test_heads_are_consecutive_pieces_in_front_of_the_positions():
    x = np.arange(2 * 3 * 8.0).reshape(2, 3, 8)
    heads = reference.split_heads(x, 4)
    assert heads.shape == (2, 4, 3, 2)
    for b, h, n in np.ndindex(2, 4, 3):
        assert (heads[b, h, n] == x[b, n, 2 * h : 2 * h + 2]).all()
    assert (reference.merge_heads(heads) == x).all()
    assert not (x.reshape(2, 4, 3, 2) == heads).all(), "a view is not a transpose"


@pytest.mark.parametrize("n_heads", [0, -2, 3])
def test_heads_that_do_not_divide_the_width_are_refused(n_heads):
    with pytest.raises(
        ValueError, match=f"n_heads is {n_heads}; expected a divisor of d_model = 8"
    ):
        reference.split_heads(np.ones((3, 8)), n_heads)


def attend_with_heads(batch=(2,)):
    rng = np.random.default_rng(5)
    q, k, v = (rng.standard_normal((*batch, n, 8)) for n in (3, 5, 5))
    return q, k, v, *matrices(np.float64, (8, 8), (8, 8), (8, 8), (8, 8))


def test_many_heads_agree_with_torch():
    arguments, causal = attend_with_heads(), np.tri(3, 5, 2, dtype=bool)
    expected = theirs(*arguments, 2, causal)
    assert_close(reference.multi_head_attention(*arguments, n_heads=2, mask=causal), expected)


def test_each_sequence_has_its_own_mask_for_all_its_heads():
    q, k, v, *w = attend_with_heads()
    shown = mask((2,))
    out = reference.multi_head_attention(q, k, v, *w, n_heads=2, mask=shown)
    for i in range(2):
        alone = reference.multi_head_attention(q[i], k[i], v[i], *w, n_heads=2, mask=shown[i])
        assert_close(out[i], alone)


def theirs(q, k, v, w_q, w_k, w_v, w_o, n_heads, mask):
    """torch.nn.MultiheadAttention with the same weights; its mask says what is hidden."""
    module = torch.nn.MultiheadAttention(
        8, n_heads, bias=False, batch_first=True, dtype=torch.float64
    )
    module.requires_grad_(False)
    module.in_proj_weight.copy_(torch.from_numpy(np.concatenate([w_q.T, w_k.T, w_v.T])))
    module.out_proj.weight.copy_(torch.from_numpy(w_o.T))
    inputs = (torch.from_numpy(x) for x in (q, k, v))
    return module(*inputs, attn_mask=torch.from_numpy(~mask), need_weights=False)[0].numpy()


WRONG_HEADS = {
    "view for transpose": ("split_heads", lambda x, n: x.reshape(*x.shape[:-2], n, -1, 4)),
    "heads in the wrong order": (
        "merge_heads",
        lambda x: np.swapaxes(x[..., ::-1, :, :], -2, -3).reshape(*x.shape[:-3], 3, 8),
    ),
    "scale by the width of the model": (
        "dot_product_scores",
        lambda q, k, scale: q @ np.swapaxes(k, -1, -2) / 8**0.5,
    ),
}


@pytest.mark.parametrize("mistake", WRONG_HEADS)
def test_a_wrong_head_is_rejected(monkeypatch, mistake):
    put(monkeypatch, reference, *WRONG_HEADS[mistake])
    with pytest.raises(AssertionError):
        test_many_heads_agree_with_torch()
