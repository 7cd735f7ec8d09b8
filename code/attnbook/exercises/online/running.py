"""One more block, in three numbers for each query."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.online import wrong_step as wrong
from attnbook.exercises.solutions import online as solutions

_rng = np.random.default_rng(5)


def _numbers(*batch, n_q, n_b, d_v, seen=True, dtype=np.float64):
    """A state that a first block left, or that of the start, and a block to come."""
    first, scores = _rng.standard_normal((2, *batch, n_q, n_b)) * 2
    before, v = _rng.standard_normal((2, *batch, n_b, d_v))
    start = np.full((*batch, n_q), -np.inf), np.zeros((*batch, n_q)), np.zeros((*batch, n_q, d_v))
    m, l, o = solutions.step(*start, first, before) if seen else start
    found = {"m": m, "l": l, "o": o, "scores": scores, "v": v}
    return {name: x.astype(dtype) for name, x in found.items()}


_START = {"m": np.array([-np.inf]), "l": np.zeros(1), "o": np.zeros((1, 1))}
_AFTER_TWO = {"m": np.log([3.0]), "l": np.array([4 / 3]), "o": np.array([[4.0]])}
_FIRST = {"scores": np.log([[1.0, 3.0]]), "v": np.array([[0.0], [4.0]])}
_SECOND = {"scores": np.log([[4.0]]), "v": np.array([[8.0]])}
_LOWER = {"scores": np.log([[1.0, 1.0]]), "v": np.array([[8.0], [2.0]])}
_NOTHING = {"scores": np.array([[-np.inf, -np.inf]]), "v": np.array([[5.0], [7.0]])}
_ROWS = {
    "m": np.array([-np.inf, 1.0, -np.inf]),
    "l": np.array([0.0, 2.0, 0.0]),
    "o": np.array([[0.0, 0.0], [3.0, 1.0], [0.0, 0.0]]),
    "scores": np.array([[-np.inf, -np.inf], [-np.inf, -np.inf], [0.0, -np.inf]]),
    "v": np.array([[1.0, 2.0], [3.0, 4.0]]),
}


def _far(old, new):
    return {
        "m": np.array([old, old]),
        "l": np.array([1.5, 1.0]),
        "o": np.array([[3.0], [2.0]]),
        "scores": np.array([[new, new - 1], [new - 2, new]]),
        "v": np.array([[4.0], [6.0]]),
    }


GUARD = (
    "where nothing has been visible so far m is -inf, and -inf - (-inf) is NaN: shift by 0 there."
)

step = Write(
    name="online.step",
    title="One more block",
    level="medium",
    minutes=15,
    solution_of=solutions.step,
    results=("m", "l", "o"),
    explanation=(
        "The new maximum is the larger of the old one and the block's. The factor $c$ moves both "
        "sums from the old maximum to the new one, once for all keys that came before, and the "
        "block adds its own exponentials and their values. Where the new maximum is −∞ nothing "
        "has been visible yet: shifted by 0, all exponentials are 0, and so are both sums."
    ),
    hints=(
        "The maximum of a block is np.max(scores, axis=-1); the new m is the larger of it and m.",
        "c = exp(m - new) multiplies l and o; p = exp(scores - new[..., None]) is what is added.",
        "o has one more axis than c: c[..., None] * o + p @ v.",
        "Where new is -inf, subtract 0 instead: np.where(new == -np.inf, 0, new).",
    ),
    misconceptions=(
        Misconception(
            wrong.with_parts(output=lambda c, o, p, v: o + p @ v),
            "o is not multiplied by c: when the maximum rises it has to shrink as l does.",
        ),
        Misconception(
            wrong.with_parts(total=lambda c, l, p: l + np.sum(p, axis=-1)),
            "l is not multiplied by c: when the maximum rises it has to shrink as o does.",
        ),
        Misconception(
            wrong.with_parts(
                total=lambda c, l, p: l + np.sum(p, axis=-1),
                output=lambda c, o, p, v: o + p @ v,
            ),
            "c is missing: l and o are still relative to the old maximum.",
        ),
        *(
            Misconception(
                wrong.with_parts(**parts),
                "c multiplies the new block too: that is relative to the new maximum already.",
            )
            for parts in wrong.C_FOR_ALL
        ),
        *(
            Misconception(
                wrong.with_parts(factor=turned),
                "the factor is turned round: c = exp(m_old - m_new), and never above 1.",
            )
            for turned in (
                lambda m, shift: np.exp(shift - m),
                lambda m, shift: np.exp(shift - np.where(m == -np.inf, shift, m)),
            )
        ),
        *(
            Misconception(
                wrong.with_parts(maximum=wrong.of_the_block, guard=guard),
                "m is the maximum of the block alone: it is that of all scores so far, and may "
                "only rise.",
            )
            for guard in (wrong.unguarded, lambda new: np.where(new == -np.inf, 0, new))
        ),
        Misconception(
            wrong.with_parts(maximum=wrong.of_the_past),
            "m does not rise with the block, so the first exponentials may overflow: take the "
            "larger of the two maxima.",
        ),
        Misconception(
            wrong.with_parts(maximum=wrong.never_below_zero),
            "the maximum is held at 0 or above, and rows of very low scores vanish.",
        ),
        Misconception(
            wrong.with_parts(maximum=wrong.never_below(-5e4)),
            "the maximum is held at a large negative number, and rows of lower scores vanish: only "
            "-inf is below all.",
        ),
        *(
            Misconception(
                wrong.with_parts(maximum=wrong.never_below(number)),
                "m is a large negative number where nothing has been visible: it stays -inf.",
            )
            for number in (-1e9, -1e10, -1e30, -np.finfo(float).max)
        ),
        *(
            Misconception(
                wrong.raised_to(number),
                "-inf became a large negative number, and where nothing is visible every hidden "
                "key counts, as exp(0) = 1: the exponential of -inf alone is 0.",
            )
            for number in (-1e9, -1e30)
        ),
        Misconception(
            wrong.relative_to_the_past,
            "the block's exponentials are relative to the old maximum, which may lie far below "
            "them: subtract the new one.",
        ),
        Misconception(
            wrong.guard_returned,
            "the 0 of the guard is returned as m: shift by 0 there, and return -inf itself.",
        ),
        *(
            Misconception(
                wrong.with_parts(maximum=wrong.over_the_queries(axis)),
                "the maximum runs over the queries: each has its own, over its keys, axis=-1.",
            )
            for axis in (-2, 0)
        ),
        Misconception(
            wrong.with_parts(exponentials=lambda scores, shift: np.exp(scores - shift)),
            "the new maximum has no axis for the keys, and meets the scores in the wrong place: "
            "new[..., None].",
        ),
        Misconception(
            wrong.with_parts(exponentials=lambda scores, shift: np.exp(shift[..., None] - scores)),
            "the block's difference is turned round: exp(scores - m_new), and never above 1.",
        ),
        Misconception(
            wrong.with_parts(factor=lambda m, shift: m - shift),
            "that is the logarithm of c: take its exponential.",
        ),
        Misconception(
            wrong.with_parts(total=lambda c, l, p: c * l + p.shape[-1]),
            "l counts keys: each adds its exponential, relative to the new maximum.",
        ),
        Misconception(
            wrong.relative_to_the_block,
            "the block's exponentials are relative to its own maximum: subtract the new m, or "
            "multiply them by a factor of their own.",
        ),
        Misconception(
            wrong.with_parts(factor=lambda m, shift: np.exp(m) / np.exp(shift)),
            "the exponentials of both maxima overflow or vanish, each for itself: subtract before "
            "exp.",
        ),
        Misconception(
            wrong.output_carried,
            "o is taken for an output: it comes undivided, stays so, and o / l is last.",
        ),
        Misconception(wrong.multiplied_by_l, "o is multiplied by l: it was never divided by it."),
        Misconception(wrong.scaled, "the scores are scaled already: take them as they are."),
        Misconception(
            wrong.with_parts(output=lambda c, o, p, v: c * o + p @ v),
            "o has one more axis than c, and meets it in the wrong place: c[..., None] * o.",
        ),
        Misconception(
            wrong.with_parts(**wrong.POWERS_OF_2),
            "these are powers of 2: softmax takes powers of e.",
        ),
        Misconception(
            wrong.skips_what_is_empty_for_all,
            "a block that is empty for all queries is left out, but one may be empty for a single "
            "query: shift by 0 where its maximum is -inf.",
        ),
        Misconception(wrong.as_lse, "that is L: the maximum itself goes on to the next block."),
        *(
            Misconception(
                wrong.with_parts(maximum=maximum, guard=guard),
                "one maximum serves all queries: each has its own, over the last axis.",
            )
            for guard in (wrong.unguarded, lambda new: np.where(new == -np.inf, 0, new))
            for maximum in (wrong.one_for_all, wrong.largest_of_the_block)
        ),
        Misconception(wrong.with_parts(guard=wrong.unguarded), GUARD),
        Misconception(
            wrong.mended_in_the_end,
            "NaN is mended in the results: a NaN that came in as a value would be hidden as well. "
            "Shift by 0 where the maximum is -inf, and none appears.",
        ),
        Misconception(
            wrong.all_mended,
            "np.nan_to_num makes a finite number of m = -inf: where nothing is visible it stays "
            "-inf.",
        ),
        Misconception(
            wrong.with_parts(exponentials=lambda scores, shift: np.exp(scores)),
            "the exponentials of the block are not shifted: they overflow, and belong to no m.",
        ),
        Misconception(
            wrong.with_parts(total=lambda c, l, p: c * l + np.max(p, axis=-1)),
            "l adds the largest exponential of the block: it adds all of them.",
        ),
        *(
            Misconception(
                wrong.with_parts(total=lambda c, l, p, axis=axis: c * l + np.sum(p, axis=axis)),
                "l adds exponentials of several queries: each adds its own, axis=-1.",
            )
            for axis in (-2, None)
        ),
        Misconception(
            wrong.with_parts(total=lambda c, l, p: c * l + np.mean(p, axis=-1)),
            "l adds the mean of the exponentials: it adds all of them.",
        ),
        Misconception(
            wrong.with_parts(
                output=lambda c, o, p, v: (
                    c[..., None] * o + p / np.sum(p, axis=-1, keepdims=True) @ v
                )
            ),
            "the block's exponentials are divided by their sum: that comes once, in the end.",
        ),
        Misconception(
            wrong.with_parts(
                total=lambda c, l, p: c * l + 1,
                output=lambda c, o, p, v: (
                    c[..., None] * o + p / np.sum(p, axis=-1, keepdims=True) @ v
                ),
            ),
            "the block adds its softmax: its exponentials are divided once, in the end.",
        ),
        *(
            Misconception(
                known,
                "o is divided by l: between the blocks it stays undivided, and o / l is last.",
            )
            for known in (wrong.divided, wrong.divided_without_a_guard)
        ),
        Misconception(
            wrong.logarithm_kept, "that is ln l: the sum itself goes on to the next block."
        ),
        Misconception(
            wrong.lse_for_the_sum, "that is L = m + ln l: the sum itself goes on to the next block."
        ),
        *(
            Misconception(wrong.in_order(*places), "the results stand in another order: m, l, o.")
            for places in ((0, 2, 1), (1, 0, 2), (2, 0, 1), (2, 1, 0))
        ),
        Misconception(
            wrong.without_the_past, "the new block stands alone: what came before is in m, l and o."
        ),
    ),
    notice="Three numbers for each query, d_v + 2 floats, hold all that a million keys have said.",
    cases=(
        case(**_START, **_FIRST),
        case(**_AFTER_TWO, **_SECOND),
        case(**_AFTER_TWO, **_LOWER),
        case(**_numbers(n_q=3, n_b=5, d_v=2)),
        case(**_numbers(n_q=3, n_b=5, d_v=4, seen=False)),
        case(**_numbers(2, n_q=4, n_b=3, d_v=6)),
        case(**_numbers(2, 3, n_q=2, n_b=4, d_v=5)),
        case(**_numbers(n_q=3, n_b=3, d_v=3)),
        stress(**_START, **_NOTHING),
        stress(**_AFTER_TWO, **_NOTHING),
        stress(**_ROWS),
        stress(**_AFTER_TWO, **_SECOND | {"v": np.array([[np.nan]])}),
        stress(**_far(1000.0, 1001.0)),
        stress(**_far(-1000.0, -1001.0)),
        stress(**_far(-1000.0, 1000.0)),
        stress(**_far(1000.0, -1000.0)),
        stress(**_numbers(n_q=2, n_b=3, d_v=4, dtype=np.float32)),
    ),
)
