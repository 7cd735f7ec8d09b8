r"""An empty block that reports NaN · medium · 12 min

Hints
1. An output that is NaN may come from an empty block or from a fault. What else in the report tells
   the two apart?
2. `np.where` replaces the outputs of empty blocks, for all queries at once. Its condition is about L,
   which has no axis for the features, so the condition needs one more.
3. Now the reports are those of the section on a block with nothing in it, and `guarded_merge` can
   merge them, as soon as each fraction has an axis for the features, too.

Why
Only $L$ can say that a block is empty, since NaN also stands for a fault. Where $L_a = -\infty$ the
fraction of block $a$ is 0, but $0 \cdot \text{NaN}$ is NaN, so the fraction alone does not remove the
output: it has to be replaced. Where both blocks are empty, the shift of 0 makes both fractions
$e^{-\infty} = 0$, as in the chapter.

Notice
NaN says that something went wrong, and L = −∞ that there was nothing to see. Whoever replaces every
NaN by 0 can no longer tell one from the other.
"""

import numpy as np

from attnbook.exercises.engine import case, stress, write


def merge_reports(out_a, lse_a, out_b, lse_b):
    """The output and L of both blocks; where L is -inf, the block's output does not count."""
    seen_a = np.where(np.isfinite(lse_a)[..., None], out_a, 0)
    seen_b = np.where(np.isfinite(lse_b)[..., None], out_b, 0)
    lse = np.logaddexp(lse_a, lse_b)
    shift = np.where(np.isfinite(lse), lse, 0)
    a, b = np.exp(lse_a - shift), np.exp(lse_b - shift)
    return a[..., None] * seen_a + b[..., None] * seen_b, lse


def chosen(out_a, lse_a, out_b, lse_b):
    """The other block's report where one is empty, and the merge where none is."""
    empty_a, empty_b = np.isinf(lse_a)[..., None], np.isinf(lse_b)[..., None]
    lse = np.logaddexp(lse_a, lse_b)
    a, b = np.exp(lse_a - lse)[..., None], np.exp(lse_b - lse)[..., None]
    both = a * out_a + b * out_b
    out = np.where(empty_a, out_b, np.where(empty_b, out_a, both))
    return np.where(empty_a & empty_b, 0, out), lse


def all_at_once(out_a, lse_a, out_b, lse_b):
    """As if a block were empty for all queries or for none."""
    if np.all(np.isinf(lse_a)):
        return np.nan_to_num(out_b), lse_b
    if np.all(np.isinf(lse_b)):
        return out_a, lse_a
    return guarded_merge(out_a, lse_a, out_b, lse_b)


def if_empty(out_a, lse_a, out_b, lse_b):
    """As if there were one query only."""
    if lse_a == -np.inf:
        return np.nan_to_num(out_b), lse_b
    if lse_b == -np.inf:
        return out_a, lse_a
    return guarded_merge(out_a, lse_a, out_b, lse_b)


def with_floor(floor):
    """L is nowhere below a large negative number, where the block's output is 0."""

    def merge_reports(out_a, lse_a, out_b, lse_b):
        seen_a = np.where(np.isfinite(lse_a)[..., None], out_a, 0)
        seen_b = np.where(np.isfinite(lse_b)[..., None], out_b, 0)
        return guarded_merge(seen_a, np.maximum(lse_a, floor), seen_b, np.maximum(lse_b, floor))

    return merge_reports


def with_threshold(low):
    """A block is taken for empty where its L is below a number."""

    def merge_reports(out_a, lse_a, out_b, lse_b):
        seen_a = np.where(lse_a[..., None] < low, 0, out_a)
        seen_b = np.where(lse_b[..., None] < low, 0, out_b)
        return guarded_merge(seen_a, lse_a, seen_b, lse_b)

    return merge_reports


def widened_to(dtype):
    """Computed, and returned, in a dtype that may be wider than that of the reports."""

    def merged(*reports):
        return merge_reports(*(x.astype(np.result_type(x, dtype)) for x in reports))

    return merged


def guarded_merge(out_a, lse_a, out_b, lse_b):
    """The chapter's, with an axis for the features."""
    lse = np.logaddexp(lse_a, lse_b)
    shift = np.where(np.isfinite(lse), lse, 0)
    a, b = np.exp(lse_a - shift)[..., None], np.exp(lse_b - shift)[..., None]
    return a * out_a + b * out_b, lse


