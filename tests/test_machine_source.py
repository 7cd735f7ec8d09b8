"""What is written down of a kernel for who compiles it: each kind of value, name and type."""

import importlib.util
import math
import sys
from typing import NamedTuple

import pytest
import torch

from attnbook.kernels import machine_code
from attnbook.kernels.machine_code import listing, source
from attnbook.kernels.machine_code.source import module_text, python_function

import triton
import triton.language as tl

launches = sys.modules["attnbook.kernels.machine_code.launches"]  # and not the function in it
HALF, NAMES, ENDLESS = tl.constexpr(0.5), tl.constexpr(("a", 2)), tl.constexpr(math.inf)


@triton.jit
def halved(x):
    return x * HALF


other_name = halved


@triton.jit
def kernel(x_ptr, out_ptr, N: tl.constexpr, DTYPE: tl.constexpr, FUNCTION: tl.constexpr):
    halved_twice = other_name(tl.load(x_ptr + tl.arange(0, N)))
    lowest = tl.minimum(halved_twice, ENDLESS)
    tl.store(out_ptr + tl.arange(0, N), FUNCTION(lowest).to(DTYPE))


@triton.jit
def with_a_library(x_ptr):
    tl.store(x_ptr, math.pi)


@triton.jit
def with_own(x_ptr, HALF):
    tl.store(x_ptr, HALF)


