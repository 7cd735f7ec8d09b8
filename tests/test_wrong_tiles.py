"""Each of these mistakes in the tiles is rejected by a claim about them."""

import numpy as np
import one_line
import pytest
import test_tiles as claims
import test_tiles_backward as claims_backward

from attnbook.tiled import backward, forward


def small(claim, *given):
    """A claim in small tiles, of which short sequences have several."""

    def in_small_tiles():
        with pytest.MonkeyPatch.context() as patch:
            claims.set_sizes(patch, claims.SIZES[1])
            claim(patch, *given)

    return in_small_tiles


def readable(form):
    return small(claims.test_tiles_are_the_readable_form, form)


def once(form):
    return small(claims.test_each_visible_score_is_computed_once_and_few_others, form)


def overflow(step):
    claim = claims.test_a_first_score_far_below_the_others_overflows_nothing
    return small(lambda _: claim("plain", step))


def one_key():
    claims.test_a_query_with_one_key_has_its_value_however_large_the_score("plain", 2e4)


def held():
    claims.test_tiles_hold_little_more_than_the_result("plain")


junk = small(
    claims.test_junk_has_the_part_in_each_row_that_it_has_in_the_readable_form, "causal", np.nan, 2
)
unchanged = small(claims.test_tiles_change_no_argument, "plain")
padding = small(claims.test_padding_is_no_part_of_any_tile)
back = small(claims_backward.test_the_way_back_is_that_of_the_whole_matrix)
empty_back = small(claims_backward.test_a_query_whose_scores_are_all_minus_infinity_has_gradient_0)
unchanged_back = small(claims_backward.test_the_way_back_changes_no_argument)

REJECTED = AssertionError, ValueError  # where an argument is changed, which is read-only
LSE = "np.subtract(np.log(lse), q1[..., d:], out=lse)"
GUARD = "failed = [] if _is_in_range(out, lse) else self.out_of_range(out, lse)"
SOUND = "np.all((0.5 < total) & (total < np.inf)) and np.all(np.isfinite(out))"
SCALED = "np.multiply(q, self.scale, out=q1[..., :d])"
FUTURE, PAST = "at = i + self.high + 1 - j", "at = i + self.low - j"
BLOCKS = "slice(max(0, r.start + low), min(n_k, r.stop + high))"
LENGTH = "k[i, ..., :n, :], v[i, ..., :n, :]"
SUM, TOTAL = "out += exp @ v[:, j:end]", "total += exp @ self.ones[: end - j]"
FORWARD = {
    "lse without the shift": (f"{LSE} → np.log(lse, out=lse)", readable("plain")),
    "lse with the shift the other way": (
        f"{LSE} → " + LSE.replace("subtract", "add"), readable("plain")),
    "no guard": (f"{GUARD} → failed = []", junk, overflow(2000)),
    "overflow of the sum not noticed": (f"{SOUND} → np.all(np.isfinite(out))", overflow(709.7)),
    "underflow of the sum not noticed": (f"{SOUND} → " + SOUND.replace("0.5 <", "0 <"), one_key),
    "not finite outputs not noticed": (f"{SOUND} → np.all(total < np.inf)", junk),
    "not scaled": (f"{SCALED} → " + SCALED.replace("self.scale", "1.0"), readable("plain")),
    "argument scaled": (f"{SCALED} → q *= self.scale; q1[..., :d] = q", unchanged),
    "edge of the future late by one": (f"{FUTURE} → {FUTURE} + 1", readable("causal")),
    "edge of the future early by one": (f"{FUTURE} → {FUTURE} - 1", readable("causal")),
    "edge of the past late by one": (f"{PAST} → {PAST} + 1", readable("window 3 2")),
    "edge of the past early by one": (f"{PAST} → {PAST} - 1", readable("window 3 2")),
    "edge unmasked": (
        "self.mask_tile(scores, i, j) → pass", readable("causal"), readable("window 1 0")),
    "top left": ("ahead = n_k - n_q + n_empty → ahead = 0", readable("causal")),
    "nothing left out": (f"{BLOCKS} → slice(0, n_k)", once("causal")),
    "past not left out": (f"{BLOCKS} → slice(0, min(n_k, r.stop + high))", once("window 3 2")),
    "key too few": (f"{BLOCKS} → " + BLOCKS.replace("r.stop", "r.stop - 1"), readable("causal")),
    "last queries dropped": ("in range(0, n_q, n_rows)] → "
        "in range(0, n_q // n_rows * n_rows, n_rows)]", readable("plain")),
    "last keys dropped": ("in range(keys.start, keys.stop, self.n_keys) → "
        "in range(keys.start, keys.stop - self.n_keys + 1, self.n_keys)", readable("plain")),
    "length and one more": (f"{LENGTH} → " + LENGTH.replace(":n,", ": n + 1,"), readable("padded")),
    "padding computed": (f"{LENGTH} → k[i], v[i]", padding),
    "last tile alone": (f"{SUM} → " + SUM.replace(" +=", "[...] ="), readable("plain")),
    "sums of the first tile": (f"{TOTAL} → pass", readable("plain")),
    "early queries not written": (
        "out[:, :n_empty], lse[:, :n_empty] = 0, -np.inf → pass", readable("causal")),
    "all heads at once": ("min(heads, max(1, MAX_SCORES // (n_rows * n_keys))) → heads", held),
}  # fmt: skip
BACKWARD = {
    "scores not shifted by lse": ("_with_column(scaled, -lse) → _with_column(scaled, 0)", back),
    "no sum along the row": ("_with_column(grad_out, -delta) → _with_column(grad_out, 0)", back),
    "weights for their gradient": ("grad_scores = weights * → grad_scores =", back),
    "keys not scaled": ("grad_scores.T @ scaled[i] → grad_scores.T @ q[i]", back),
    "queries not scaled": ("grad_q *= scale → pass", back),
    "last tile alone": ("grad_q[i] += → grad_q[i] =", back),
    "last queries alone": ("grad_v[j] += → grad_v[j] =", back),
    "no guard": ("if not all(np.all(np.isfinite(x)) → if not all(np.all(x is x)", empty_back),
    "grad_out scaled": ("q1, k1 = → grad_out *= 1; q1, k1 =", unchanged_back),
}  # fmt: skip


@pytest.mark.parametrize("title", FORWARD)
def test_a_mistake_in_the_tiles_is_rejected(monkeypatch, title):
    one_line.assert_rejected(monkeypatch, forward, *FORWARD[title], by=REJECTED)


@pytest.mark.parametrize("title", BACKWARD)
def test_a_mistake_on_the_way_back_is_rejected(monkeypatch, title):
    one_line.assert_rejected(monkeypatch, backward, *BACKWARD[title], by=REJECTED)
