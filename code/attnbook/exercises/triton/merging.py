"""Two blocks of keys merged by their log-sum-exps, as a kernel."""

import numpy as np
import torch

from attnbook.exercises.engine.ahead import refused_by_a_gpu
from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.launch import on_kernels
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import triton as solutions
from attnbook.kernels import tl, triton

_rng = np.random.default_rng(22)


@triton.jit
def shares(a, b, SLIP: tl.constexpr):
    top = tl.maximum(a, b)
    shift = tl.where(top == -float("inf"), 0.0, top)
    if SLIP == "none":
        shift = 0.0
    if SLIP == "first":
        shift = a
    if SLIP == "first if any":
        shift = tl.where(a == -float("inf"), 0.0, a)
    if SLIP == "second if any":
        shift = tl.where(b == -float("inf"), 0.0, b)
    if SLIP == "smaller":
        shift = tl.where(tl.minimum(a, b) == -float("inf"), 0.0, tl.minimum(a, b))
    if SLIP == "guard":
        shift = top
    if SLIP == "never below 0":
        shift = tl.maximum(top, 0.0)
    share_a = tl.exp(a - shift)
    share_b = tl.exp(b - shift)
    if SLIP == "base" or SLIP == "both bases" or SLIP == "both bases, natural":
        share_a = tl.exp2(a - shift)
        share_b = tl.exp2(b - shift)
    if SLIP == "turned":
        share_a = tl.exp(b - shift)
        share_b = tl.exp(a - shift)
    if SLIP == "mean":
        share_a = 1.0 + 0.0 * a
        share_b = 1.0 + 0.0 * b
    if SLIP == "by L":
        share_a = a
        share_b = b
    return share_a, share_b, shift


@triton.jit
def together(a, b, shift, total, some, SLIP: tl.constexpr):
    both = shift + tl.log(total)
    if SLIP == "larger":
        both = tl.maximum(a, b)
    if SLIP == "shift":
        both = tl.log(total)
    if SLIP == "sum":
        both = a + b
    if SLIP == "no log":
        both = shift + some
    if SLIP == "total":
        both = total
    if SLIP == "sum of exp":
        both = tl.exp(a) + tl.exp(b)
    if SLIP == "empty":
        both = shift + tl.log(some)
    if SLIP == "lse base" or SLIP == "both bases":
        both = shift + tl.log2(total)
    if SLIP == "both bases, natural":
        both = 0.6931471805599453 * (shift + tl.log2(total))
    if SLIP == "larger or 0":
        both = shift
    return both


@triton.jit
def slipping(out_a, lse_a, out_b, lse_b, out, lse, SLIP: tl.constexpr, D: tl.constexpr):
    i = tl.program_id(0)
    f = tl.arange(0, D)
    a = tl.load(lse_a + i)
    b = tl.load(lse_b + i)
    if SLIP == "first L twice":
        b = a
    share_a, share_b, shift = shares(a, b, SLIP)
    total = share_a + share_b
    some = tl.where(total == 0, 1.0, total)
    both = together(a, b, shift, total, some, SLIP)
    if SLIP == "mean, right L" or SLIP == "sum, right L":
        share_a = 1.0 + 0.0 * some
        share_b = 1.0 + 0.0 * some
        some = 2.0 + 0.0 * some
    if SLIP == "sum, right L":
        some = 1.0 + 0.0 * some
    if SLIP == "zero" or SLIP == "guard":
        some = total
    if SLIP == "undivided":
        some = 1.0 + 0.0 * total
    here = i * D + f
    if SLIP == "row":
        here = i + f
    if SLIP == "loads row 0" or SLIP == "row 0 alone":
        here = f
    o = share_a * tl.load(out_a + here) + share_b * tl.load(out_b + here)
    at = here
    if SLIP == "loads row 0":
        at = i * D + f
    if SLIP == "row 0":
        at = f
    tl.store(out + at, o / some)
    if SLIP != "no lse":
        tl.store(lse + i, both)


def with_slip(slip):
    def merge(out_a, lse_a, out_b, lse_b):
        out, lse = torch.empty_like(out_a), torch.empty_like(lse_a)
        arrays = out_a, lse_a, out_b, lse_b, out, lse
        slipping[(lse.numel(),)](*arrays, SLIP=slip, D=out.shape[-1])
        return out, lse

    return merge


def _pair(out_a, sum_a, out_b, sum_b):
    """Two blocks from their outputs, and from their sums of exponentials."""
    with np.errstate(divide="ignore"):
        lse_a, lse_b = np.log(np.float32(sum_a)), np.log(np.float32(sum_b))
    return dict(out_a=np.float32(out_a), lse_a=lse_a, out_b=np.float32(out_b), lse_b=lse_b)


def _random(*shape, shift=0.0, both=0.0):
    draw = [_rng.standard_normal(s).astype(np.float32) for s in (shape, shape[:-1]) * 2]
    out_a, lse_a, out_b, lse_b = draw
    lse_a, lse_b = lse_a + np.float32(shift + both), 2 * lse_b + np.float32(both)
    return dict(out_a=out_a, lse_a=lse_a, out_b=out_b, lse_b=lse_b)


