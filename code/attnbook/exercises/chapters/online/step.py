"""One more block · medium · 15 min

Hints
1. The maximum of a block is np.max(scores, axis=-1); the new m is the larger of it and m.
2. c = exp(m - new) multiplies l and o; p = exp(scores - new[..., None]) is what is added.
3. o has one more axis than c: c[..., None] * o + p @ v.
4. Where new is -inf, subtract 0 instead: np.where(new == -np.inf, 0, new).

Why
The new maximum is the larger of the old one and the block's. The factor $c$ converts both sums from
the old maximum to the new one, for all the keys that came before at once, and the block adds its
own exponentials and these times their values. Where the new maximum is −∞ the query has seen nothing yet:
shifted by 0, all exponentials are 0, and so are both sums.

Notice
After a million keys there are still d_v + 2 floats for each query, and nothing that the
output or L needs is missing.
"""

import numpy as np

from attnbook.exercises.engine import case, stress, write


def step(m, l, o, scores, v):
    """m, l and o after one more block of scores and values."""
    new = np.maximum(m, np.max(scores, axis=-1))
    shift = np.where(new == -np.inf, 0, new)
    c, p = np.exp(m - shift), np.exp(scores - shift[..., None])
    return new, c * l + np.sum(p, axis=-1), c[..., None] * o + p @ v


def unguarded(m, l, o, scores, v):
    new = np.maximum(m, np.max(scores, axis=-1))
    c, p = np.exp(m - new), np.exp(scores - new[..., None])
    return new, c * l + np.sum(p, axis=-1), c[..., None] * o + p @ v


def returned(m, l, o, scores, v):
    """The right step, before a mistake in what it returns."""
    new, total, out = step(m, l, o, scores, v)
    return new, total, out


def key_by_key(m, l, o, scores, v):
    """Each query meets one key after the other, and moves its sums where that key is higher."""
    m, l, o = m.copy(), l.copy(), o.copy()
    for *at, j in np.ndindex(scores.shape):
        i, key, s = tuple(at), (*at[:-1], j), scores[*at, j]
        if s > m[i]:
            c = np.exp(m[i] - s)
            m[i], l[i], o[i] = s, c * l[i], c * o[i]
        if s > -np.inf:
            l[i] += np.exp(s - m[i])
            o[i] += np.exp(s - m[i]) * v[key]
    return m, l, o


rng = np.random.default_rng(5)


def drawn(*batch, n_q, n_b, d_v, seen=True, dtype=np.float64):
    """A state that a first block left, or that of the start, and a block to come."""
    first, scores = rng.standard_normal((2, *batch, n_q, n_b)) * 2
    before, v = rng.standard_normal((2, *batch, n_b, d_v))
    start = np.full((*batch, n_q), -np.inf), np.zeros((*batch, n_q)), np.zeros((*batch, n_q, d_v))
    m, l, o = step(*start, first, before) if seen else start
    found = {"m": m, "l": l, "o": o, "scores": scores, "v": v}
    return {name: x.astype(dtype) for name, x in found.items()}


START = {"m": np.array([-np.inf]), "l": np.zeros(1), "o": np.zeros((1, 1))}
AFTER_TWO = {"m": np.log([3.0]), "l": np.array([4 / 3]), "o": np.array([[4.0]])}
FIRST = {"scores": np.log([[1.0, 3.0]]), "v": np.array([[0.0], [4.0]])}
SECOND = {"scores": np.log([[4.0]]), "v": np.array([[8.0]])}
LOWER = {"scores": np.log([[1.0, 1.0]]), "v": np.array([[8.0], [2.0]])}
NOTHING = {"scores": np.array([[-np.inf, -np.inf]]), "v": np.array([[5.0], [7.0]])}
ROWS = {
    "m": np.array([-np.inf, 1.0, -np.inf]),
    "l": np.array([0.0, 2.0, 0.0]),
    "o": np.array([[0.0, 0.0], [3.0, 1.0], [0.0, 0.0]]),
    "scores": np.array([[-np.inf, -np.inf], [-np.inf, -np.inf], [0.0, -np.inf]]),
    "v": np.array([[1.0, 2.0], [3.0, 4.0]]),
}


def far(old, new):
    return {
        "m": np.array([old, old]),
        "l": np.array([1.5, 1.0]),
        "o": np.array([[3.0], [2.0]]),
        "scores": np.array([[new, new - 1], [new - 2, new]]),
        "v": np.array([[4.0], [6.0]]),
    }


CASES = (
    case(**START, **FIRST, gives=tuple(AFTER_TWO.values())),
    case(**AFTER_TWO, **SECOND, gives=(np.log([4.0]), np.array([2.0]), np.array([[11.0]]))),
    case(**AFTER_TWO, **LOWER),
    case(**drawn(n_q=3, n_b=5, d_v=2)),
    case(**drawn(n_q=3, n_b=5, d_v=4, seen=False)),
    case(**drawn(2, n_q=4, n_b=3, d_v=6)),
    case(**drawn(2, 3, n_q=2, n_b=4, d_v=5)),
    case(**drawn(n_q=3, n_b=3, d_v=3)),
    stress(**START, **NOTHING),
    stress(**AFTER_TWO, **NOTHING),
    stress(**ROWS),
    stress(**AFTER_TWO, **SECOND | {"v": np.array([[np.nan]])}),
    stress(**AFTER_TWO, scores=np.array([[-2000.0]]), v=np.array([[np.nan]])),
    stress(**far(1000.0, 1001.0)),
    stress(**far(-1000.0, -1001.0)),
    stress(**far(-1000.0, 1000.0)),
    stress(**far(1000.0, -1000.0)),
    stress(**drawn(n_q=2, n_b=3, d_v=4, dtype=np.float32)),
)

