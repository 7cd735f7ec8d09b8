"""Each of these mistakes in attention by blocks is rejected by a claim about it."""

import numpy as np
import one_line
import pytest
import test_online as claims

from attnbook import online


def definition():
    for case in claims.CASES:
        claims.test_output_and_lse_are_those_of_the_definition(case, (2,))
    claims.test_scores_far_from_0_change_lse_alone(1000.0)
    claims.test_a_hidden_nan_and_an_empty_row_are_kept_out()
    claims.test_a_row_hidden_by_its_bias_is_empty()


def forward():
    for case in claims.CASES:
        for block in (1, 2, 3):
            claims.test_blocks_are_the_reference(case, block, (2,))


def backward():
    for case in claims.CASES:
        claims.test_the_backward_pass_needs_the_output_and_lse_alone(case, 2)


def hidden():
    claims.test_what_is_hidden_has_no_part_forward_or_backward(np.nan)


def one_nan():
    claims.test_one_key_that_is_not_finite_leaves_no_finite_wrong_gradient(np.nan)


def narrow():
    with pytest.MonkeyPatch.context() as patch:
        claims.test_no_matrix_is_wider_than_its_block(patch, 2, [2, 2, 1])


def in_loops():
    for name in claims.MASKS:
        claims.test_the_blocks_of_a_mask_are_those_that_loops_find(name)


WITH_LSE, MERGE, BLOCKWISE = online.attention_with_lse, online.merge, online.attention_blockwise
BACK, VISIBLE = online.attention_blockwise_backward, online.visible_blocks
L, BOTH = "shift + np.log(total)", "softmax_with_lse(scores, mask)"
LSE, SUM_OF_VALUES = "v, mask), lse", "weighted_sum(weights, v, mask)"
CENTRED, BIASED = "scores - np.max(scores, axis=-1, keepdims=True)", "scores if bias is None else"
SUM = "share_a[..., None] * out_a + share_b[..., None] * out_b"
SHARES = "np.exp(lse_a - shift), np.exp(lse_b - shift)"
MEAN, SHIFT = "(grad_weights - delta)", "lse == -np.inf, 0, lse"
WEIGHTS = "np.exp((scores if bias is None else scores + _cut(bias, keys)) - shift)"
SCALE = "(grad_scores, q, here, scale, seen)"
STARTS = "list(range(0, n, block))"
MISTAKES = {
    definition: {
        "L without the maximum": (WITH_LSE, f"{BOTH} → " + BOTH.replace("scores", CENTRED)),
        "L is the maximum": (WITH_LSE, f"{LSE} → v, mask), np.max(scores, axis=-1)"),
        "the sum for its logarithm": (WITH_LSE, f"{LSE} → v, mask), np.exp(lse)"),
        "L in base two": (WITH_LSE, f"{LSE} → v, mask), lse / np.log(2)"),
        "L of all keys": (WITH_LSE, f"{LSE} → v, mask), softmax_with_lse(scores, None)[1]"),
        "not divided": (WITH_LSE, f"{SUM_OF_VALUES} → weighted_sum(np.exp(scores), v, mask)"),
        "divided by all keys": (WITH_LSE, f"{BOTH} → softmax_with_lse(scores, None)[0], {BOTH}[1]"),
        "the scale ignored": (WITH_LSE, "scores(q, k, scale) → scores(q, k)"),
        "the bias ignored": (WITH_LSE, f"{BIASED} → scores if True else"),
        "the bias twice": (WITH_LSE, f"{BIASED} scores + bias → {BIASED} scores + 2 * bias"),
        "a hidden value counts": (WITH_LSE, f"{SUM_OF_VALUES} → weights @ v"),
    },
    forward: {
        "merged without shares": (MERGE, f"{SUM} → total[..., None] * (out_a + out_b)"),
        "a half of each": (MERGE, f"{SUM} → total[..., None] * (out_a + out_b) / 2"),
        "shares exchanged": (MERGE, f"{SUM} → " +
            SUM.replace("out_a", "X").replace("out_b", "out_a").replace("X", "out_b")),
        "shares in base two": (MERGE, f"{SHARES} → " + SHARES.replace("exp", "exp2")),
        "no guard of two empty blocks": (MERGE, "np.where(np.isfinite(top), top, 0) → top"),
        "the larger L": (MERGE, f"{L} → top"),
        "L of the last block": (MERGE, f"{L} → lse_b"),
        "the last key is lost": (BLOCKWISE, "_blocks(k.shape[-2], → _blocks(k.shape[-2] - 1,"),
        "a start at 0": (BLOCKWISE, "q.shape[:-1], -np.inf → q.shape[:-1], 0"),
        "the first block's mask for all": (online._cut,
            "x[..., keys] → x[..., : x[..., keys].shape[-1]]"),
    },
    backward: {
        "rowsum over the block": (BACK,
            f"{MEAN} → (grad_weights - np.sum(weights * grad_weights, axis=-1, keepdims=True))"),
        "no rowsum": (BACK, f"{MEAN} → grad_weights"),
        "a mean for the rowsum": (BACK, "np.sum(grad_out * out → np.mean(grad_out * out"),
        "weights of the block alone": (BACK,
            f"{WEIGHTS} → np.exp(scores) / np.sum(np.exp(scores), axis=-1, keepdims=True)"),
        "the mask ignored": (BACK, "_cut(mask, keys) → np.ones((1, 1), bool)"),
        "the mask inverted": (BACK,
            f"{SCALE} → " + SCALE.replace("seen", "seen if seen is None else ~seen")),
        "hidden keys in grad_v": (BACK, "v[..., keys, :], seen → v[..., keys, :]"),
        "hidden keys in grad_q": (BACK, "here, scale, seen) → here, scale)"),
        "the bias ignored": (BACK, f"{WEIGHTS} → np.exp(scores - shift)"),
        "L in base two": (BACK, f"{SHIFT} → {SHIFT} / np.log(2)"),
        "queries of the last block": (BACK, "grad_q += part → grad_q = part"),
        "no scale": (BACK, f"{SCALE} → " + SCALE.replace("scale", "1.0")),
        "always the scale of the width": (BACK, f"{SCALE} → " + SCALE.replace("scale", "None")),
    },
    hidden: {"a hidden NaN counts": (BACK, f"{SCALE} → " + SCALE.replace(", seen", ""))},
    one_nan: {
        "a shift of 0 where L is not finite": (BACK, f"{SHIFT} → np.isfinite(lse), lse, 0"),
        "a shift of 0 where L is NaN": (BACK, f"{SHIFT} → lse > -np.inf, lse, 0"),
    },
    narrow: {"one block": (BACK, "_blocks(k.shape[-2], block, → _blocks(k.shape[-2], 999,")},
    in_loops: {
        "some and every exchanged": (VISIBLE, "return some, every → return every, some"),
        "sizes exchanged": (VISIBLE, "mask.shape[-2], rows → mask.shape[-2], columns"),
        "only the first of each block": (VISIBLE,
            "np.logical_or.reduceat(some, first, axis=axis) → np.take(some, first, axis=axis)"),
        "without the last block": (online._starts,
            f"{STARTS} → list(range(0, n - block + 1, block))"),
    },
}  # fmt: skip
EACH = [(claim, title) for claim, mistakes in MISTAKES.items() for title in mistakes]


@pytest.mark.parametrize(("claim", "title"), EACH, ids=[f"{c.__name__}: {t}" for c, t in EACH])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_mistake_is_rejected(monkeypatch, claim, title):
    one_line.assert_rejected(monkeypatch, *MISTAKES[claim][title], claim)
