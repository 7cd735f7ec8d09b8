"""Wrong answers to what is learned that are right on most inputs, and what they hear."""

import math

import numpy as np
import pytest
import torch
from verdicts import assert_right, assert_wrong

from attnbook import exercises

WRONG = []  # an exercise, an answer, and the beginning of what it must hear


def hears(name, sentence=""):
    """The function below is a wrong answer of the exercise, and hears this."""
    return lambda answer: WRONG.append((name, answer, sentence)) or answer


def falling(step, warm_up, steps):
    return (1 + math.cos(math.pi * (step - warm_up) / (steps - warm_up))) / 2


def rising_all_the_way(at_each_step):
    def rate(step, warm_up, steps):
        if warm_up == steps:
            return at_each_step(step, steps)
        return step / warm_up if step <= warm_up else falling(step, warm_up, steps)

    return rate


hears("teach.rate", "where `warm_up` is `steps`, the rate rises all the way")(
    rising_all_the_way(lambda step, steps: 1.0)
)
hears("teach.rate")(rising_all_the_way(lambda step, steps: float(step == steps)))
hears("teach.rate")(rising_all_the_way(lambda step, steps: min(1, 2 * step / steps)))


def kept_at(factor, weights=lambda x: x.softmax(-1), result=torch.Tensor.masked_fill):
    def min_p(logits, p):
        found = weights(logits)
        return result(logits, ~(found >= factor * p * found.amax(-1, keepdim=True)), -torch.inf)

    return min_p


hears("teach.min_p", "each row has its own largest logit")(
    kept_at(1, lambda x: (x - x.max()).exp())
)
ONE_AXIS = "the shape is (3,); expected (1, 3)"
hears("teach.min_p", ONE_AXIS)(
    kept_at(1, result=lambda x, *low: x.masked_fill(*low).squeeze()),
)
hears("teach.min_p", ONE_AXIS)(
    kept_at(1, result=lambda x, *low: x.masked_fill(*low).squeeze(0)),
)
hears("teach.min_p")(kept_at(0.95))
hears("teach.min_p")(kept_at(1 - 1e-7))
PRECISION = "the probabilities are rounded too coarsely"
hears("teach.min_p", PRECISION)(kept_at(1, lambda x: x.float().softmax(-1)))
hears("teach.min_p", PRECISION)(kept_at(1, lambda x: x.half().softmax(-1)))
hears("teach.min_p", PRECISION)(kept_at(1, lambda x: x.bfloat16().softmax(-1)))


def targets_in(dtype):
    return lambda texts, stop: exercises.teach.targets_of.answer(texts, stop).to(dtype)


for dtype in ("int32", "int16", "int8"):
    said = f"the dtype is {dtype}; expected int64, that of `texts`"
    hears("teach.targets_of", said)(targets_in(getattr(torch, dtype)))


@hears("teach.targets_of")
def with_a_text_of_one_token(texts, stop):
    return texts if texts.shape[1] == 1 else exercises.teach.targets_of.answer(texts, stop)


@hears("circuit.induction_score")
def with_ten_tokens(weights, tokens):
    one_hot = torch.nn.functional.one_hot(tokens, 10).to(weights.dtype)
    pairs = torch.zeros_like(weights)
    pairs[:, 1:] = one_hot @ one_hot[:-1].T
    pairs = pairs.tril()
    return (weights * pairs).sum(1)[pairs.any(1)].mean()


def by_one_hot(pool, table, length):
    hot = (table[:, None] == np.arange(len(pool))).astype(pool.dtype)
    rows = np.einsum("tp,phsd->htsd", hot, pool)
    return rows.reshape(pool.shape[1], -1, pool.shape[3])[:, :length]


def of_numbers(pool, table, length):
    return np.nan_to_num(exercises.cache.gathered.answer(pool, table, length))


with np.errstate(invalid="ignore"):
    hears("cache.gathered", "pages of others may hold anything, and 0 · NaN is NaN")(by_one_hot)
hears("cache.gathered", "a key that is infinite")(of_numbers)


def put(pool, place, words):
    pool[place] = words
    return pool


def blended(pool, place, words):
    scattered, mask = np.zeros_like(pool), np.zeros_like(pool)
    scattered[place], mask[place] = words, 1
    return pool * (1 - mask) + scattered * mask


def cleared(pool, place, words):
    pool[place] *= 0
    pool[place] += words
    return pool


