"""Natural wrong answers, built otherwise than the known mistakes, hear their cause."""

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

from attnbook import exercises

FOUND = []  # an exercise, an answer, and the beginning of what it must hear


def hears(name, sentence):
    """The answer below is a wrong one of the exercise `name`, and hears this."""

    def found(answer):
        FOUND.append((name, answer, sentence))
        return answer

    return found


@hears("online.merge_all", "one maximum serves all queries")
def with_one_maximum(outs, lses):
    top = lses.max()
    exp = np.exp(lses - (top if np.isfinite(top) else 0))
    total = exp.sum(0)
    lse = np.where(total > 0, top + np.log(np.where(total > 0, total, 1)), -np.inf)
    return np.einsum("b...q,b...qv->...qv", exp / np.where(total > 0, total, 1), outs), lse


@hears("online.merge_all", "a NaN in an output is left out or becomes 0")
def with_nansum(outs, lses):
    lse = np.logaddexp.reduce(lses, axis=0)
    return np.nansum(np.exp(lses - lse)[..., None] * outs, axis=0), lse


def turned_by(angles_of):
    def rope_halves(x, positions, theta):
        dtype = x.dtype if x.dtype.kind == "f" else np.dtype(float)
        turn = np.exp(1j * angles_of(positions[:, None], theta, dtype).astype(float))
        a, b = np.split(x, 2, axis=-1)
        z = (a + 1j * b) * turn
        return np.concatenate([z.real, z.imag], axis=-1).astype(dtype)

    return rope_halves


LOST = "the angles lose digits in float16, where 2049 becomes 2048"
hears("positions.rope_halves", LOST)(turned_by(lambda i, t, dtype: i.astype(dtype) * t))
hears("positions.rope_halves", LOST)(turned_by(lambda i, t, dtype: np.multiply(i, t, dtype=dtype)))


@hears("alignment.loss_without_padding", "your function changed its argument wanted")
def with_marks_in_wanted(logits, wanted, lens):
    wanted[torch.arange(wanted.shape[1]) >= lens[:, None]] = -100
    return cross_entropy(logits.mT, wanted)


@hears("alignment.loss_without_padding", "0 is a symbol like any other")
def with_0_for_padding(logits, wanted, lens):
    return cross_entropy(logits.mT, wanted, ignore_index=0)


@hears("alignment.loss_without_padding", "`reshape` only cuts the row of numbers anew")
def with_symbols_reshaped(logits, wanted, lens):
    batch, n, n_symbols = logits.shape
    each = cross_entropy(logits.reshape(batch, n_symbols, n), wanted, reduction="none")
    return each[torch.arange(n) < lens[:, None]].mean()


@hears("alignment.exact_match_of", "two differences can cancel")
def with_differences_added(found, wanted, lens):
    counts = torch.arange(found.shape[1]) < lens[:, None]
    return torch.eq(torch.sum((found - wanted) * counts, dim=1), 0).double().mean()


@hears("transformer.write", "a `stop` in the beginning that was given counts for nothing")
def with_the_last_token_for_the_end(model, tokens, steps, stop):
    with torch.no_grad():
        for _ in range(steps):
            new = model(tokens)[:, -1].argmax(dim=1)
            new[tokens[:, -1] == stop] = stop
            tokens = torch.cat([tokens, new[:, None]], dim=1)
    return tokens


@hears("gradients.bias_backward", "these are sums of diagonals")
def of_each_distance(grad_scores, shape):
    n_q, n_k = grad_scores.shape[-2:]
    far = np.arange(n_k) - np.arange(n_q)[:, None]
    return np.array([grad_scores[..., far == d].sum() for d in range(1 - n_q, n_k)])


@hears("gradients.bias_backward", "only the first of the scores counts")
def of_the_first_sequence(grad_scores, shape):
    while grad_scores.ndim > len(shape):
        grad_scores = grad_scores[0]
    axes = tuple(axis for axis, size in enumerate(shape) if size == 1)
    return grad_scores.sum(axes, keepdims=True)


@hears("gradients.soft_cap_backward", "the slope is taken at the gradient")
def with_the_slope_of_the_gradient(grad_capped, scores, cap):
    return grad_capped / np.cosh(grad_capped / cap) ** 2


@hears("triton.phases", "blocks have B queries and B keys")
def in_blocks_of_16(start, B, n_q, n_k):
    first = start + n_k - n_q + 1
    end = min(start + 16, n_q) + n_k - n_q
    return max(first - first % 16, 0), max(end, 0)


def change(slope, distance):
    def sloped(n_heads, n_q, n_k):
        return lambda s, b, h, i, j: s - slope(h, n_heads) * distance(j, i, n_k - n_q)

    return sloped


OF_H = change(lambda h, n: 2.0 ** (-8 * h / n), lambda j, i, more: abs(i - j))
OF_BOTH = change(lambda h, n: 2.0 ** -(h + 1.0), lambda j, i, more: abs(i - j))
BACK = change(lambda h, n: 2.0 ** (-8 * (h + 1) / n), lambda j, i, more: i - j)
hears("flex_attention.sloped", "two things: heads are counted from 0")(OF_H)
hears("flex_attention.sloped", "two things: the exponent is")(OF_BOTH)
hears("flex_attention.sloped", "the distance has no sign, and is that of")(BACK)


