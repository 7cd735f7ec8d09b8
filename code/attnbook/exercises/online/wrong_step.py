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


FOR_BOTH = {
    "total": lambda c, l, p: c * (l + np.sum(p, axis=-1)),
    "output": lambda c, o, p, v: c[..., None] * (o + p @ v),
}
C_FOR_ALL = FOR_BOTH, *({name: part} for name, part in FOR_BOTH.items())
POWERS_OF_2 = {
    "factor": lambda m, shift: np.exp2(m - shift),
    "exponentials": lambda scores, shift: np.exp2(scores - shift[..., None]),
}


def unguarded(new):
    return new


def of_the_block(m, scores):
    return np.max(scores, axis=-1)


def of_the_past(m, scores):
    return m + 0


def never_below_zero(m, scores):
    return np.maximum(np.maximum(m, 0), np.max(scores, axis=-1))


def never_below(number):
    def maximum(m, scores):
        return np.maximum(np.maximum(m, np.asarray(number, m.dtype)), np.max(scores, axis=-1))

    return maximum


def largest_of_the_block(m, scores):
    return np.maximum(m, np.max(scores))


def over_the_queries(axis):
    return lambda m, scores: np.maximum(m, np.max(scores, axis=axis))


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


def all_mended(m, l, o, scores, v):
    return tuple(map(np.nan_to_num, with_parts(guard=unguarded)(m, l, o, scores, v)))


def in_order(*places):
    def wrong(m, l, o, scores, v):
        results = solutions.step(m, l, o, scores, v)
        return tuple(results[place] for place in places)

    return wrong


def guard_returned(m, l, o, scores, v):
    new, total, out = solutions.step(m, l, o, scores, v)
    return np.where(new == -np.inf, 0, new), total, out


def lse_for_the_sum(m, l, o, scores, v):
    new, total, out = solutions.step(m, l, o, scores, v)
    return new, new + np.log(total), out


def output_carried(m, l, o, scores, v):
    """As if o were divided by l when it comes, and to be divided when it goes."""
    new, total, out = solutions.step(m, l, l[..., None] * o, scores, v)
    return new, total, out / np.where(total == 0, 1, total)[..., None]


def multiplied_by_l(m, l, o, scores, v):
    return solutions.step(m, l, l[..., None] * o, scores, v)


def relative_to_the_block(m, l, o, scores, v):
    top = np.max(scores, axis=-1, keepdims=True)
    p = np.exp(scores - np.where(top == -np.inf, 0, top))
    return with_parts(exponentials=lambda scores, shift: p)(m, l, o, scores, v)


def relative_to_the_past(m, l, o, scores, v):
    p = np.exp(scores - np.where(m == -np.inf, 0, m)[..., None])
    return with_parts(exponentials=lambda scores, shift: p)(m, l, o, scores, v)


def raised_to(number):
    def step(m, l, o, scores, v):
        lowest = np.asarray(number, m.dtype)
        return solutions.step(np.maximum(m, lowest), l, o, np.maximum(scores, lowest), v)

    return step


def scaled(m, l, o, scores, v):
    return solutions.step(m, l, o, scores * np.asarray(v.shape[-1] ** -0.5, m.dtype), v)


def without_the_past(m, l, o, scores, v):
    empty = np.full_like(m, -np.inf), np.zeros_like(l), np.zeros_like(o)
    return solutions.step(*empty, scores, v)
