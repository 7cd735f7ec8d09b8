"""Wrong versions of one more block: the right step with some of its parts exchanged."""

import numpy as np

from attnbook.exercises.solutions import online as solutions


def with_parts(
    maximum=lambda m, scores: np.maximum(m, np.max(scores, axis=-1)),
    guard=lambda new: np.where(new == -np.inf, 0, new),
    factor=lambda m, shift: np.exp(m - shift),
    exponentials=lambda scores, shift: np.exp(scores - shift[..., None]),
    total=lambda c, l, p: c * l + np.sum(p, axis=-1),
    output=lambda c, o, p, v: c[..., None] * o + p @ v,
):
    """The right step with some of its parts exchanged."""

    def wrong(m, l, o, scores, v):
        new = maximum(m, scores)
        shift = guard(new)
        c, p = factor(m, shift), exponentials(scores, shift)
        return new, total(c, l, p), output(c, o, p, v)

    return wrong


def unguarded(new):
    return new


def of_the_block(m, scores):
    return np.max(scores, axis=-1)


def of_the_past(m, scores):
    return m + 0


def never_below_zero(m, scores):
    return np.maximum(np.maximum(m, 0), np.max(scores, axis=-1))


def never_below_a_number(m, scores):
    return np.maximum(np.maximum(m, np.asarray(-5e4, m.dtype)), np.max(scores, axis=-1))


def one_for_all(m, scores):
    return np.full_like(m, max(np.max(m), np.max(scores)))


def divided(m, l, o, scores, v):
    new, total, out = solutions.step(m, l, o, scores, v)
    return new, total, out / np.where(total == 0, 1, total)[..., None]


def divided_without_a_guard(m, l, o, scores, v):
    new, total, out = solutions.step(m, l, o, scores, v)
    return new, total, out / total[..., None]


def as_lse(m, l, o, scores, v):
    new, total, out = solutions.step(m, l, o, scores, v)
    return new + np.log(total), total, out


def skips_what_is_empty_for_all(m, l, o, scores, v):
    if not np.any(np.isfinite(scores)):
        return m + 0, l + 0, o + 0
    return with_parts(guard=unguarded)(m, l, o, scores, v)


def logarithm_kept(m, l, o, scores, v):
    new, total, out = solutions.step(m, l, o, scores, v)
    return new, np.log(total), out


def mended_in_the_end(m, l, o, scores, v):
    """NaN made 0 wherever it stands: where the past was empty, too, all is well."""
    new, total, out = with_parts(guard=unguarded)(m, l, o, scores, v)
    return new, np.nan_to_num(total), np.nan_to_num(out)


def other_order(m, l, o, scores, v):
    new, total, out = solutions.step(m, l, o, scores, v)
    return new, out, total


def without_the_past(m, l, o, scores, v):
    empty = np.full_like(m, -np.inf), np.zeros_like(l), np.zeros_like(o)
    return solutions.step(*empty, scores, v)