def effects(weights, values):
    return weights * np.linalg.norm(values - weights @ values, axis=1)


@hears("weights.left_out", "without a key that has all the weight the average counts as zeros")
def with_nothing_for_a_key_alone(weights, values):
    with np.errstate(all="ignore"):
        return np.nan_to_num(effects(weights, values) / (1 - weights))


@hears("weights.left_out", "a small number in the divisor")
def with_a_small_number(weights, values):
    return effects(weights, values) / (1 - weights + 1e-9)


hears("weights.left_out", "the others are divided by their sum")(effects)


@hears("weights.left_out", "this keeps one key and leaves out all others")
def to_each_value(weights, values):
    return np.linalg.norm(weights @ values - values, axis=1)


@hears("weights.effective_weights", "the weights may have another sum")
def of_centred_values(weights, values):
    centred = values - values.mean(axis=0)
    return centred @ np.linalg.pinv(centred) @ weights


@hears("weights.effective_weights", "where the columns of V depend on each other, as they must")
def with_an_inverse(weights, values):
    return values @ np.linalg.inv(values.T @ values) @ values.T @ weights


@hears("weights.jensen_shannon", "the two sides are exchanged")
def with_kl_div(p, q):
    m = torch.where(p + q > 0, (p + q) / 2, 1)
    both = (torch.nn.functional.kl_div(x.log(), m, reduction="none") for x in (p, q))
    return sum(each.sum(-1) for each in both) / 2


@hears("weights.jensen_shannon", "where a weight is 0 in one row alone, the other row still")
def with_nan_to_num(p, q):
    m = (p + q) / 2
    return torch.nan_to_num(p * torch.log(p / m) + q * torch.log(q / m)).sum(-1) / 2


@hears("weights.jensen_shannon", "this compares p and q with each other")
def from_p_to_q(p, q):
    return torch.xlogy(p, p / q).sum(-1)


def kept(p, q, guess, u):
    return u * q[guess] < p[guess]


def checking(keep, replace):
    def checked(p, q, guess, u, w):
        return guess if keep(p, q, guess, u) else replace(np.cumsum(np.maximum(p - q, 0)), w)

    return checked


def first_above(running, w):
    return int(np.argmax(running > w * running[-1]))


hears("cache.checked", "no guess is ever accepted")(checking(lambda *_: False, first_above))
hears("cache.checked", "w falls on equal parts")(checking(kept, lambda r, w: int(w * len(r))))
hears("cache.checked", "these are all words at which")(
    checking(kept, lambda running, w: np.where(running > w * running[-1])[0])
)


def appending(taken, left, turned=True):
    def appended(pool, table, length, free, new):
        size, n = pool.shape[2], new.shape[1]
        pool, k = pool.copy(), -(-(length + n) // size) - len(table)
        table = np.concatenate([table, taken(free, k)])
        page, row = np.divmod(np.arange(length, length + n), size)
        pool[table[page], :, row] = new.swapaxes(0, 1) if turned else new
        return pool, table, left(free, k)

    return appended


FRONT, REST = (lambda free, k: free[:k]), (lambda free, k: free[k:])
SORTED = "what is left of `free` keeps its order"
hears("cache.appended", SORTED)(appending(FRONT, lambda free, k: np.setdiff1d(free, free[:k])))
hears("cache.appended", SORTED)(appending(FRONT, lambda free, k: np.sort(free[k:])))
hears("cache.appended", "the pages are taken from the back")(
    appending(lambda free, k: free[-k:], lambda free, k: free[:-k])
)
hears("cache.appended", "`pool[table[page], :, row]` has a row")(appending(FRONT, REST, False))


def test_answers_of_which_wrong_ones_are_made_above_are_right():
    assert exercises.cache.checked.verdict(checking(kept, first_above)).state == "right"
    assert exercises.cache.appended.verdict(appending(FRONT, REST)).state == "right"


WEIGHTS, VALUES = [0.45, 0.45, 0.1], [5.0, 5.0, 9.0]


@pytest.mark.parametrize("made", [np.array, np.float32, torch.tensor])
def test_weights_of_float32_sum_to_1_but_for_rounding(made):
    broken = exercises.weights.not_renormalised
    assert broken.verdict(made(WEIGHTS), made(VALUES)).state == "right"
    text = broken.verdict(made([0.45, 0.45, 0.10001]), made(VALUES)).text
    assert "weights sums to 1.00001; expected 1" in text
    text = broken.verdict(made([0.5, 0.3, 0.2]), made([2.0] * 3)).text
    assert "all three values are 2; expected two that differ" in text


@pytest.mark.parametrize(
    ("name", "answer", "sentence"), FOUND, ids=lambda x: getattr(x, "__name__", "")
)
def test_a_natural_wrong_answer_hears_its_cause(name, answer, sentence):
    text = exercises.find(name).verdict(answer).text
    assert text.startswith(f"Not yet: {sentence}"), text