def over_sum(out_a, lse_a, out_b, lse_b):
    """Each output times the exponential of its L, over the sum of both."""
    seen_a = np.where(np.isfinite(lse_a)[..., None], out_a, 0)
    seen_b = np.where(np.isfinite(lse_b)[..., None], out_b, 0)
    a, b = np.exp(lse_a), np.exp(lse_b)
    total = np.where(a + b == 0, 1, a + b)
    out = (a / total)[..., None] * seen_a + (b / total)[..., None] * seen_b
    return out, np.log(a + b)


def query_by_query(out_a, lse_a, out_b, lse_b):
    """Numerators and denominators are added, in units of the larger exponential."""
    out, lse = np.zeros_like(out_a), np.full_like(lse_a, -np.inf)
    for i in np.ndindex(lse_a.shape):
        reports = [(o[i], l[i]) for o, l in ((out_a, lse_a), (out_b, lse_b)) if l[i] > -np.inf]
        if not reports:
            continue
        top = max(l for _, l in reports)
        total = sum(np.exp(l - top) for _, l in reports)
        out[i] = sum(np.exp(l - top) / total * o for o, l in reports)
        lse[i] = top + np.log(total)
    return out, lse


rng = np.random.default_rng(4)
NAN, EMPTY, LOWEST = np.nan, -np.inf, -1.7e308


def drawn(*batch, n_q, d_v, dtype=np.float64):
    outs = rng.standard_normal((2, *batch, n_q, d_v)).astype(dtype)
    lses = (2 * rng.standard_normal((2, *batch, n_q))).astype(dtype)
    return reports(outs, lses)


def reports(outs, lses):
    return {"out_a": outs[0], "lse_a": lses[0], "out_b": outs[1], "lse_b": lses[1]}


def pair(out_a, lse_a, out_b, lse_b):
    outs, lses = ([np.array(x, float) for x in pair] for pair in ((out_a, out_b), (lse_a, lse_b)))
    return reports(outs, lses)


def with_empty(found, a=(), b=()):
    """The same, but block a, or block b, is empty for the queries at these places."""
    for name, places in {"a": a, "b": b}.items():
        for place in places:
            found[f"out_{name}"][place], found[f"lse_{name}"][place] = NAN, EMPTY
    return found


LN = np.log
CASES = (
    case(**pair([[0]], [LN(1)], [[8]], [LN(3)]), gives=(np.array([[6.0]]), LN([4.0]))),
    case(**pair([[3]], [LN(4)], [[NAN]], [EMPTY]), gives=(np.array([[3.0]]), LN([4.0]))),
    case(**pair([[NAN]], [EMPTY], [[3]], [LN(4)]), gives=(np.array([[3.0]]), LN([4.0]))),
    case(
        **pair([[NAN, NAN]], [EMPTY], [[NAN, NAN]], [EMPTY]),
        gives=(np.zeros((1, 2)), np.array([EMPTY])),
    ),
    case(**pair([[NAN]], [LN(1)], [[8]], [LN(3)]), gives=(np.array([[NAN]]), LN([4.0]))),
    case(**pair([[0]], [LN(1)], [[NAN]], [LN(3)]), gives=(np.array([[NAN]]), LN([4.0]))),
    case(
        **pair([[0, NAN]], [LN(1)], [[NAN, NAN]], [EMPTY]),
        gives=(np.array([[0, NAN]]), np.array([0.0])),
    ),
    case(**pair([[0], [NAN]], [LN(1), EMPTY], [[8], [5]], [LN(3), LN(2)])),
    case(**pair([[4, 0], [1, 2]], [LN(1), LN(2)], [[8, 4], [5, 3]], [LN(3), LN(2)])),
    case(**with_empty(drawn(n_q=3, d_v=2), a=[0], b=[1])),
    case(**with_empty(drawn(n_q=4, d_v=4), a=[0, 1], b=[1, 2])),
    case(**drawn(n_q=2, d_v=5)),
    case(**with_empty(drawn(1, n_q=2, d_v=2), a=[(0, 1)])),
    case(**with_empty(drawn(2, n_q=3, d_v=3), a=[(0, 1), (1, 2)], b=[(0, 1), (1, 0)])),
    case(**with_empty(drawn(2, 3, n_q=2, d_v=4), a=[(0, 1, 1)], b=[(1, 2, 0)])),
    case(**with_empty(drawn(n_q=2, d_v=3), a=[0, 1], b=[0, 1])),
    stress(**pair([[1], [2]], [1000, -1000], [[3], [4]], [1001, -1001])),
    stress(**pair([[1], [NAN]], [1000, EMPTY], [[NAN], [4]], [EMPTY, -2000])),
    stress(**pair([[1], [2]], [1000, -1000], [[3], [4]], [-1000, 1000])),
    stress(**pair([[1], [NAN]], [0, 2000], [[NAN], [4]], [-2000, 0])),
    stress(**pair([[NAN]], [-2000], [[4]], [0])),
    stress(
        **pair([[7]], [LOWEST], [[NAN]], [EMPTY]), gives=(np.array([[7.0]]), np.array([LOWEST]))
    ),
    stress(
        **pair([[NAN]], [EMPTY], [[4]], [LOWEST]), gives=(np.array([[4.0]]), np.array([LOWEST]))
    ),
    stress(**with_empty(drawn(n_q=3, d_v=2, dtype=np.float32), a=[0, 1], b=[1, 2])),
    stress(**with_empty(drawn(n_q=3, d_v=2, dtype=np.float16), a=[0, 1], b=[1, 2])),
)

