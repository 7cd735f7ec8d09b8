"""Kernels compiled for GPUs that are not here: what is counted is what the kernel says."""

import os
import subprocess
import sys

import pytest

from attnbook.kernels import machine_code
from attnbook.kernels.machine_code import source

import triton
import triton.language as tl

TWICE = tl.constexpr(2.0)


@triton.jit
def shifted(scores, shift):
    return tl.exp2(scores * TWICE - shift)


@triton.jit
def products(x_ptr, out_ptr, n, ROWS: tl.constexpr, COLS: tl.constexpr, D: tl.constexpr):
    """exp2(2 x xᵀ - 1) x, block by block."""
    i, j, d = tl.arange(0, ROWS), tl.arange(0, COLS), tl.arange(0, D)
    q = tl.load(x_ptr + i[:, None] * D + d[None])
    out = tl.zeros([ROWS, D], tl.float32)
    for start in range(0, n, COLS):
        k = tl.load(x_ptr + (start + j)[:, None] * D + d[None])
        p = shifted(tl.dot(q, k.T), 1.0)
        out += tl.dot(p.to(k.dtype), k)
    tl.store(out_ptr + i[:, None] * D + d[None], out)


@triton.jit
def twice(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, 2 * tl.load(x_ptr + i))


POINTERS = {"x_ptr": "*bf16:16", "out_ptr": "*fp32:16"}
SIGNATURE = {**POINTERS, "n": "i32:16"}
SMALL = {"ROWS": 64, "COLS": 64, "D": 64}


def code(target="sm_90", **given):
    warps = given.pop("num_warps", 4)
    return machine_code.compiled(
        products, SIGNATURE, {**SMALL, **given}, target, num_warps=warps, num_stages=2
    )


@pytest.fixture(scope="module")
def hopper():
    return code()


def test_the_hot_loop_holds_the_products_of_one_tile(hopper):
    assert {one.name.split(".")[0] for one in hopper.hot.instructions if one.flops} == {"HGMMA"}
    assert hopper.hot.flops == 2 * 2 * 64 * 64 * 64
    assert hopper.hot.per_score(64 * 64)["exponentials"] == 1
    assert len([one for one in hopper.hot.instructions if one.kind == "branches"]) >= 1


def test_nothing_is_spilled_and_resources_are_those_of_the_compiler(hopper):
    assert hopper.stack == hopper.spills == 0
    assert 32 < hopper.registers <= 255 and hopper.warps == 4
    assert hopper.shared >= 2 * 64 * 64  # one block of bfloat16 keys at least
    assert {"ttgir", "ptx", "sass"} <= set(hopper.listings)


@pytest.mark.parametrize("target, name", [("sm_80", "HMMA"), ("sm_120", "HMMA"), ("sm_100", "UTC")])
def test_each_target_has_its_own_matrix_instruction(target, name):
    found = code(target)
    assert found.hot.counts["matrix"] > 0
    kinds = [one.name for one in found.hot.instructions if one.kind == "matrix"]
    assert all(one.startswith(name) for one in kinds)
    assert found.hot.flops in (2 * 2 * 64**3, None)
    assert (found.hot.flops is None) == (target == "sm_100")


def test_an_amd_gpu_too():
    found = code("gfx942", ROWS=128)
    assert found.hot.counts["matrix"] > 0 and found.stack == 0
    assert found.hot.per_score(128 * 64, lanes=64)["exponentials"] == 1


def test_work_done_twice_is_counted_twice():
    """64 rows are two of AMD's products of 32 rows: two of four warps repeat the others' work."""
    assert code("gfx942").hot.per_score(64 * 64, lanes=64)["exponentials"] == 2


def test_a_planted_spill_is_seen():
    found = code(ROWS=256, COLS=256, D=128)
    assert found.registers == 255
    assert found.stack > 0 and found.spills > 0
    assert found.hot.counts["matrix"] > 0


def test_a_kernel_without_products_has_no_hot_loop():
    found = machine_code.compiled(twice, POINTERS, {"N": 256})
    assert found.hot is None and found.counts["matrix"] == 0
    assert found.counts["global stores"] > 0
    assert all(not loop.counts["matrix"] for loop in found.loops)


def test_the_same_with_and_without_the_interpreter(hopper):
    script = (
        "import sys; sys.path[:0] = ['code', 'tests']\n"
        "import test_machine_code as t\n"
        "print(type(t.products).__name__, len(t.code().instructions))"
    )
    for mode, kind in {"0": "JITFunction", "1": "InterpretedFunction"}.items():
        run = subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "TRITON_INTERPRET": mode},
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout.split() == [kind, str(len(hopper.instructions))]


def test_one_name_for_two_things_is_refused():
    """What functions of two modules call by one name cannot stand in one module."""
    writer = source._Writer()
    writer.name("shifted", shifted)
    writer.name("shifted", shifted)
    with pytest.raises(ValueError, match="shifted is two different things"):
        writer.name("shifted", 3.0)


def test_warps_with_different_work_are_found():
    """Triton names the roles' registers; each role's loop is a loop of its own."""

    found = machine_code.compiled(
        streamed,
        {**POINTERS, "n": "i32:16"},
        SMALL | {"ROWS": 128, "COLS": 128},
        num_warps=4,
        num_stages=3,
    )
    heavy = [loop for loop in found.loops if loop.counts["matrix"]]
    assert found.counts["registers"] > 0, "warp_specialize was ignored"
    assert found.warps == 12 and len(heavy) == 2
    assert all(loop.flops == 2 * 2 * 64 * 128 * 64 for loop in heavy)
    assert any(loop.counts["tensor loads"] and not loop.counts["matrix"] for loop in found.loops)


@triton.jit
def streamed(x_ptr, out_ptr, n, ROWS: tl.constexpr, COLS: tl.constexpr, D: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [n, D], [D, 1], [ROWS, D])
    y = tl.make_tensor_descriptor(x_ptr, [n, D], [D, 1], [COLS, D])
    to = tl.make_tensor_descriptor(out_ptr, [n, D], [D, 1], [ROWS, D])
    q = x.load([0, 0])
    out = tl.zeros([ROWS, D], tl.float32)
    for start in tl.range(0, n, COLS, warp_specialize=True):
        k = y.load([start, 0])
        p = tl.exp2(tl.dot(q, k.T))
        out = tl.dot(p.to(k.dtype), k, out)
    to.store([0, 0], out)


REFUSED = {
    "target": (dict(target="sm_35"), "target is 'sm_35'; expected one of sm_80"),
    "type": (dict(signature={**POINTERS, "n": "int"}), "n has the type 'int'"),
    "missing": (dict(signature=POINTERS), "no type and no value is given for n"),
    "unknown": (dict(constants={**SMALL, "BLOCK": 1}), "BLOCK: the kernel has no argument"),
    "constant": (dict(constants={**SMALL, "D": object()}), "D is <object"),
}


@pytest.mark.parametrize("given, message", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_compiled_is_refused(given, message):
    given = {"signature": SIGNATURE, "constants": SMALL, **given}
    with pytest.raises(ValueError, match=message):
        machine_code.compiled(products, **given)


def test_the_compiler_s_own_words_come_back():
    with pytest.raises(machine_code.CompilationError, match="power of 2"):
        code(D=48)


def test_a_plain_function_is_refused():
    with pytest.raises(TypeError, match=r"expected a function under @triton\.jit"):
        machine_code.compiled(3, SIGNATURE, SMALL)


def test_without_triton_there_is_one_sentence(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(RuntimeError, match="is not installed: its packages are for Linux"):
        code()
