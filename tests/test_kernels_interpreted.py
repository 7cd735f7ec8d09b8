"""Triton's interpreter puts its language in place once a launch of ours, which takes it away."""

import contextlib
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from kernel_oracle import drawn

from attnbook.kernels import flash_attention
from attnbook.kernels.interpreter import language_set_once

import triton
import triton.language as tl
from triton.runtime import interpreter as tritons

HERE = Path(__file__).parent
NAMES = "load", "dot", "arange", "sum", "range"


@triton.jit
def twice(x):
    return x + x


@triton.jit
def kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = twice(twice(tl.load(x_ptr + i)))  # functions of ours, and, in the sum, one of Triton's
    tl.store(out_ptr + i, twice(x) / tl.sum(x, 0))


@triton.jit
def broken(x_ptr, out_ptr, N: tl.constexpr):
    tl.store(out_ptr, tl.sum(tl.load(x_ptr + tl.arange(0, N)), 0) + tl.no_such_name)


def launch(kernel=kernel):
    x, out = torch.arange(4.0), torch.zeros(4)
    kernel[(2,)](x, out, N=4)
    assert torch.equal(out, 2 * x / x.sum())


def language():
    """What a launch changes: names that kernels see, names that Triton's own functions see."""
    names = [getattr(lang, name, None) for lang in (tl, tl.core) for name in NAMES]
    return [*names, tl.tensor.__add__, getattr(tl.tensor, "__bool__", None), tritons._patch_lang]


def changes(call):
    """How often the language that kernels see is changed in a call."""
    counted, whole = [], tritons._patch_lang_core
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tritons, "_patch_lang_core", lambda *x: counted.append(x[0]) or whole(*x))
        call()
    return counted.count(tl)


def in_a_new_process(code):
    """What Triton by itself leaves behind stays in the process."""
    command = sys.executable, "-c", f"import test_kernels_interpreted as t; print({code})"
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_language_is_put_in_place_once_a_launch():
    """By itself Triton does so again at each call of `twice`."""
    q, k, v = drawn((1, 2, 70, 16), (1, 2, 70, 16))
    assert changes(lambda: flash_attention(q, k, v)) == 1
    assert changes(lambda: flash_attention(q, k, v, causal=True)) == 2  # and the second pass
    with language_set_once():
        assert changes(launch) == 0  # it is in place
    assert int(in_a_new_process("t.changes(t.launch)")) >= 1 + 2 * 3


def is_undone(around=contextlib.nullcontext):
    """Whether all is as before a launch, in which a sum brings functions of Triton's own."""
    before = language()
    with around():
        launch()
    return language() == before


def test_all_of_it_is_taken_away_behind_a_launch_and_an_error():
    """By itself Triton leaves what it put in place for `tl.sum`."""
    before = language()
    assert is_undone(language_set_once)
    with pytest.raises(tritons.InterpreterError), language_set_once():
        launch(broken)
    assert language() == before
    both = in_a_new_process("t.is_undone(t.language_set_once), t.is_undone()")
    assert both == "True False"


def test_one_inside_another_ends_with_the_outer_one():
    before = language()
    with language_set_once():
        with language_set_once():
            launch()
        assert changes(launch) == 0
    assert language() == before
