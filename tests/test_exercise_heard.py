"""What wrong answers to what is learned hear: the right cause, and no cause that is not theirs."""

import math

import numpy as np
import pytest
import torch
from verdicts import assert_right, assert_wrong

from attnbook import exercises

WRONG = []  # an exercise, an answer, and the beginning of what it must hear


def hears(name, sentence, *answers):
    """These are wrong answers of the exercise `name`, and each hears this."""
    WRONG.extend((name, answer, sentence) for answer in answers)


BYTES = "cache.bytes_of_a_word"
hears(BYTES, "a number of 16 bits", (49152, 12288, 6144, 12), (49152, 12288, 6144, 24))
hears(BYTES, "a word has a key and a value", (49152, 12288, 12288, 24), (49152, 12288, 12288, 12))
hears(BYTES, "4 key-value heads are kept", (98304, 6144, 12288, 24))
hears(BYTES, "there are 16 heads", (24576, 24576, 12288, 24))
hears(BYTES, "of the numbers, the first is wrong: 196608 is", (196608, 24576, 12288, 24))
hears(BYTES, "of the numbers, the second is wrong: 49152 is", (98304, 49152, 12288, 24))
hears(BYTES, "queries are not kept", (147456, 49152, 12288, 24), (147456, 36864, 12288, 36))


def going_on(where, shift=1):
    """Targets of the positions that `where` keeps."""

    def targets_of(texts, stop):
        targets = torch.full_like(texts, -100)
        targets[:, :-1] = texts[:, 1:] if shift else texts[:, :-1]
        return targets.masked_fill(~where(texts, stop), -100)

    return targets_of


def stops(texts, stop):
    return (texts == stop).cumsum(1)


COUNT = "the position of the first stop is asked for nothing either"
hears(
    "teach.targets_of",
    COUNT,
    going_on(lambda texts, stop: stops(texts, stop) - (texts == stop).int() == 0),
    going_on(lambda texts, stop: ~(stops(texts, stop) > 1)),
)
FIRST_TEXT = "the stops of each text are its own"
hears("teach.targets_of", FIRST_TEXT, going_on(lambda texts, stop: stops(texts, stop)[:1] == 0))
LARGER = "the stop is the token `stop` alone"
hears("teach.targets_of", LARGER, going_on(lambda texts, stop: (texts >= stop).cumsum(1) == 0))
THEMSELVES = "these are the tokens themselves"
hears("teach.targets_of", THEMSELVES, going_on(lambda *x: stops(*x) == 0, shift=0))


def after_the_rise(fall):
    return lambda i, n, end: i / n if i <= n else fall((i - n) / (end - n))


BRACKETS = "the half belongs to the whole sum"
hears("teach.rate", BRACKETS, after_the_rise(lambda x: 0.5 * 1 + math.cos(math.pi * x)))
hears("teach.rate", "3.14 is π", after_the_rise(lambda x: (1 + math.cos(3.14 * x)) / 2))
NO_RISE = "there is no warm-up here"
hears("teach.rate", NO_RISE, lambda step, _, steps: (1 + math.cos(math.pi * step / steps)) / 2)


def with_logarithm(log):
    def min_p(logits, p):
        threshold = logits.amax(-1, keepdim=True) + (log(p) if p else -math.inf)
        return torch.where(logits < threshold, -torch.inf, logits)

    return min_p


LN = "logits are natural logarithms"
hears("teach.min_p", LN, with_logarithm(math.log2), with_logarithm(math.log10))


def by_the_mean(logits, p):
    weights = logits.softmax(-1)
    return logits.masked_fill(weights < p * weights.mean(-1, keepdim=True), -torch.inf)


hears("teach.min_p", "the threshold is p times the largest probability, and", by_the_mean)


def others(written, head):
    return written[[h for h in range(len(written)) if h != head]]


OWN = "the mean is that of the head that is taken out"
hears("circuit.mean_ablated", OWN, lambda x, head: others(x, head).sum(0) + others(x, head).mean(0))
ADDED = "the other heads add what they have found, and not their average"
hears("circuit.mean_ablated", ADDED, lambda x, head: x[head].mean(dim=0) + others(x, head).mean(0))


def fold(matrix, bias=lambda shift, w, matrix: shift @ w):
    return lambda scale, shift, w: torch.cat(
        [matrix(scale[:, None], w), bias(shift, w, matrix(scale[:, None], w))[None]]
    )


def centred(w):
    return w - w.mean(dim=0)


TWICE = "W keeps its column means until it is scaled"
hears("circuit.folded", TWICE, fold(lambda scale, w: centred(scale * centred(w))))
hears("circuit.folded", "the scale multiplies, and", fold(lambda scale, w: centred(w / scale)))
AS_IT_IS = "the shift is added behind the mean's subtraction"
hears(
    "circuit.folded",
    AS_IT_IS,
    fold(lambda scale, w: centred(scale * w), lambda shift, w, _: shift @ w - w.mean(dim=0)),
)


