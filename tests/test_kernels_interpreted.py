"""Triton's interpreter puts its language in place once a launch, and takes it away behind it."""

import subprocess
import sys
from pathlib import Path

import torch

from attnbook.kernels import interpreter

import triton
import triton.language as tl
from triton.runtime import interpreter as tritons

HERE = Path(__file__).parent


@triton.jit
def twice(x):
    return x + x


@triton.jit
def kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = twice(twice(tl.load(x_ptr + i)))  # functions of ours, and, in the sum, one of Triton's
    tl.store(out_ptr + i, twice(x) / tl.sum(x, 0))


def changes(monkeypatch, patch):
    """How often the language is changed for one launch of two programs."""
    counted, whole = [], tritons._patch_lang_core
    monkeypatch.setattr(tritons, "_patch_lang", patch)
    monkeypatch.setattr(tritons, "_patch_lang_core", lambda *x: counted.append(x) or whole(*x))
    x, out = torch.arange(4.0), torch.zeros(4)
    kernel[(2,)](x, out, N=4)
    assert torch.equal(out, 2 * x / x.sum())
    return [lang for lang, _ in counted]


def in_a_new_process(patch):
    """What other tests left of a kernel that they stopped is not there."""
    code = (
        "import inspect, pytest, test_kernels_interpreted as t; ours = t.tritons._patch_lang; "
        "by_itself = inspect.getclosurevars(ours).nonlocals['whole']; "
        f"print(t.changes(pytest.MonkeyPatch(), {patch}).count(t.tl))"
    )
    command = sys.executable, "-c", code
    return int(subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=True).stdout)


def test_the_language_is_put_in_place_once_a_launch():
    """By itself Triton does so again at each call of `twice`."""
    assert in_a_new_process("ours") == 1
    assert in_a_new_process("by_itself") >= 1 + 2 * 3


def test_it_is_taken_away_behind_each_launch(monkeypatch):
    names = "load", "dot", "arange"
    before = [getattr(tl, name) for name in names] + [tl.tensor.__add__, tl.range]
    changes(monkeypatch, tritons._patch_lang)
    assert before == [getattr(tl, name) for name in names] + [tl.tensor.__add__, tl.range]


def test_it_is_arranged_once_however_often_the_package_is_imported():
    arranged = tritons._patch_lang
    interpreter.hurry()
    assert tritons._patch_lang is arranged
