"""A vector times a number, in blocks of which the last reaches past the end."""

import numpy as np
import torch

from attnbook.exercises.engine.ahead import refused_by_a_gpu
from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.launch import on_kernels
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import triton as solutions
from attnbook.kernels import tl, triton


@triton.jit
def slipping(x_ptr, out_ptr, factor, n, SLIP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if SLIP == "first block":
        i = tl.arange(0, BLOCK)
    if SLIP == "one number":
        i = tl.program_id(0) + tl.zeros((BLOCK,), tl.int32)
    if SLIP == "no stride":
        i = tl.program_id(0) + tl.arange(0, BLOCK)
    inside = i < n
    if SLIP == "one more":
        inside = i <= n
    if SLIP == "one less":
        inside = i < n - 1
    if SLIP == "block":
        inside = i < BLOCK
    if SLIP == "lane":
        inside = tl.arange(0, BLOCK) < n
    if SLIP == "both":
        x = tl.load(x_ptr + i)
    else:
        x = tl.load(x_ptr + i, mask=inside)
    y = factor * x
    if SLIP == "plus":
        y = factor + x
    if SLIP == "copy":
        y = x
    if SLIP == "square":
        y = x * x
    if SLIP == "add":
        y = tl.load(out_ptr + i, mask=inside) + y
    if SLIP == "in place":
        tl.store(x_ptr + i, y, mask=inside)
    if SLIP == "store" or SLIP == "both":
        tl.store(out_ptr + i, y)
    elif SLIP != "in place":
        tl.store(out_ptr + i, y, mask=inside)


@triton.jit
def addressing(x_ptr, out_ptr, factor, n, SLIP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if SLIP == "load":
        tl.store(out_ptr + i, factor * x_ptr[i], mask=i < n)
    if SLIP == "store":
        out_ptr[i] = factor * tl.load(x_ptr + i, mask=i < n)
    if SLIP == "address":
        tl.store(out_ptr + i, factor * (x_ptr + i), mask=i < n)
    if SLIP == "factor":
        tl.store(out_ptr + i, tl.load(factor) * tl.load(x_ptr + i, mask=i < n), mask=i < n)
    if SLIP == "arange":
        i = tl.arange(tl.program_id(0) * BLOCK, tl.program_id(0) * BLOCK + BLOCK)
        tl.store(out_ptr + i, factor * tl.load(x_ptr + i, mask=i < n), mask=i < n)
    if SLIP == "bytes":
        tl.store(out_ptr + 4 * i, factor * tl.load(x_ptr + 4 * i, mask=i < n), mask=i < n)
    if SLIP == "masked bytes":
        i = 4 * i
        tl.store(out_ptr + i, factor * tl.load(x_ptr + i, mask=i < n), mask=i < n)


def with_slip(slip, kernel=slipping):
    def scale(x, factor):
        out = torch.empty_like(x)
        kernel[(triton.cdiv(len(x), 16),)](x, out, factor, len(x), SLIP=slip, BLOCK=16)
        return out

    return scale


def _numbers(n):
    return np.arange(1, n + 1, dtype=np.float32)


BYTES = "places count numbers, not bytes: x_ptr + i is the address of number i."
NO_ARRAY = "a pointer has no [i]: tl.load(x_ptr + i), and tl.store(out_ptr + i, …)."
PAST = "the last block reaches past the end: load and store need mask=i < n."
scale = Write(
    name="triton.scale",
    title="A masked scale",
    level="easy",
    minutes=8,
    solution_of=solutions.scale,
    written=solutions.scale_kernel,
    through=on_kernels,
    refused=refused_by_a_gpu,
    hints=(
        "Three lines: which numbers i are this program's, load them, store what they become.",
        "i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), as in the sum of the chapter.",
        "Both tl.load and tl.store take mask=i < n.",
    ),
    explanation=(
        "It is the sum of the chapter with a number in the place of a vector: a number is an "
        "argument like any other, and comes without a pointer."
    ),
    misconceptions=(
        Misconception(with_slip("both"), PAST),
        Misconception(
            with_slip("store"), "the store has no mask: the last block writes over what is not out."
        ),
        Misconception(
            with_slip("first block"),
            "only the first block is done: that of a program begins at tl.program_id(0) * BLOCK.",
        ),
        Misconception(
            with_slip("one number"),
            "a program takes one number: tl.arange(0, BLOCK) gives it a block of them.",
        ),
        Misconception(
            with_slip("no stride"),
            "programs begin one number apart: the blocks should begin BLOCK apart.",
        ),
        Misconception(
            with_slip("one more"),
            "place n, one past the last number, is touched: a mask is i < n, not i <= n.",
        ),
        Misconception(with_slip("one less"), "the last number is left out: the mask is i < n."),
        Misconception(
            with_slip("block"), "the mask compares with n, the end of x, not with BLOCK."
        ),
        Misconception(
            with_slip("lane"),
            "the mask compares lanes, tl.arange(0, BLOCK): compare i, the places, with n.",
        ),
        Misconception(with_slip("in place"), "the result is stored into x: store it into out."),
        Misconception(
            with_slip("add"),
            "what out held before has come back, or is added to: store there, whatever it holds.",
        ),
        Misconception(with_slip("load", addressing), NO_ARRAY),
        Misconception(with_slip("store", addressing), NO_ARRAY),
        Misconception(
            with_slip("address", addressing), "x_ptr + i are addresses: tl.load brings the numbers."
        ),
        Misconception(
            with_slip("factor", addressing),
            "factor is a number already, and no pointer: no tl.load.",
        ),
        Misconception(
            with_slip("arange", addressing),
            "tl.arange takes constants: tl.program_id(0) * BLOCK + tl.arange(0, BLOCK).",
        ),
        Misconception(with_slip("bytes", addressing), BYTES),
        Misconception(with_slip("masked bytes", addressing), BYTES),
        Misconception(with_slip("plus"), "factor is added: it should multiply."),
        Misconception(with_slip("copy"), "factor has no effect."),
        Misconception(with_slip("square"), "that is the square of x: factor has no effect."),
    ),
    notice="Sixteen lanes work in each program; in the last some of them have nothing to do.",
    cases=(
        case(x=_numbers(3), factor=2.0),
        case(x=_numbers(1), factor=-0.5),
        case(x=_numbers(16), factor=3.0),
        case(x=_numbers(17), factor=2.0),
        case(x=_numbers(40) / 3, factor=0.25),
        case(x=_numbers(64), factor=1.5),
        stress(x=np.array([np.inf, -1.0, np.nan, 0.0], np.float32), factor=2.0),
        stress(x=np.array([1e38, -1e38, 1.0, 2.0], np.float32), factor=10.0),
    ),
)