def ceil(a, b):
    return -(-a // b)


FULL = "on a full page no row is free"
BEGUN = "the page that is begun is the text's already"
FORGOTTEN = "the free rows of the last page are forgotten"
FITS = "where the words fit on the page that is begun"
hears(
    "cache.pages_needed",
    FULL,
    lambda length, n, size: ceil(n - (size - length % size), size),
    lambda length, n, size: max(0, ceil(n - (size - length % size), size)),
)
hears(
    "cache.pages_needed",
    BEGUN,
    lambda length, n, size: ceil(length + n, size) - length // size,
    lambda length, n, size: ceil(n + length % size, size),
)
hears("cache.pages_needed", FORGOTTEN, lambda length, n, size: n // size + 1)
hears(
    "cache.pages_needed",
    FITS,
    lambda length, n, size: max(1, ceil(length + n, size) - ceil(length, size)),
)


def with_pages_cut(pool, table, length):
    pages = pool[table[: ceil(length, pool.shape[2])]].swapaxes(0, 1)
    return pages.reshape(pool.shape[1], -1, pool.shape[3])


hears("cache.gathered", "the text is not cut at its last word", with_pages_cut)


def of_results(change):
    return lambda *given: change(*exercises.cache.appended.answer(*given))


ORDER = "the results are right, in another order"
hears("cache.appended", ORDER, of_results(lambda pool, table, free: (table, pool, free)))
hears("cache.appended", ORDER, of_results(lambda pool, table, free: (pool, free, table)))
TABLE = "the table keeps the order of the text"
hears("cache.appended", TABLE, of_results(lambda pool, table, free: (pool, np.sort(table), free)))


def cut_behind(pool, table, length, free, new):
    pool, table, left = exercises.cache.appended.answer(pool, table, length, free, new)
    return pool, table, free[: len(left)]


hears("cache.appended", "the pages that are taken stand at the front of `free`", cut_behind)


def checked(keep=lambda p, q, guess, u: u * q[guess] < p[guess], missing=None, total=None):
    def check(p, q, guess, u, w):
        if keep(p, q, guess, u):
            return guess
        running = np.cumsum(missing(p, q, guess) if missing else np.maximum(p - q, 0))
        whole = total(p, q, guess) if total else running[-1]
        return int(np.argmax(running > w * whole))

    return check


GREEDY = "accepted only if it is the word that the target likes best"
hears("cache.checked", GREEDY, checked(lambda p, q, guess, u: guess == p.argmax()))
WITHOUT = "the residual is what p has above q, and not p without the guess"
hears("cache.checked", WITHOUT, checked(missing=lambda p, q, x: p * (np.arange(len(p)) != x)))
FROM_Q = "the replacement is drawn from q here"
hears("cache.checked", FROM_Q, checked(missing=lambda p, q, x: q))
SUM = "the residual has the sum of what p has above q"
hears("cache.checked", SUM, checked(total=lambda p, q, x: 1 - p[x] / q[x]))


@pytest.mark.parametrize(
    ("name", "answer", "sentence"), WRONG, ids=lambda x: x if isinstance(x, str) else ""
)
def test_a_natural_wrong_answer_hears_its_cause(name, answer, sentence):
    assert_wrong(name, answer, sentence)


RIGHT = [
    ("teach.targets_of", going_on(lambda texts, stop: stops(texts, stop) == 0)),
    ("teach.rate", after_the_rise(lambda x: (1 + math.cos(math.pi * x)) / 2)),
    ("teach.min_p", with_logarithm(math.log)),
    ("circuit.mean_ablated", lambda x, head: x[head].mean(dim=0) + others(x, head).sum(0)),
    ("circuit.folded", fold(lambda scale, w: centred(scale * w))),
    ("cache.appended", of_results(lambda *results: results)),
    ("cache.checked", checked()),
]


@pytest.mark.parametrize(("name", "answer"), RIGHT, ids=lambda x: x if isinstance(x, str) else "")
def test_an_answer_of_which_wrong_ones_are_made_is_right(name, answer):
    assert_right(name, answer)


def with_the_cosine_of_a_tensor(step, warm_up, steps):
    if step <= warm_up:
        return step / warm_up
    return (1 + torch.cos(torch.tensor(math.pi * (step - warm_up) / (steps - warm_up))).item()) / 2


def test_a_number_of_float32_is_called_nearly_right():
    said = "; it is nearly right: the difference is in small digits\n"
    assert said in exercises.teach.rate.verdict(with_the_cosine_of_a_tensor).text
    off = lambda *given: exercises.teach.rate.answer(*given) * 0.99  # noqa: E731
    assert said not in exercises.teach.rate.verdict(off).text


@pytest.mark.parametrize(
    ("name", "number"),
    [("cache.checked", 0), ("teach.rate", 0.0), ("teach.rate", 1), ("cache.pages_needed", 1)],
)
def test_a_constant_is_called_one(name, number):
    told = exercises.find(name).verdict(lambda *given: number).text
    assert "; it is the same for every input\n" in told