LARGER = "shift by the larger L: with another shift the exponential of the larger overflows."
MEAN = "that is the plain mean: a block counts by its sum, exp(L)."
NO_LOG = "L is a logarithm: shift + log(total)."
ONES = [[1.0, 2.0], [3.0, 4.0]]
merge = Write(
    name="triton.merge",
    title="A merge in a kernel",
    level="hard",
    minutes=15,
    solution_of=solutions.merge,
    written=solutions.merge_kernel,
    through=on_kernels,
    refused=refused_by_a_gpu,
    results=("out", "lse"),
    hints=(
        "Each program has one row: two numbers L, and two rows of D numbers from i * D on.",
        "L is a natural logarithm. shift = tl.maximum(a, b), and the shares are tl.exp(a - shift) "
        "and tl.exp(b - shift).",
        "Two guards, as in Chapter 13: where both L are −∞ shift by 0, and divide by 1.",
    ),
    explanation=(
        "It is `merge` of Chapter 13, one row to a program. On a GPU it is the second kernel of "
        "split-KV decoding: the first leaves an output and L for each piece of the cache, and no "
        "two programs ever write to one cell."
    ),
    misconceptions=(
        Misconception(
            with_slip("base"), "L is a natural logarithm: exp, not exp2, of the differences."
        ),
        *(
            Misconception(
                with_slip(slip),
                "L is a natural logarithm, and these are powers and logarithms of base 2: tl.exp "
                "and tl.log, or L · log₂ e before and L · ln 2 after.",
            )
            for slip in ("both bases", "both bases, natural")
        ),
        Misconception(
            with_slip("never below 0"),
            "the shift is never below 0, and where both L lie far below all exponentials vanish.",
        ),
        Misconception(with_slip("first L twice"), "both L are loaded from lse_a."),
        Misconception(with_slip("turned"), "the shares are exchanged: the larger L weighs more."),
        Misconception(with_slip("mean"), MEAN),
        Misconception(with_slip("mean, right L"), MEAN),
        Misconception(
            with_slip("sum, right L"), "that is the plain sum: a block counts by its sum, exp(L)."
        ),
        Misconception(
            with_slip("none"), "without a shift large L overflow, and small ones vanish."
        ),
        Misconception(with_slip("first"), LARGER),
        Misconception(with_slip("first if any"), LARGER),
        Misconception(with_slip("second if any"), LARGER),
        Misconception(with_slip("smaller"), LARGER),
        Misconception(
            with_slip("guard"), "−∞ − (−∞) is NaN: where both blocks are empty shift by 0."
        ),
        Misconception(
            with_slip("zero"), "where both blocks are empty the total is 0: divide by 1 there."
        ),
        Misconception(
            with_slip("by L"), "a block counts by its sum of exponentials, exp(L), not by L."
        ),
        Misconception(with_slip("no log"), NO_LOG),
        Misconception(with_slip("total"), NO_LOG),
        Misconception(with_slip("sum of exp"), NO_LOG),
        Misconception(
            with_slip("empty"), "where both blocks are empty L is −∞: log of the total, before 1."
        ),
        Misconception(with_slip("no lse"), "L of the merged row is not stored."),
        Misconception(
            with_slip("row 0"),
            "every program stores row 0 of out, a race: row i begins at i * D.",
        ),
        Misconception(with_slip("undivided"), "the sum of both is not divided by the total."),
        Misconception(with_slip("larger"), "L is the larger of the two: the sum holds both."),
        Misconception(
            with_slip("larger or 0"), "that is the shift: L is the shift and the total's logarithm."
        ),
        Misconception(with_slip("shift"), "the shift has to be added to the logarithm again."),
        Misconception(with_slip("sum"), "L is the logarithm of a sum, not the sum of logarithms."),
        Misconception(with_slip("lse base"), "L wants the natural logarithm: tl.log, not tl.log2."),
        Misconception(
            with_slip("loads row 0"),
            "every program loads row 0: row i begins at i * D for loads, too.",
        ),
        Misconception(
            with_slip("row 0 alone"), "every program takes row 0: row i begins at i * D."
        ),
        Misconception(with_slip("row"), "rows are D apart: row i begins at i * D."),
    ),
    notice="No row meets another, so no two programs write to one cell: no race, no atomics.",
    cases=(
        case(**_pair([[3.0, 1.0]], [4.0], [[8.0, 1.0]], [4.0])),
        case(**_pair(ONES, [3.0, 1.0], [[8.0, 8.0], [8.0, 8.0]], [1.0, 3.0])),
        case(**_random(4, 4)),
        case(**_random(2, 3, 8)),
        case(**_pair(ONES, [2.0, 1.0], [[0.0, 0.0], [5.0, 6.0]], [0.0, 1.0])),
        case(**_pair([[0.0, 0.0]], [0.0], [[5.0, 6.0]], [2.0])),
        case(**_pair([[0.0, 0.0]] * 2, [0.0, 0.0], [[0.0, 0.0], [1.0, 2.0]], [0.0, 1.0])),
        stress(**_random(2, 4, shift=200.0)),
        stress(**_random(2, 4, shift=-200.0)),
        stress(**_random(2, 4, both=200.0)),
        stress(**_random(2, 4, both=-200.0)),
    ),
)
