"""Alignment, and what weights tell: wrong answers that once passed, and causes that are named."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F
from verdicts import assert_right, assert_wrong

from attnbook import exercises

WRONG = []  # an exercise, an answer, and the beginning of what it must hear


def hears(name, sentence, *answers):
    """These are wrong answers of the exercise `name`, and each hears this."""
    WRONG.extend((name, answer, sentence) for answer in answers)


def mask(wanted, lens):
    return torch.arange(wanted.shape[1]) < lens[:, None]


def matched(same):
    """An exact match by another comparison of the symbols."""

    def exact_match_of(found, wanted, lens):
        return (same(found, wanted) | ~mask(wanted, lens)).all(dim=1).double().mean()

    return exact_match_of


def by_row(same):
    def exact_match_of(found, wanted, lens):
        rows = zip(found, wanted, lens, strict=True)
        return torch.tensor([same(f[:n], w[:n]) for f, w, n in rows]).double().mean()

    return exact_match_of


def joined(row):
    return "".join(map(str, row.tolist()))


def by_products(found, wanted, lens):
    return (torch.where(mask(wanted, lens), found - wanted + 1, 1).prod(1) == 1).double().mean()


def nearly_all(found, wanted, lens):
    return (((found == wanted) | ~mask(wanted, lens)).double().mean(1) > 0.9).double().mean()


def in_int8(found, wanted, lens):
    return exercises.alignment.exact_match_of.answer(found, wanted, lens.to(torch.int8))


MATCH = "alignment.exact_match_of"
hears(MATCH, "", by_row(lambda f, w: joined(f) == joined(w)), by_products, nearly_all, in_int8)
hears(MATCH, "", matched(lambda f, w: f.to(torch.uint8) == w.to(torch.uint8)))
hears(MATCH, "your function raised", matched(lambda f, w: (f.view(-1) == w.view(-1)).view(f.shape)))
SAME = "symbols are numbers, and equal only if they are the same"
hears(MATCH, SAME, matched(lambda f, w: torch.isclose(f.double(), w.double(), rtol=1e-2)))
hears(MATCH, SAME, matched(lambda f, w: f.float() == w.float()))
hears(MATCH, SAME, by_row(lambda f, w: torch.allclose(f.double(), w.double())))
ZERO = "0 is a symbol like any other"
hears(MATCH, ZERO, matched(lambda f, w: (f == w) | (f == 0)))
hears(MATCH, ZERO, matched(lambda f, w: (f == w) | (w == 0)))


def loss(of):
    """A loss of which `of` makes the loss of each symbol."""
    return lambda logits, wanted, lens: of(logits, wanted)[mask(wanted, lens)].mean()


def cross_entropy(logits, wanted):
    return F.cross_entropy(logits.mT, wanted, reduction="none")


def in_one_row(logits, wanted, lens):
    counts = mask(wanted, lens).view(-1)
    return F.cross_entropy(logits.view(-1, logits.shape[-1])[counts], wanted[mask(wanted, lens)])


LOSS = "alignment.loss_without_padding"
hears(LOSS, "your function raised", in_one_row)
hears(LOSS, "softmax stands here twice", loss(lambda x, w: cross_entropy(x.softmax(-1), w)))
hears(LOSS, "these are bits", loss(lambda x, w: cross_entropy(x, w) / np.log(2)))


def divergence(kl):
    """The mean of two divergences from the middle."""
    return lambda p, q: (kl(p, (p + q) / 2) + kl(q, (p + q) / 2)) / 2


def clamped(least):
    def kl(p, m):
        return (p * (p.clamp(min=least).log() - m.clamp(min=least).log())).sum(-1)

    return divergence(kl)


def kl_of(p, q):
    return (torch.xlogy(p, p) - torch.xlogy(p, q)).sum(-1)


def viewed(p, m):
    terms = torch.xlogy(p, p) - torch.xlogy(p, m)
    return terms.view(-1, p.shape[-1]).sum(-1).view(p.shape[:-1])


JENSEN = "weights.jensen_shannon"
hears(JENSEN, "weights below the bound of your clamp", clamped(1e-3), clamped(1e-6))
hears(JENSEN, "your function raised", divergence(viewed))
hears(JENSEN, "this compares p and q with each other", kl_of)


def without(divisor):
    """The distances, by another divisor of the weights that are left."""

    def left_out(weights, values):
        kept = weights * (1 - np.eye(len(weights)))
        average = kept / divisor(kept.sum(axis=1, keepdims=True)) @ values
        return np.linalg.norm(weights @ values - average, axis=1)

    return left_out


def cumulative(weights, values):
    left, moved = weights.copy(), []
    for j in range(len(weights)):
        left[j] = 0
        average = left / left.sum() @ values if left.any() else 0 * values[0]
        moved.append(np.linalg.norm(weights @ values - average))
    return np.array(moved)


LEFT = "weights.left_out"
NEARLY = "one key may have nearly all the weight"
hears(LEFT, NEARLY, *(without(lambda s, n=n: np.where(s < n, 1, s)) for n in (0.05, 1e-3, 1e-6)))
hears(LEFT, NEARLY, without(lambda s: np.maximum(s, 1e-3)))
hears(LEFT, "a small number in the divisor", without(lambda s: s + 1e-12))
hears(LEFT, "the other keys are back", cumulative)


def cut(below):
    def effective_weights(weights, values):
        u, s, _ = np.linalg.svd(values, full_matrices=False)
        return u[:, s > below] @ (u[:, s > below].T @ weights)

    return effective_weights


def projected(v):
    return v @ np.linalg.pinv(v)


def by_size(weights, values):
    return weights * np.linalg.norm(values, axis=1) / np.maximum(1 - weights, 1e-9)


def with_an_inverse_if_there_is_one(weights, values):
    try:
        return values @ np.linalg.inv(values.T @ values) @ (values.T @ weights)
    except np.linalg.LinAlgError:
        return projected(values) @ weights


hears(LEFT, "what counts is how far a value lies from the average", by_size)
EFFECTIVE = "weights.effective_weights"
DEPEND = "where the columns of V depend on each other"
hears(EFFECTIVE, DEPEND, with_an_inverse_if_there_is_one)
SMALL = "small numbers in V count as well"
hears(EFFECTIVE, SMALL, cut(0.1), cut(1e-3))
hears(EFFECTIVE, SMALL, lambda w, v: v @ np.linalg.pinv(v, rcond=0.1) @ w)
hears(EFFECTIVE, "the weights may have", lambda w, v: projected(np.c_[v, np.ones(len(v))]) @ w)
hears("weights.redundant", "a distance has no sign", [-0.65, 0.8, -7.2])
hears("weights.same_output", "these are the right numbers in another order", [2, 4, 4, 3.5, 4])


@pytest.mark.parametrize(
    ("name", "answer", "sentence"), WRONG, ids=lambda x: x if isinstance(x, str) else ""
)
def test_a_wrong_answer_is_refused_and_hears_its_cause(name, answer, sentence):
    assert_wrong(name, answer, sentence)


def by_deletion(weights, values):
    moved = []
    for j in range(len(weights)):
        others = np.delete(weights, j)
        average = others @ np.delete(values, j, 0) / (others.sum() or 1)
        moved.append(np.linalg.norm(weights @ values - average))
    return np.array(moved)


def in_closed_form(weights, values):
    out, rest = weights @ values, 1 - weights
    moved = weights * np.linalg.norm(values - out, axis=1) / np.where(rest == 0, 1, rest)
    return np.where(rest == 0, np.linalg.norm(out), moved)


def by_normal_equations(weights, values):
    return values @ np.linalg.pinv(values.T @ values) @ (values.T @ weights)


RIGHT = [
    (MATCH, matched(lambda f, w: f == w)),
    (MATCH, by_row(torch.equal)),
    (LOSS, loss(cross_entropy)),
    (LOSS, lambda x, w, lens: loss(cross_entropy)(x.double(), w, lens).to(x.dtype)),
    (JENSEN, clamped(torch.finfo(torch.float32).tiny)),
    (LEFT, without(lambda s: np.where(s == 0, 1, s))),
    (LEFT, by_deletion),
    (LEFT, in_closed_form),
    (EFFECTIVE, cut(1e-10)),
    (EFFECTIVE, by_normal_equations),
    (EFFECTIVE, lambda w, v: np.linalg.lstsq(v.T, w @ v)[0]),
]


@pytest.mark.parametrize(("name", "answer"), RIGHT, ids=lambda x: x if isinstance(x, str) else "")
def test_an_answer_of_which_wrong_ones_are_made_is_right(name, answer):
    assert_right(name, answer)
