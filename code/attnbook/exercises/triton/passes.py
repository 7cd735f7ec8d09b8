"""The softmax of rows that are wider than a block, in two passes."""

import numpy as np
import torch

from attnbook.exercises.engine.ahead import refused_by_a_gpu
from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.launch import on_kernels
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import triton as solutions
from attnbook.kernels import tl, triton

_rng = np.random.default_rng(21)


@triton.jit
def first_pass(x_ptr, n, SLIP: tl.constexpr, OTHER: tl.constexpr, BLOCK: tl.constexpr):
    m = -float("inf")
    if SLIP == "start":
        m = 0.0
    if SLIP == "low start":
        m = -10000.0
    l = 0.0
    end = n
    if SLIP == "tail":
        end = n // BLOCK * BLOCK
    for start in range(0, end, BLOCK):
        j = start + tl.arange(0, BLOCK)
        s = tl.load(x_ptr + j, mask=j < n, other=OTHER)
        new = tl.maximum(m, tl.max(s, 0))
        if SLIP == "last":
            new = tl.max(s, 0)
        if SLIP == "first":
            new = tl.where(start == 0, new, tl.where(m == -float("inf"), 0.0, m))
        shift = tl.where(new == -float("inf"), 0.0, new)
        if SLIP == "none":
            shift = 0.0
        if SLIP == "guard":
            shift = new
        c = tl.exp(m - shift)
        if SLIP == "constant" or SLIP == "none":
            c = 1.0
        if SLIP == "turned":
            c = tl.exp(shift - m)
        if SLIP == "own":
            c = 0.0
        p = tl.exp(s - shift)
        if SLIP == "two":
            c = tl.exp2(m - shift)
            p = tl.exp2(s - shift)
        l = c * l + tl.sum(p, 0)
        m = new
    return m, l