def made(tmp_path, function, constants):
    """The module as another process reads it."""
    (tmp_path / "kernel.py").write_text(module_text(function, constants))
    spec = importlib.util.spec_from_file_location("kernel", tmp_path / "kernel.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_kind_of_constant_comes_out_as_it_went_in(tmp_path):
    plain = {
        "a": None,
        "b": True,
        "c": -3,
        "d": 2.5,
        "e": "it's",
        "f": (1, (2.0, "x"), (3,)),
        "g": (),
    }
    constants = {**plain, "h": [1, 2], "i": math.inf, "j": -math.inf, "k": math.nan}
    constants |= {"l": tl.float16, "m": tl.constexpr(4), "n": halved, "o": tl.int1}
    found = made(tmp_path, kernel, constants).CONSTANTS
    assert {name: found[name] for name in plain} == plain
    assert found["h"] == (1, 2) and found["i"] == math.inf == -found["j"] and math.isnan(found["k"])
    assert found["l"] == tl.float16 and found["o"] == tl.int1
    assert isinstance(found["m"], tl.constexpr) and found["m"].value == 4
    assert python_function(found["n"]).__name__ == "halved" and list(found) == list(constants)


class Pair(NamedTuple):
    first: tl.tensor
    second: tl.tensor


@triton.jit
def with_a_tuple(x_ptr):
    pair = Pair(first=x_ptr, second=2.0)
    tl.store(pair.first, pair.second)


def test_a_named_tuple_that_a_kernel_makes_has_its_fields(tmp_path):
    module = made(tmp_path, with_a_tuple, {})
    assert module.Pair._fields == Pair._fields and module.Pair(1, 2) == (1, 2)


def test_what_a_kernel_calls_is_there_under_each_of_its_names(tmp_path):
    module = made(tmp_path, kernel, {"FUNCTION": halved})
    assert type(module.kernel) is type(module.halved) is type(kernel)
    assert python_function(module.other_name).__name__ == "halved"
    assert module.HALF.value == 0.5 and module.ENDLESS.value == math.inf and module.tl is tl
    text = module_text(kernel, {"FUNCTION": halved})
    assert text.count("def halved") in (1, 2) and "NAMES" not in text
    assert text.index("HALF =") < text.index("def halved") < text.index("def kernel")
    assert "halved = halved" not in text and "\nother_name = halved\n" in text


def test_what_a_kernel_computes_it_computes_there_too(tmp_path):
    module = made(tmp_path, kernel, {})
    x, out = torch.arange(4.0), torch.zeros(4)
    module.kernel[(1,)](x, out, N=4, DTYPE=tl.float32, FUNCTION=module.halved)
    assert torch.equal(out, x / 4)


def test_modules_are_imported_and_own_names_are_not_looked_up(tmp_path):
    assert "import math as math" in module_text(with_a_library, {})
    assert made(tmp_path, with_a_library, {}).math is math
    assert "HALF =" not in module_text(with_own, {})


def test_functions_of_tritons_own_are_imported_by_their_name():
    @triton.jit
    def summed(x_ptr):
        tl.store(x_ptr, total(tl.load(x_ptr + tl.arange(0, 4)), 0))

    total = tl.sum
    text = module_text(summed, {})
    assert "from triton.language.standard import sum as total" in text and "def total" not in text


def test_a_function_that_is_computed_when_it_is_compiled_keeps_its_decorator():
    if not hasattr(triton, "constexpr_function"):
        pytest.skip("this machine has no Triton with triton.constexpr_function")
    assert source._JITTED["ConstexprFunction"] == "triton.constexpr_function"

    @triton.constexpr_function
    def doubled(n):
        return 2 * n

    writer = source._Writer()
    writer.name("doubled", doubled)
    assert writer.lines == ["@triton.constexpr_function\ndef doubled(n):\n    return 2 * n\n"]


def test_types_are_those_that_a_launch_finds_out():
    names = {torch.float16: "fp16", torch.bfloat16: "bf16", torch.float32: "fp32", torch.bool: "i1"}
    names |= {torch.int32: "i32", torch.int64: "i64"}
    for dtype, name in names.items():
        assert launches._type(torch.zeros(64, dtype=dtype)) == f"*{name}:16"
        assert launches._type(torch.zeros(64, dtype=dtype)[1:]) == f"*{name}"
    for value in (1, None, True, False, "text"):
        assert launches._type(value) is None
    for value, kind in {
        2: "i32", 16: "i32:16", 0: "i32:16", -1: "i32", -16: "i32:16", 2.5: "fp32",
        2**31 - 1: "i32", 2**31: "i64:16", -(2**31): "i32:16", -(2**31) - 1: "i64",
    }.items():  # fmt: skip
        assert launches._type(value) == kind, value
    assert launches._type((1, 32, 3, 2.0)) == ("i32", "i32:16", "i32", "fp32")
    assert launches.CAPABILITIES["sm_100"] == (10, 0) and launches.CAPABILITIES["sm_89"] == (8, 9)


def test_a_launch_is_compiled_with_all_that_it_has(monkeypatch):
    asked = []
    monkeypatch.setattr(launches, "compiled", lambda *given, **named: asked.append((given, named)))
    c = type("Configuration", (), {"options": lambda self: {"num_warps": 8}})()
    machine_code.Launch("kernel", "signature", "constants", c, "sm_80").compiled()
    assert asked == [(("kernel", "signature", "constants", "sm_80"), {"num_warps": 8})]


CHAIN = [
    ("MOV", "R1, R9", ""),
    ("FADD", "R2, R1, R1", ""),
    ("FADD", "R3, R2, R2", ""),
    ("NOP", "", ""),
    ("FSETP", "P1, R3, R8", ""),
    ("FADD", "R4, R3, R3", "@P1"),
    ("FADD", "R5, R4, R4", ""),
    ("MUFU.EX2", "R6, R5", ""),
    ("NOP", "", ""),
    ("FMUL", "R7, R6, R6", ""),
    ("FADD", "R6, R6, R7", "@!P1"),
    ("FADD", "R7, R6, R1", ""),
    ("STG", "[R8], R6", ""),
    ("MOV", "R6, R1", ""),
    ("FADD", "R7, R6, R6", ""),
]


def test_what_made_a_register_and_what_reads_it():
    """Made through a guarded line and the predicate of its guard; read until it is made anew."""
    found = [listing.Instruction(name, operands, guard) for name, operands, guard in CHAIN]
    kept = machine_code.around(found, 7)
    assert [found.index(one) for one in kept] == [1, 2, 4, 5, 6, 7, 9, 10, 11]
    kept = machine_code.around(found, 7, before=9, after=9)
    assert [found.index(one) for one in kept] == [0, 1, 2, 4, 5, 6, 7, 9, 10, 11, 12]
    assert machine_code.around(found, 0, before=0, after=1) == found[:2]


def test_two_registers_that_are_read_are_both_looked_for_and_each_once():
    lines = ("R2, R8", ""), ("R1, R9", ""), ("R2, R9", ""), ("R3, R1, R2", "")
    lines += ("R7, R9", "@P0"), ("R3, R9", "@P0"), ("R4, R3", "")
    found = [listing.Instruction("FADD", operands, guard) for operands, guard in lines]
    kept = machine_code.around(found, 3)
    assert [found.index(one) for one in kept] == [1, 2, 3, 5, 6]
