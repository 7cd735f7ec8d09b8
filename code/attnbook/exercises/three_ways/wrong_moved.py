"""Tests for leaks with one thing wrong in them, for the check to recognise."""

import numpy as np

from attnbook.exercises.solutions import three_ways as solutions


def noise(x):
    """A new word, the same each time, from a seed that no reader takes."""
    return np.random.default_rng(98_765).standard_normal(x.shape[-1])


def checker(change=None, moved=np.not_equal, answer=None):
    """The solution with another change of the word, comparison or answer."""

    def first_moved(attention, x, t):
        changed = x.copy()
        changed[t] = noise(x) if change is None else change(x[t])
        rows = np.any(moved(attention(changed), attention(x)), axis=-1)
        first = _first(rows)
        return first if answer is None else answer(rows, first, t)

    return first_moved


def with_changed(make):
    """The solution with other words, made of x and t."""

    def first_moved(attention, x, t):
        return _first(np.any(attention(make(x, t)) != attention(x), axis=-1))

    return first_moved


def _first(rows):
    return int(np.argmax(rows)) if rows.any() else len(rows)


def _not_close(**tolerance):
    return checker(moved=lambda a, b: ~np.isclose(a, b, **tolerance))


def _more_than(least):
    return checker(moved=lambda a, b: np.abs(a - b) > least)


TOLERANT = (
    _not_close(),
    _not_close(rtol=0, atol=1e-12),
    _more_than(1e-15),
    _more_than(1e-20),
    checker(moved=lambda a, b: np.float32(a) != np.float32(b)),
    _not_close(rtol=1e-15, atol=0),
    _more_than(np.finfo(float).tiny),
    checker(moved=lambda a, b: (a - b) ** 2 > 0),
)


def row_sums(a, b):
    return (np.sum(a, axis=-1) != np.sum(b, axis=-1))[..., None]


def row_lengths(a, b):
    return (np.linalg.norm(a, axis=-1) != np.linalg.norm(b, axis=-1))[..., None]


def last_row(rows, first, t):
    return len(rows) - 1 - int(np.argmax(rows[::-1])) if rows.any() else len(rows)


def one_feature(index):
    def change(word):
        word = word.copy()
        word[index] += 1
        return word

    return checker(change)


def _from_t_on(x, t):
    changed = x.copy()
    changed[t:] = np.random.default_rng(98_765).standard_normal(changed[t:].shape)
    return changed


def _the_word_before(x, t):
    changed = x.copy()
    changed[t] = x[t - 1]
    return changed


FIXED_WORDS = (
    checker(change=lambda word: np.arange(word.shape[-1])),
    checker(change=lambda word: np.arange(word.shape[-1]) + 1),
    checker(change=lambda word: np.eye(word.shape[-1])[-1]),
    checker(change=lambda word: (-1.0) ** np.arange(word.shape[-1])),
)
SEEDED = tuple(
    checker(change=lambda word, draw=draw, seed=seed: draw(seed, word.shape[-1]))
    for seed in (0, 42)
    for draw in (
        lambda seed, d: np.random.default_rng(seed).standard_normal(d),
        lambda seed, d: np.random.RandomState(seed).standard_normal(d),
    )
)
the_rest = with_changed(_from_t_on)
word_before = with_changed(_the_word_before)


def by_numbers(first):
    """The solution, but `first` finds the answer in booleans of one for each number."""

    def first_moved(attention, x, t):
        changed = x.copy()
        changed[t] = noise(x)
        return first(attention(changed) != attention(x))

    return first_moved


argmax_of_all = by_numbers(lambda differ: int(np.argmax(differ)))
columns = by_numbers(lambda differ: _first(np.any(differ, axis=0)))


def in_place(attention, x, t):
    before = attention(x)
    x[t] = noise(x)
    return _first(np.any(attention(x) != before, axis=-1))


def a_view(attention, x, t):
    changed = x
    changed[t] = noise(x)
    return int(attention(changed).shape[-2])


def row_by_row(stop):
    """A loop over as many rows as `stop` makes of x and t, which is also the answer for none."""

    def first_moved(attention, x, t):
        changed = x.copy()
        changed[t] = noise(x)
        before, after = attention(x), attention(changed)
        for i in range(stop(x, t)):
            if np.any(before[i] != after[i]):
                return i
        return stop(x, t)

    return first_moved


def count_if_none(count):
    """The solution, but `count` of x where no row moves."""

    def first_moved(attention, x, t):
        first = solutions.first_moved(attention, x, t)
        return count(x) if first == attention(x).shape[-2] else first

    return first_moved