MISTAKES = r"""
a visible NaN is lost where its weight rounds to 0: only a hidden key has no influence.
    p @ v → np.where(p[..., None] > 0, p[..., None] * v[..., None, :, :], 0).sum(-2)
l or o is not multiplied by c: when the maximum rises, both have to shrink.
    c[..., None] * o → o
    c * l → l
    c * l → l ; c[..., None] * o → o
c multiplies the new block as well, which is counted from the new maximum already.
    c * l + np.sum(p, axis=-1) → c * (l + np.sum(p, axis=-1)) ; * o + p @ v → * (o + p @ v)
    c * l + np.sum(p, axis=-1) → c * (l + np.sum(p, axis=-1))
    * o + p @ v → * (o + p @ v)
a difference has the wrong sign: neither exp(m_old - m_new) nor exp(scores - m_new) is above 1.
    scores - shift[..., None] → shift[..., None] - scores
    np.exp(m - shift) → np.exp(shift - m)
    np.exp(m - shift) → np.exp(shift - np.where(m == -np.inf, shift, m))
m does not rise with the block, so the first exponentials may overflow: take the larger of the two
maxima.
    np.maximum(m, np.max(scores, axis=-1)) → m + 0
from the block's scores no maximum is subtracted, or the old one, or the block's own: subtract the
new one.
    scores - shift[..., None] → scores
    scores - shift[..., None] → scores - np.nan_to_num(scores.max(-1, keepdims=True), neginf=0)
    scores - shift[..., None] → scores - np.where(m == -np.inf, 0, m)[..., None]
the maximum, or l, is taken over several queries: each has its own, over its keys, axis=-1.
    np.sum(p, axis=-1) → np.sum(p, axis=-2)
    np.sum(p, axis=-1) → np.sum(p)
    np.max(scores, axis=-1) → np.max(scores, axis=-2)
    np.max(scores, axis=-1) → np.max(scores, axis=0)
    np.max(scores, axis=-1) → np.max(scores)
    np.maximum(m, np.max(scores, axis=-1)) → np.full_like(m, max(np.max(m), np.max(scores)))
the scores and o have one more axis than the maximum and c: new[..., None] and c[..., None].
    c[..., None] * o → c * o
    scores - shift[..., None] → scores - shift
the difference of the maxima is the logarithm of c: take its exponential.
    np.exp(m - shift) → m - shift
the exponentials of both maxima overflow or vanish, each for itself: subtract before exp.
    np.exp(m - shift) → np.exp(m) / np.exp(shift)
o is multiplied by l: it was never divided by it.
    c[..., None] * o → (c * l)[..., None] * o
the scores are scaled already: take them as they are.
    = step(m, l, o, scores * v.shape[-1] ** -0.5, v)
these are powers of 2: softmax takes powers of e.
    np.exp ⇒ np.exp2
m, or a hidden score, is held at a large negative number: a query that has seen nothing keeps −inf,
which is below every score.
    np.maximum(m, np.max(scores, axis=-1)) → np.maximum(np.maximum(m, np.max(scores, axis=-1)), -1e30)
    = step(m, l, o, np.maximum(scores, -1e30), v)
    = step(np.maximum(m, -1e30), l, o, np.maximum(scores, -1e30), v)
where a query has seen nothing so far m is -inf, and -inf - (-inf) is NaN: shift by 0 there.
    is unguarded
NaN is replaced in the results, and with it a NaN that came in as a value, or an m of -inf: shift by
0 where the maximum is -inf, and no NaN appears in the first place.
    step(m → unguarded(m ; total, out\n → np.nan_to_num(total), np.nan_to_num(out)\n
    = tuple(map(np.nan_to_num, unguarded(m, l, o, scores, v)))
l grows by the sum of the block's exponentials, and not by their mean, their largest or their number.
    np.sum(p, axis=-1) → np.mean(p, axis=-1)
    np.sum(p, axis=-1) → np.max(p, axis=-1)
    np.sum(p, axis=-1) → p.shape[-1]
the block's exponentials are divided by their sum: the division comes once, at the end.
    p @ v → p / np.sum(p, axis=-1, keepdims=True) @ v
    np.sum(p, axis=-1) → 1 ; p @ v → p / np.sum(p, axis=-1, keepdims=True) @ v
o is divided by l: between blocks it stays undivided, and o / l is taken once, at the end.
    return new, total, out → return new, total, out / np.where(total == 0, 1, total)[..., None]
    step(m, l, o → step(m, l, l[..., None] * o ; total, out\n → total, out / np.where(total == 0, 1, total)[..., None]\n
a logarithm is taken: the maximum and the sum go on to the next block as they are.
    return new, total → return new + np.log(total), total
    return new, total → return new, np.log(total)
    return new, total → return new, new + np.log(total)
the results stand in another order: m, l, o.
    return new, total, out → return new, out, total
    return new, total, out → return total, new, out
    return new, total, out → return out, new, total
    return new, total, out → return out, total, new
"""

exercise = write(
    step, CASES, MISTAKES, drafts=(returned,), oracle=key_by_key, results=("m", "l", "o")
)