MISTAKES = r"""
an empty block's output is NaN, and stays so when it is multiplied by the fraction 0: put 0 in its
place.
    is guarded_merge
    [..., None], np.exp(lse_b - shift)[..., None] → , np.exp(lse_b - shift)
    [..., None], np.exp(lse_b - shift)[..., None] → , np.exp(lse_b - shift) ; np.where(np.isfinite(lse), lse, 0) → lse
    np.where(np.isfinite(lse_a)[..., None], out_a, 0) → out_a ; np.where(np.isfinite(lse_b)[..., None], out_b, 0) → out_b ; np.where(np.isfinite(lse), lse, 0) → lse
only one of the two blocks is guarded: either may be empty, so replace the output of both.
    np.where(np.isfinite(lse_a)[..., None], out_a, 0) → out_a
    np.where(np.isfinite(lse_b)[..., None], out_b, 0) → out_b
    np.where(np.isfinite(lse_a)[..., None], out_a, 0) → out_a ; np.where(np.isfinite(lse), lse, 0) → lse
    np.where(np.isfinite(lse_b)[..., None], out_b, 0) → out_b ; np.where(np.isfinite(lse), lse, 0) → lse
where both blocks are empty the output should be 0: neither -inf - (-inf), which is NaN, nor the NaN
of a report.
    np.where(np.isfinite(lse), lse, 0)\n    a, b = np.exp(lse_a - shift), → lse\n    a, b = np.exp(lse_a - shift),
    np.where(empty_a & empty_b, 0, out), lse → out, lse
    np.nan_to_num(out_b), lse_b → out_b, lse_b
    np.isfinite(lse_a)[..., None] → ~np.isnan(out_a) ; np.isfinite(lse_b)[..., None] → ~np.isnan(out_b) ; np.where(np.isfinite(lse), lse, 0) → lse
    np.isinf(lse_a)[..., None], np.isinf(lse_b)[..., None] → np.isnan(out_a), np.isnan(out_b) ; np.where(empty_a & empty_b, 0, out), lse → out, lse
every NaN in the merged output becomes 0, and what the other block reports is lost with it: replace
the output of the empty block before you add.
    = (np.nan_to_num(guarded_merge(out_a, lse_a, out_b, lse_b)[0]), np.logaddexp(lse_a, lse_b))
NaN in an output is taken for the sign of an empty block, and a fault is lost: only L = -inf says
that a block is empty.
    np.where(np.isfinite(lse_a)[..., None], out_a, 0) → np.nan_to_num(out_a) ; np.where(np.isfinite(lse_b)[..., None], out_b, 0) → np.nan_to_num(out_b)
    = guarded_merge(np.nan_to_num(out_a), lse_a, np.nan_to_num(out_b), lse_b)
    np.where(empty_a & empty_b, 0, out) → np.nan_to_num(out)
    np.isinf(lse_a)[..., None], np.isinf(lse_b)[..., None] → np.isnan(out_a), np.isnan(out_b)
    np.isinf(lse_a)[..., None], np.isinf(lse_b)[..., None] → np.isnan(out_a).any(-1, keepdims=True), np.isnan(out_b).any(-1, keepdims=True)
    np.isinf(lse_a)[..., None], np.isinf(lse_b)[..., None] → np.isnan(out_a).all(-1, keepdims=True), np.isnan(out_b).all(-1, keepdims=True)
    np.isfinite(lse_a)[..., None] → ~np.isnan(out_a).all(-1, keepdims=True) ; np.isfinite(lse_b)[..., None] → ~np.isnan(out_b).all(-1, keepdims=True)
    np.isfinite(lse_a)[..., None] → (np.isfinite(lse_a) & ~np.isnan(out_a).all(-1))[..., None] ; np.isfinite(lse_b)[..., None] → (np.isfinite(lse_b) & ~np.isnan(out_b).all(-1))[..., None]
    np.isfinite(lse_a)[..., None] → ~np.isnan(out_a[..., :1]) ; np.isfinite(lse_b)[..., None] → ~np.isnan(out_b[..., :1])
    np.where(np.isfinite(lse_a)[..., None], out_a, 0) → np.nan_to_num(out_a)
    np.where(np.isfinite(lse_b)[..., None], out_b, 0) → np.nan_to_num(out_b)
    a[..., None] * seen_a + b[..., None] * seen_b → np.nansum([a[..., None] * out_a, b[..., None] * out_b], axis=0)
a NaN is lost where its block's fraction rounds to 0: unless its L is -inf, a block counts, however
little.
    a[..., None] * seen_a + b[..., None] * seen_b → np.where(a[..., None] > 0, a[..., None] * seen_a, 0) + np.where(b[..., None] > 0, b[..., None] * seen_b, 0)
    a[..., None] * seen_a + b[..., None] * seen_b → np.where(a[..., None] > 0, a[..., None] * seen_a, 0) + b[..., None] * seen_b
    a[..., None] * seen_a + b[..., None] * seen_b → a[..., None] * seen_a + np.where(b[..., None] > 0, b[..., None] * seen_b, 0)
a block may be empty for one query and not for another: decide for each query by itself.
    is all_at_once
    is if_empty
    np.all ⇒ np.any
    np.all ⇒ np.any ; np.nan_to_num(out_b) → np.where(np.isfinite(lse_b)[..., None], out_b, 0)
    np.isfinite(lse_a)[..., None] → np.isfinite(lse_a).any() ; np.isfinite(lse_b)[..., None] → np.isfinite(lse_b).any()
    np.isfinite(lse_a)[..., None] → np.isfinite(lse_a).all() ; np.isfinite(lse_b)[..., None] → np.isfinite(lse_b).all()
where one block is empty the output is 0: it should be that of the other block.
    empty_a & empty_b → empty_a | empty_b
where one block is empty its own output is kept, and that of the other block is not: keep the other.
    np.isfinite(lse_a) → np.isfinite(lse_x) ; np.isfinite(lse_b) → np.isfinite(lse_a) ; lse_x → lse_b
    np.where(empty_a, out_b, np.where(empty_b, out_a, both)) → np.where(empty_a, out_a, np.where(empty_b, out_b, both))
-inf is replaced by a finite number: where both blocks are empty L has to stay -inf, and a 0 would
count as e^0.
    = guarded_merge(np.nan_to_num(out_a), np.nan_to_num(lse_a), np.nan_to_num(out_b), np.nan_to_num(lse_b))
    = merge_reports(out_a, np.nan_to_num(lse_a, neginf=0), out_b, np.nan_to_num(lse_b, neginf=0))
    is with_floor(-1e30)
    is with_floor(-1e9)
    is with_floor(-1e4)
    np.logaddexp(lse_a, lse_b) → np.logaddexp(np.nan_to_num(lse_a), np.nan_to_num(lse_b))
where both blocks are empty L is NaN, since -inf - (-inf) is: it should stay -inf.
    seen_b, lse\n → seen_b, np.where(np.isfinite(lse), lse, np.nan)\n
    seen_b, lse\n → seen_b, np.where(np.isfinite(lse), lse, np.nan)\n ; np.where(np.isfinite(lse), lse, 0) → lse
a fraction or a condition meets the features instead of the queries: give it an axis for them, at
the end.
    a[..., None] * seen_a + b[..., None] * seen_b → a * seen_a + b * seen_b
    a[..., None] * seen_a + b[..., None] * seen_b → a[:, None] * seen_a + b[:, None] * seen_b
    [..., None] ⇒ [:, None]
    np.isfinite(lse_a)[..., None] → np.isfinite(lse_a) ; np.isfinite(lse_b)[..., None] → np.isfinite(lse_b)
    np.where(np.isfinite(lse_a)[..., None], out_a, 0) → np.where(np.isfinite(lse_a), out_a, 0) ; np.where(np.isfinite(lse_b)[..., None], out_b, 0) → np.where(np.isfinite(lse_b), out_b, 0) ; a[..., None] * seen_a + b[..., None] * seen_b → a * seen_a + b * seen_b
    np.isfinite(lse_a)[..., None] → np.isfinite(lse_a)[:, None] ; np.isfinite(lse_b)[..., None] → np.isfinite(lse_b)[:, None]
each output is multiplied by the other block's fraction.
    = merge_reports(out_a, lse_b, out_b, lse_a)
    np.exp(lse_a - shift), np.exp(lse_b - shift) → np.exp(lse_b - lse), np.exp(lse_a - lse)
    a[..., None] * seen_a + b[..., None] * seen_b → a[..., None] * seen_b + b[..., None] * seen_a
the outputs are added, or averaged evenly: each block counts in proportion to e^L.
    a[..., None] * seen_a + b[..., None] * seen_b → seen_a + seen_b
    a[..., None] * seen_a + b[..., None] * seen_b → (seen_a + seen_b) / 2
    a[..., None] * seen_a + b[..., None] * seen_b → (out_a + out_b) / 2
    a[..., None] * seen_a + b[..., None] * seen_b → np.nanmean([out_a, out_b], axis=0)
the outputs are multiplied by e^L and not divided by the sum of both: subtract the L of both in the
exponent.
    np.where(np.isfinite(lse), lse, 0) → np.zeros_like(lse)
the larger L is subtracted in the exponent, so the fractions do not sum to 1: subtract the L of both.
    np.where(np.isfinite(lse), lse, 0) → np.where(np.isfinite(lse), np.maximum(lse_a, lse_b), 0)
    np.logaddexp → np.maximum
each e^L is computed by itself, and overflows or underflows: subtract before you take exponentials.
    is over_sum
    np.log(a + b) → np.logaddexp(lse_a, lse_b)
a finite L, however low, is taken for that of an empty block: only L = -inf says that a block is
empty.
    is with_threshold(-1e2) || with_threshold(-1e3) || with_threshold(-1e4)
    is with_threshold(-1e30) || with_threshold(-1e300)
    = merge_reports(np.where(lse_a[..., None] < -1e4, 0, out_a), lse_a, out_b, lse_b)
    = merge_reports(out_a, lse_a, np.where(lse_b[..., None] < -1e4, 0, out_b), lse_b)
    is with_threshold(np.finfo(np.float32).min)
    = guarded_merge(np.where(np.exp(lse_a)[..., None] == 0, 0, out_a), lse_a, np.where(np.exp(lse_b)[..., None] == 0, 0, out_b), lse_b)
each block counts in proportion to L itself: take e^L.
    a, b = np.exp(lse_a - shift), np.exp(lse_b - shift) → a, b = lse_a / (lse_a + lse_b), lse_b / (lse_a + lse_b)
the sign in the exponent is turned: L_a - L is never above 0.
    np.exp(lse_a - shift), np.exp(lse_b - shift) → np.exp(shift - lse_a), np.exp(shift - lse_b)
L of both is the larger one here, or a sum or an average of the two: it is the e^L that add up.
    seen_b, lse\n → seen_b, np.maximum(lse_a, lse_b)\n
    seen_b, lse\n → seen_b, lse_a + lse_b\n
    seen_b, lse\n → seen_b, (lse_a + lse_b) / 2\n
    seen_b, lse\n → seen_b, np.where(np.isfinite(lse_a), lse_a, lse_b)\n
    np.logaddexp(lse_a, lse_b) → lse_a + lse_b
that is the sum of both e^L: return its logarithm.
    seen_b, lse\n → seen_b, np.exp(lse)\n
where both blocks are empty L stays -inf: 0 is only what is subtracted there.
    seen_b, lse\n → seen_b, shift\n
L is a natural logarithm: it goes with np.exp and np.logaddexp, not with powers of 2.
    np.logaddexp → np.logaddexp2
    np.exp ⇒ np.exp2
    np.logaddexp → np.logaddexp2 ; np.exp ⇒ np.exp2
the results stand in the wrong order: the output comes first, then L.
    return a[..., None] * seen_a + b[..., None] * seen_b, lse → return lse, a[..., None] * seen_a + b[..., None] * seen_b
the results have another dtype than the reports.
    is widened_to(np.float64) || widened_to(np.float32)
    = (merge_reports(out_a, lse_a, out_b, lse_b)[0].astype(float), np.logaddexp(lse_a, lse_b))
    = (merge_reports(out_a, lse_a, out_b, lse_b)[0], np.logaddexp(lse_a, lse_b).astype(float))
"""

exercise = write(
    merge_reports,
    CASES,
    MISTAKES,
    drafts=(chosen, all_at_once, if_empty, guarded_merge, over_sum),
    oracle=query_by_query,
    results=("out", "lse"),
)
