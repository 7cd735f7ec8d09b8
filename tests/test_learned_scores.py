"""Additive and bilinear scores are their equations in loops."""

import math

import loops
import numpy as np
import one_line
import pytest
from draw import assert_close, mask, matrices, queries_keys_values

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


ADDITIVE, ATTEND = reference.additive_scores, reference.additive_attention
BILINEAR, STEPS = reference.bilinear_scores, reference.shifted_exp
additive, bilinear, attention = (
    test_additive_scores_are_the_equation_in_loops,
    test_bilinear_scores_are_the_equation_in_loops,
    test_additive_attention_is_softmax_of_its_scores_over_visible_keys,
)
MISTAKES = {
    "no tanh": (ADDITIVE, "np.tanh( → (", additive),
    "product for sum": (ADDITIVE, "+ (k @ w_k) → * (k @ w_k)", additive),
    "tanh at the end": (ADDITIVE, "hidden @ w_v → np.tanh(np.arctanh(hidden) @ w_v)", additive),
    "no last layer": (ADDITIVE, "hidden @ w_v → np.sum(hidden, axis=-1)", additive),
    "softmax over the queries": (STEPS, "np.sum(exp, axis=-1, → np.sum(exp, axis=-2,", attention),
    "the mask ignored": (ATTEND, "w_v), mask), v, mask → w_v)), v", attention),
    "a scale on the bilinear score": (BILINEAR, "(q @ w) → (q @ w / 2)", bilinear),
    "the matrix on both sides": (BILINEAR, "(q @ w) → (q @ w @ w.T @ w)", bilinear),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_rejected(drawn, monkeypatch, mistake):
    *edit, claim = MISTAKES[mistake]
    one_line.assert_rejected(monkeypatch, *edit, lambda: claim(drawn))