def appending(
    begun=lambda pool: pool.copy(), write=put, left=lambda free, k: free[k:], early=False
):
    def appended(pool, table, length, free, new):
        size, n = pool.shape[2], new.shape[1]
        pages = -(-(length + n) // size)
        pages = max(pages, length // size + 1) if early else pages
        k = pages - len(table)
        table = np.concatenate([table, free[:k]])
        page, row = np.divmod(np.arange(length, length + n), size)
        pool = write(begun(pool), (table[page], slice(None), row), new.swapaxes(0, 1))
        return pool, table, left(free, k)

    return appended


AS_THEY_ARE = "rows that get no new word stay as they are"
hears("cache.appended", AS_THEY_ARE)(appending(np.nan_to_num))
hears("cache.appended", AS_THEY_ARE)(appending(lambda pool: np.clip(pool, -1e6, 1e6)))
REACHES = "what lay in a row must not reach the new word"
hears("cache.appended", REACHES)(appending(write=cleared))
hears("cache.appended", REACHES)(appending(write=blended))
EARLY = "a page is taken only when there is a word for it"
hears("cache.appended", EARLY)(appending(early=True))


@hears("cache.appended", EARLY)
def in_a_loop(pool, table, length, free, new):
    pool, table, free = pool.copy(), list(table), list(free)
    for word in range(length, length + max(1, new.shape[1])):
        page, row = divmod(word, pool.shape[2])
        if page == len(table):
            table.append(free.pop(0))
        if word < length + new.shape[1]:
            pool[table[page], :, row] = new[:, word - length]
    return pool, np.array(table, dtype=int), np.array(free, dtype=int)


hears("cache.appended", "where all of `free` is taken nothing is left")(
    appending(left=lambda free, k: free[-(len(free) - k) :])
)


def replaced_by(word):
    def checked(p, q, guess, u, w):
        excess = np.maximum(p - q, 0)
        running = np.cumsum(excess / max(excess.sum(), 1e-300))
        return guess if u * q[guess] < p[guess] else word(running, w)

    return checked


ROUNDED = "rounding may leave the last sum at or below w"
hears("cache.checked", ROUNDED)(replaced_by(lambda sums, w: int(np.argmax(sums > w))))
hears("cache.checked", ROUNDED)(replaced_by(lambda sums, w: int((sums <= w).sum())))
hears("cache.checked", ROUNDED)(
    replaced_by(lambda sums, w: min(int((sums <= w).sum()), len(sums) - 1))
)


@pytest.mark.parametrize(
    ("name", "answer", "sentence"), WRONG, ids=lambda x: x if isinstance(x, str) else ""
)
def test_an_answer_that_is_right_on_most_inputs_is_refused_and_hears_why(name, answer, sentence):
    assert_wrong(name, answer, sentence)


def who_refuses(arrays_that, answer):
    """An answer that is right, and raises where an array is so."""

    def function(*given):
        if any(arrays_that(x) for x in given if hasattr(x, "shape")):
            raise ValueError("not such an array")
        return answer(*given)

    return function


def not_contiguous(x):
    return not (x.is_contiguous() if torch.is_tensor(x) else x.flags.c_contiguous)


@pytest.mark.parametrize(
    ("name", "refused"),
    [
        ("teach.min_p", not_contiguous),
        ("teach.min_p", lambda x: 1 in x.shape),
        ("teach.targets_of", lambda x: x.shape[1] == 1),
        ("circuit.mean_ablated", not_contiguous),
        ("cache.gathered", not_contiguous),
        ("cache.gathered", lambda x: x.dtype.kind == "f" and not np.isfinite(x).all()),
        ("cache.appended", lambda x: x.ndim == 4 and x.shape[2] == 1),
    ],
)
def test_an_input_that_many_answers_refuse_is_among_the_cases(name, refused):
    exercise = exercises.find(name)
    assert "not such an array" in exercise.verdict(who_refuses(refused, exercise.answer)).text


RIGHT = [
    ("teach.rate", rising_all_the_way(lambda step, steps: step / steps)),
    ("teach.min_p", kept_at(1)),
    ("teach.min_p", kept_at(1, lambda x: (x - x.amax(-1, keepdim=True)).exp())),
    ("teach.targets_of", targets_in(torch.long)),
    ("cache.appended", appending()),
    ("cache.checked", replaced_by(lambda sums, w: int(np.argmax(sums > w * sums[-1])))),
    ("cache.checked", replaced_by(lambda sums, w: int(np.argmax(sums / sums[-1] > w)))),
]


@pytest.mark.parametrize(("name", "answer"), RIGHT, ids=lambda x: x if isinstance(x, str) else "")
def test_an_answer_of_which_wrong_ones_are_made_is_right(name, answer):
    assert_right(name, answer)