@triton.jit
def slipping(x_ptr, out_ptr, n, SLIP: tl.constexpr, OTHER: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * n
    if SLIP == "first row":
        row = 0
    if SLIP == "rows a block apart":
        row = tl.program_id(0) * BLOCK
    if SLIP == "rows one number apart":
        row = tl.program_id(0)
    place = row
    if SLIP == "loads row 0":
        place = 0
    if SLIP == "stores row 0":
        row = 0
    m, l = first_pass(x_ptr + place, n, SLIP, OTHER, BLOCK)
    shift = tl.where(m == -float("inf"), 0.0, m)
    some = tl.where(l == 0, 1.0, l)
    if SLIP == "none":
        shift = 0.0
    if SLIP == "guard":
        shift = m
    if SLIP == "guard" or SLIP == "zero":
        some = l
    if SLIP == "undivided":
        some = 1.0
    end = n
    if SLIP == "tail":
        end = n // BLOCK * BLOCK
    if SLIP == "unshifted":
        shift = 0.0
    if SLIP == "in place":
        out_ptr = x_ptr
    for start in range(0, end, BLOCK):
        j = start + tl.arange(0, BLOCK)
        s = tl.load(x_ptr + place + j, mask=j < n, other=OTHER)
        p = tl.exp(s - shift) / some
        if SLIP == "log":
            p = s - shift - tl.log(some)
        tl.store(out_ptr + row + j, p, mask=j < n)


def with_slip(slip, other=-float("inf")):
    def wide_softmax(x):
        out, rows = torch.empty_like(x), x[..., 0].numel()
        slipping[(rows,)](x, out, x.shape[-1], SLIP=slip, OTHER=other, BLOCK=4)
        return out

    return wide_softmax


@triton.jit
def too_early(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0) * n
    m = -float("inf")
    l = 0.0
    for start in range(0, n, BLOCK):
        j = start + tl.arange(0, BLOCK)
        s = tl.load(x_ptr + row + j, mask=j < n, other=-float("inf"))
        new = tl.maximum(m, tl.max(s, 0))
        shift = tl.where(new == -float("inf"), 0.0, new)
        p = tl.exp(s - shift)
        l = tl.exp(m - shift) * l + tl.sum(p, 0)
        m = new
        tl.store(out_ptr + row + j, p / tl.where(l == 0, 1.0, l), mask=j < n)


@triton.jit
def in_twos(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0) * n
    m, l = first_pass(x_ptr + row, n, "two", -float("inf"), BLOCK)
    shift = tl.where(m == -float("inf"), 0.0, m)
    for start in range(0, n, BLOCK):
        j = start + tl.arange(0, BLOCK)
        s = tl.load(x_ptr + row + j, mask=j < n, other=-float("inf"))
        tl.store(out_ptr + row + j, tl.exp2(s - shift) / tl.where(l == 0, 1.0, l), mask=j < n)


@triton.jit
def one_block(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0) * n
    j = tl.arange(0, BLOCK)
    s = tl.load(x_ptr + row + j, mask=j < n, other=-float("inf"))
    m = tl.max(s, 0)
    p = tl.exp(s - tl.where(m == -float("inf"), 0.0, m))
    l = tl.sum(p, 0)
    tl.store(out_ptr + row + j, p / tl.where(l == 0, 1.0, l), mask=j < n)


@triton.jit
def each_block(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0) * n
    for start in range(0, n, BLOCK):
        j = start + tl.arange(0, BLOCK)
        s = tl.load(x_ptr + row + j, mask=j < n, other=-float("inf"))
        m = tl.max(s, 0)
        p = tl.exp(s - tl.where(m == -float("inf"), 0.0, m))
        l = tl.sum(p, 0)
        tl.store(out_ptr + row + j, p / tl.where(l == 0, 1.0, l), mask=j < n)


def launching(kernel):
    def wide_softmax(x):
        out = torch.empty_like(x)
        kernel[(x[..., 0].numel(),)](x, out, x.shape[-1], BLOCK=4)
        return out

    return wide_softmax


def _rows(*shape):
    return (3 * _rng.standard_normal(shape)).astype(np.float32)


def _ln(*exponentials):
    with np.errstate(divide="ignore"):
        return np.log(np.array(exponentials, np.float32))


START = "m starts at a number, and a row may lie below it: start at -float('inf')."
APART = "rows are n numbers apart: row r begins at tl.program_id(0) * n."
NAN = "where nothing has been seen m is −∞, and −∞ − (−∞) is NaN: shift by 0 there."
wide_softmax = Write(
    name="triton.wide_softmax",
    title="The softmax of a wide row",
    level="medium",
    minutes=20,
    solution_of=solutions.wide_softmax,
    written=solutions.softmax_kernel,
    through=on_kernels,
    refused=refused_by_a_gpu,
    exact_zeros=True,
    hints=(
        "Two loops over the same blocks: the first carries m and l, the second stores weights.",
        "other=-float('inf') for lanes past the end: they raise no maximum and add e^−∞ = 0.",
        "new = tl.maximum(m, tl.max(s, 0)), then l = tl.exp(m - new) * l + tl.sum(…).",
        "Where new is −∞ shift by 0, and where l is 0 divide by 1.",
    ),
    explanation=(
        "The first pass is the online softmax of Chapter 13, without values; what it cannot give "
        "are the weights, since m and l are known only at the end. So the row is read twice and "
        "written once."
    ),
    misconceptions=(
        Misconception(
            with_slip("", other=0.0),
            "lanes past the end are read as 0, and e^(0 − m) enters the sum: other=-float('inf').",
        ),
        Misconception(
            with_slip("", other=-1e4),
            "lanes past the end are read as a number, and rows may lie below: other=-float('inf').",
        ),
        Misconception(
            with_slip("constant"), "when the maximum rises, l has to shrink by exp(m − new)."
        ),
        Misconception(with_slip("in place"), "the weights are stored into x: store them into out."),
        Misconception(
            with_slip("turned"),
            "all is NaN: is each weight stored, and is c = exp(m − new)? Turned round it is ∞.",
        ),
        Misconception(
            with_slip("first"), "m is the maximum of the first block: a later one may overflow."
        ),
        Misconception(
            with_slip("tail"), "a last block that is not full is left out: loop from 0 to n."
        ),
        Misconception(with_slip("unshifted"), "the second pass does not subtract m."),
        Misconception(
            with_slip("last"), "m is the maximum of the last block: take the larger of it and m."
        ),
        Misconception(with_slip("own"), "l holds the last block alone: add to what it was."),
        Misconception(
            with_slip("none"), "without the maximum, large scores overflow and small ones vanish."
        ),
        Misconception(with_slip("start"), START),
        Misconception(with_slip("low start"), START),
        Misconception(with_slip("guard"), NAN),
        Misconception(
            with_slip("zero"), "a row in which nothing is visible has l = 0: divide it by 1."
        ),
        Misconception(with_slip("undivided"), "the weights are not divided by l."),
        Misconception(with_slip("log"), "these are logarithms of the weights."),
        Misconception(
            with_slip("loads row 0"),
            "every program loads row 0: row r begins at tl.program_id(0) * n for loads, too.",
        ),
        Misconception(with_slip("rows a block apart"), APART),
        Misconception(with_slip("rows one number apart"), APART),
        Misconception(
            with_slip("stores row 0"),
            "every program stores row 0, a race: row r begins at tl.program_id(0) * n.",
        ),
        Misconception(
            launching(too_early),
            "weights are stored before all of the row is seen: m and l still change.",
        ),
        Misconception(
            launching(in_twos),
            "2^x is not e^x: tl.exp2 wants scores times log2(e), or take tl.exp.",
        ),
        Misconception(
            with_slip("first row"),
            "every program takes row 0: row r begins at tl.program_id(0) * n.",
        ),
        Misconception(
            launching(one_block), "only the first BLOCK numbers of a row are read: loop over n."
        ),
        Misconception(
            launching(each_block),
            "each block is a softmax of its own: m and l belong to the whole row.",
        ),
    ),
    notice="Read twice, written once: the price of weights. Attention needs none, and one pass.",
    cases=(
        case(x=_ln(1, 3, 4)),
        case(x=_ln(2, 1, 1, 4)),
        case(x=_ln(1, 1, 1, 1, 4)),
        case(x=_ln(1, 2, 1, 4, 8, 4, 2, 2)),
        case(x=_ln(8, 4, 2, 1, 1)),
        case(x=-5 + _rows(2, 9)),
        case(x=_rows(2, 2, 6)),
        case(x=_ln([0, 0, 0, 0, 1, 3], [1, 0, 0, 0, 0, 0])),
        case(x=_ln([0] * 6, [1] * 6)),
        stress(x=np.float32([[1000.0, 1001.0, 999.0, 0.0, 1000.0]])),
        stress(x=np.float32([[300.0, 1.0, 2.0, 3.0, 0.0, 1.0]])),
        stress(x=np.float32([[-1000.0, -1001.0, -999.0, -1000.0, -1000.0]])),
        stress(x=np.float32([[0.0, 1.0, 2.0, 0.0, 200.0, 199.0]])),
        stress(x=np.float32([[-1e10, -1e12, -1e12, -1e12]])),
        stress(x=np.float32([[-1e10, -1e12, -1e12, -1e12, -1e12]])),
    ),
)
