"""Each of these mistakes in the tiles is rejected by a claim about them."""

import numpy as np
import pytest
import test_tiles as claims
import test_tiles_backward as claims_backward

from attnbook.exercises.engine.edits import changed, source
from attnbook.tiled import backward, forward

SMALL = claims.SIZES[1]


def readable(form):
    return lambda monkeypatch: claims.test_tiles_are_the_readable_form(None, form)


def junk(monkeypatch):
    claims.test_junk_has_the_part_in_each_row_that_it_has_in_the_readable_form(
        None, "causal", np.nan, 2
    )


def overflow(step):
    return lambda monkeypatch: claims.test_a_first_score_far_below_the_others_overflows_nothing(
        "plain", step
    )


def one_key(monkeypatch):
    claims.test_a_query_with_one_key_has_its_value_however_large_the_score("plain", 2e4)


def once(form):
    def claim(monkeypatch):
        claims.test_each_visible_score_is_computed_once_and_few_others(monkeypatch, form)

    return claim


def held(monkeypatch):
    claims.test_tiles_hold_little_more_than_the_result("plain")


def unchanged(monkeypatch):
    claims.test_tiles_change_no_argument(None, "plain")


def back(monkeypatch):
    claims_backward.test_the_way_back_is_that_of_the_whole_matrix(None)


def empty_back(monkeypatch):
    claims_backward.test_a_query_whose_scores_are_all_minus_infinity_has_gradient_0(None)


def unchanged_back(monkeypatch):
    claims_backward.test_the_way_back_changes_no_argument(None)


def padding(monkeypatch):
    claims.test_padding_is_no_part_of_any_tile(monkeypatch)


LSE = "np.subtract(np.log(lse), q1[..., d:], out=lse)"
GUARD = "failed = [] if _is_in_range(out, lse) else self.out_of_range(out, lse)"
SOUND = "np.all((0.5 < total) & (total < np.inf)) and np.all(np.isfinite(out))"
SCALED = "np.multiply(q, self.scale, out=q1[..., :d])"
FUTURE, PAST = "at = i + self.high + 1 - j", "at = i + self.low - j"
BLOCKS = "slice(max(0, r.start + low), min(n_k, r.stop + high))"
LENGTH = "k[i, ..., :n, :], v[i, ..., :n, :]"
SUM, TOTAL = "out += exp @ v[:, j:end]", "total += exp @ self.ones[: end - j]"
FORWARD = [
    ("lse without the shift", f"{LSE} → np.log(lse, out=lse)", readable("plain")),
    ("lse with the shift the other way",
        f"{LSE} → " + LSE.replace("subtract", "add"), readable("plain")),
    ("no guard", f"{GUARD} → failed = []", junk),
    ("no guard against overflow", f"{GUARD} → failed = []", overflow(2000)),
    ("overflow of the sum not noticed", f"{SOUND} → np.all(np.isfinite(out))", overflow(709.7)),
    ("underflow of the sum not noticed", f"{SOUND} → " + SOUND.replace("0.5 <", "0 <"), one_key),
    ("not finite outputs not noticed", f"{SOUND} → np.all(total < np.inf)", junk),
    ("not scaled", f"{SCALED} → " + SCALED.replace("self.scale", "1.0"), readable("plain")),
    ("argument scaled", f"{SCALED} → q *= self.scale; q1[..., :d] = q", unchanged),
    ("edge of the future late by one", f"{FUTURE} → {FUTURE} + 1", readable("causal")),
    ("edge of the future early by one", f"{FUTURE} → {FUTURE} - 1", readable("causal")),
    ("edge of the past late by one", f"{PAST} → {PAST} + 1", readable("window 3 2")),
    ("edge of the past early by one", f"{PAST} → {PAST} - 1", readable("window 3 2")),
    ("edge unmasked", "self.mask_tile(scores, i, j) → pass", readable("causal")),
    ("edge unmasked", "self.mask_tile(scores, i, j) → pass", readable("window 1 0")),
    ("top left", "ahead = n_k - n_q + n_empty → ahead = 0", readable("causal")),
    ("nothing left out", f"{BLOCKS} → slice(0, n_k)", once("causal")),
    ("past not left out", f"{BLOCKS} → slice(0, min(n_k, r.stop + high))", once("window 3 2")),
    ("key too few", f"{BLOCKS} → " + BLOCKS.replace("r.stop", "r.stop - 1"), readable("causal")),
    ("last queries dropped", "in range(0, n_q, n_rows)] → "
        "in range(0, n_q // n_rows * n_rows, n_rows)]", readable("plain")),
    ("last keys dropped", "in range(keys.start, keys.stop, self.n_keys) → "
        "in range(keys.start, keys.stop - self.n_keys + 1, self.n_keys)", readable("plain")),
    ("length and one more", f"{LENGTH} → " + LENGTH.replace(":n,", ": n + 1,"), readable("padded")),
    ("padding computed", f"{LENGTH} → k[i], v[i]", padding),
    ("last tile alone", f"{SUM} → " + SUM.replace(" +=", "[...] ="), readable("plain")),
    ("sums of the first tile", f"{TOTAL} → pass", readable("plain")),
    ("early queries not written",
        "out[:, :n_empty], lse[:, :n_empty] = 0, -np.inf → pass", readable("causal")),
    ("all heads at once", "min(heads, max(1, MAX_SCORES // (n_rows * n_keys))) → heads", held),
]  # fmt: skip
BACKWARD = [
    ("scores not shifted by lse", "_with_column(scaled, -lse) → _with_column(scaled, 0)", back),
    ("no sum along the row", "_with_column(grad_out, -delta) → _with_column(grad_out, 0)", back),
    ("weights for their gradient", "grad_scores = weights * → grad_scores =", back),
    ("keys not scaled", "grad_scores.T @ scaled[i] → grad_scores.T @ q[i]", back),
    ("queries not scaled", "grad_q *= scale → pass", back),
    ("last tile alone", "grad_q[i] += → grad_q[i] =", back),
    ("last queries alone", "grad_v[j] += → grad_v[j] =", back),
    ("no guard", "if not all(np.all(np.isfinite(x)) → if not all(np.all(x is x)", empty_back),
    ("grad_out scaled", "q1, k1 = → grad_out *= 1; q1, k1 =", unchanged_back),
]  # fmt: skip


def put(monkeypatch, module, change):
    """One mistake in a module, until the test ends."""
    text = changed(source(module), change)
    for name, value in list(vars(module).items()):
        monkeypatch.setattr(module, name, value)
    exec(text, vars(module))


@pytest.mark.parametrize(("change", "claim"), [m[1:] for m in FORWARD], ids=[m[0] for m in FORWARD])
def test_a_mistake_in_the_tiles_is_rejected(monkeypatch, change, claim):
    put(monkeypatch, forward, change)
    if claim not in (held, one_key):
        for name, size in SMALL.items():
            monkeypatch.setattr(forward, name, size)
    with pytest.raises((AssertionError, ValueError)):
        claim(monkeypatch)


@pytest.mark.parametrize(
    ("change", "claim"), [m[1:] for m in BACKWARD], ids=[m[0] for m in BACKWARD]
)
def test_a_mistake_on_the_way_back_is_rejected(monkeypatch, change, claim):
    put(monkeypatch, backward, change)
    for name in ("ROWS", "KEYS"):
        monkeypatch.setattr(backward, name, SMALL[name])
    with pytest.raises((AssertionError, ValueError)):
        claim(monkeypatch)
