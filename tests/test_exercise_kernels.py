"""A check of a kernel says what is wrong with its launch, and takes any kernel that is right."""

import os
import subprocess
import sys

import numpy as np
import pytest
import torch

from attnbook import exercises, gradients, online
from attnbook.exercises.engine import gpu_compile
from attnbook.exercises.engine.edits import versions
from attnbook.kernels import machine_code
from attnbook.kernels.machine_code import CompilationError

import triton
import triton.language as tl

SCALE, SOFTMAX = exercises.triton.scale, exercises.triton.wide_softmax


@triton.jit
def number_by_number(x_ptr, out_ptr, factor, n, BLOCK: tl.constexpr):
    for lane in range(BLOCK):
        i = tl.program_id(0) * BLOCK + lane
        if i < n:
            tl.store(out_ptr + i, factor * tl.load(x_ptr + i))


@triton.jit
def last_again(x_ptr, out_ptr, factor, n, BLOCK: tl.constexpr):
    i = tl.minimum(tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), n - 1)
    tl.store(out_ptr + i, factor * tl.load(x_ptr + i))


@triton.jit
def misspelt(x_ptr, out_ptr, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, factr * tl.load(x_ptr + i, mask=i < n), mask=i < n)  # noqa: F821


@triton.jit
def far_away(x_ptr, out_ptr, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, factor * tl.load(x_ptr + i + 1_000_000_000, mask=i < n), mask=i < n)


@triton.jit
def without_the_last(x_ptr, out_ptr, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, factor * tl.load(x_ptr + i, mask=i < n), mask=(i < n) & (i != 16))


@triton.jit
def in_half(x_ptr, out_ptr, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n).to(tl.float16)
    tl.store(out_ptr + i, factor * x, mask=i < n)


@triton.jit
def zeros_into_the_next_block(x_ptr, out_ptr, factor, n, BLOCK: tl.constexpr):
    lane = tl.arange(0, 2 * BLOCK)
    i = tl.program_id(0) * BLOCK + lane
    y = factor * tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, tl.where(lane < BLOCK, y, 0.0), mask=i < n)


@triton.jit
def adds_to_every_number(x_ptr, out_ptr, factor, n, BLOCK: tl.constexpr):
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        own = (i < n) & (i // BLOCK == tl.program_id(0))
        y = factor * tl.load(x_ptr + i, mask=own, other=0.0)
        tl.store(out_ptr + i, tl.load(out_ptr + i, mask=i < n) + y, mask=i < n)


@triton.jit
def every_program_all(x_ptr, out_ptr, factor, n, BLOCK: tl.constexpr):
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        tl.store(out_ptr + i, factor * tl.load(x_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def whole_matrix(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row, size = tl.program_id(0) * n, tl.num_programs(0) * n
    j = tl.arange(0, BLOCK)
    s = tl.load(x_ptr + row + j, mask=j < n, other=-float("inf"))
    m = tl.max(s, 0)
    p = tl.exp(s - tl.where(m == -float("inf"), 0.0, m))
    l = tl.sum(p, 0)
    tl.store(out_ptr + row + j, p / tl.where(l == 0, 1.0, l), mask=row + j < size)


@triton.jit
def counts_from_a_whole_number(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0) * n
    j = tl.arange(0, BLOCK)
    s = tl.load(x_ptr + row + j, mask=j < n, other=-float("inf"))
    m = tl.max(s, 0)
    p = tl.exp(s - tl.where(m == -float("inf"), 0.0, m))
    l = 0
    for _ in range(0, n, BLOCK):
        l = l + tl.sum(p, 0)
    tl.store(out_ptr + row + j, p / tl.where(l == 0, 1.0, l), mask=j < n)


@triton.jit
def state_of_each_lane(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0) * n
    m = tl.full((BLOCK,), -float("inf"), tl.float32)
    l = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        j = start + tl.arange(0, BLOCK)
        s = tl.load(x_ptr + row + j, mask=j < n, other=-float("inf"))
        new = tl.maximum(m, s)
        shift = tl.where(new == -float("inf"), 0.0, new)
        l = tl.exp(m - shift) * l + tl.exp(s - shift)
        m = new
    top = tl.where(tl.max(m, 0) == -float("inf"), 0.0, tl.max(m, 0))
    total = tl.sum(tl.exp(m - top) * l, 0)
    total = tl.where(total == 0, 1.0, total)
    for start in range(0, n, BLOCK):
        j = start + tl.arange(0, BLOCK)
        s = tl.load(x_ptr + row + j, mask=j < n, other=-float("inf"))
        tl.store(out_ptr + row + j, tl.exp(s - top) / total, mask=j < n)


@triton.jit
def by_numpy(x_ptr, out_ptr, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, np.exp(x) * factor, mask=i < n)


@triton.jit
def in_numpy_for_a_number(x_ptr, out_ptr, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, np.maximum(factor, factor) * x, mask=i < n)


@triton.jit
def beyond_the_end(x_ptr, out_ptr, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, factor * tl.load(x_ptr + i), mask=i < n)


@triton.jit
def by_max(x_ptr, out_ptr, factor, n, BLOCK: tl.constexpr):
    i = tl.max(0, tl.program_id(0) * BLOCK) + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, factor * tl.load(x_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def adds_closed_lanes(x_ptr, out_ptr, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, factor * x + 0 * tl.sum(x, 0), mask=i < n)


def scaling(kernel, block=16):
    def scale(x, factor):
        out = torch.empty_like(x)
        kernel[(triton.cdiv(len(x), block),)](x, out, factor, len(x), BLOCK=block)
        return out

    return scale


def softmax(x, kernel=state_of_each_lane, block=8):
    out = torch.empty_like(x)
    kernel[(x[..., 0].numel(),)](x, out, x.shape[-1], BLOCK=block)
    return out


def on_zeros(kernel):
    def scale(x, factor):
        out = torch.zeros_like(x)
        kernel[(triton.cdiv(len(x), 16),)](x, out, factor, len(x), BLOCK=16)
        return out

    return scale


def two_launches(x, factor):
    half, out = torch.empty_like(x), torch.empty_like(x)
    grid = (triton.cdiv(len(x), 16),)
    number_by_number[grid](x, half, factor / 2, len(x), BLOCK=16)
    last_again[grid](half.flip(0).contiguous(), out, 2.0, len(x), BLOCK=16)
    return out.flip(0)


def called(x, factor):
    out = torch.empty_like(x)
    number_by_number(x, out, factor, len(x), 16)
    return out


def test_a_right_kernel_of_another_form_is_right():
    for kernel in (number_by_number, last_again):
        assert SCALE.verdict(scaling(kernel)).state == "right"
    assert SCALE.verdict(scaling(last_again, block=64)).state == "right"
    assert SCALE.verdict(scaling(every_program_all)).state == "right"
    assert SCALE.verdict(two_launches).state == "right"
    assert SOFTMAX.verdict(softmax).state == "right"


@pytest.mark.parametrize(
    ("exercise", "answer", "said"),
    [
        (SCALE, on_zeros(zeros_into_the_next_block), "programs in the reverse order"),
        (SCALE, on_zeros(adds_to_every_number), "one program loads what another stores"),
        (SOFTMAX, lambda x: softmax(x, whole_matrix, 16), "programs in the reverse order"),
    ],
    ids=["stored before another", "loaded and stored", "beyond the row"],
)
def test_a_race_is_found_though_the_interpreter_takes_programs_in_order(exercise, answer, said):
    verdict = exercise.verdict(answer)
    assert verdict.state == "wrong"
    assert said in verdict.text


def test_what_a_compiler_for_a_gpu_refuses_is_refused():
    text = SOFTMAX.verdict(lambda x: softmax(x, counts_from_a_whole_number, 16)).text
    assert "Loop-carried variable l has initial type int32" in text
    assert "at  for _ in range(0, n, BLOCK):" in text


@pytest.mark.parametrize(
    "error", [RuntimeError("no compiler"), CompilationError("ptxas\nis\nnot here"), OSError()]
)
def test_where_nothing_can_be_compiled_a_right_kernel_is_right(error, monkeypatch):
    def cannot(*arguments):
        asked.append(arguments)
        raise error

    asked = []
    gpu_compile.refusal.cache_clear()
    monkeypatch.setattr(gpu_compile.machine_code, "compiled", cannot)
    assert SCALE.verdict(scaling(last_again)).state == "right"
    assert asked
    gpu_compile.refusal.cache_clear()


def causal(change):
    """The solution of the project, with a change in its kernel."""
    answer = exercises.triton.causal.parts()
    return versions(change, answer)[0]


def test_tiles_are_counted_whatever_the_kernel_calls_its_keys():
    renamed = causal("K, V, O → k_ptr, V, O ; rows(K, ⇒ rows(k_ptr,")
    assert exercises.triton.causal.verdict(renamed).state == "right"
    turned = causal("range(full, end, B) → range(full, n_k, B)")
    assert "tiles are loaded in which nothing" in exercises.triton.causal.verdict(turned).text


def test_a_product_that_a_gpu_rounds_is_told_and_another_precise_one_is_right():
    said = exercises.triton.causal.verdict(causal(', input_precision="ieee") ⇒ )')).text
    assert "TF32" in said and "at  s = tl.dot(" in said
    split = causal('input_precision="ieee" ⇒ input_precision="tf32x3"')
    assert exercises.triton.causal.verdict(split).state == "right"


def test_digits_that_are_lost_on_the_way_are_missed():
    assert "nearly right" in SCALE.verdict(scaling(in_half)).text
    in_bfloat16 = scaling(last_again)
    assert "bfloat16" in SCALE.verdict(lambda *given: in_bfloat16(*given).bfloat16()).text


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (number_by_number, "the function that launches your kernel, not the kernel"),
        (called, "a kernel is not called but launched, on a grid"),
        (lambda x, factor: factor * x, "no kernel has stored anything"),
        (lambda x, factor: [scaling(last_again)(x, factor)], "the shape is (1, 3); expected (3,)"),
        (scaling(misspelt), "NameError: name 'factr' is not defined\n  where  line"),
        (scaling(by_numpy), "use tl.exp\n  where  line"),
        (scaling(in_numpy_for_a_number), "use tl.maximum\n  at  tl.store"),
        (scaling(far_away), "program 0 would load what is in none of the kernel's arrays"),
        (scaling(without_the_last), "nan"),
        (scaling(adds_closed_lanes), "got       [nan nan nan]"),
        (scaling(beyond_the_end), "in beyond_the_end: tl.store"),
        (scaling(by_max), "in by_max: i = tl.max"),
        (scaling(number_by_number, block="x"), "your function raised TypeError"),
    ],
    ids=lambda x: getattr(x, "__name__", "said"),
)
def test_a_wrong_launch_or_kernel_hears_why(answer, said):
    verdict = SCALE.verdict(answer)
    assert verdict.state == "wrong"
    assert said in verdict.text


def test_what_is_not_stored_is_nan_though_right_numbers_lay_there():
    for _ in range(3):  # the memory of the first is free when the second asks for some
        assert SCALE.verdict(scaling(last_again)).state == "right"
        assert SCALE.verdict(scaling(without_the_last)).state == "wrong"


def test_a_kernel_that_writes_into_its_argument_is_told():
    def in_place(x, factor):
        number_by_number[(triton.cdiv(len(x), 16),)](x, x, factor, len(x), BLOCK=16)
        return x.clone()

    assert "changed its argument x" in SCALE.verdict(in_place).text


def test_the_kernel_of_where_it_lies_computes_the_gradient_of_the_queries():
    rng = np.random.default_rng(0)
    grad_out, q, k, v = rng.standard_normal((4, 20, 16))
    out, lse = online.attention_with_lse(q, k, v)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    given = (q, k, v, grad_out, np.sum(grad_out * out, axis=-1), lse)
    tensors = [torch.from_numpy(x).float().to(device) for x in given]
    found = torch.zeros_like(tensors[0])
    kernel = exercises.triton.where_it_lies.written
    kernel[(2,)](*tensors, found, 20, 20, D=16, B=16)
    right = gradients.scaled_dot_product_attention_backward(grad_out, q, k, v)[0]
    # A GPU rounds the factors of a product to 11 bits, the interpreter does not.
    np.testing.assert_allclose(found.cpu(), right, atol=1e-5 if device == "cpu" else 1e-2)


def test_what_lies_in_shared_memory_is_what_was_loaded_and_is_multiplied():
    halves = dict.fromkeys(("Q", "K", "V", "GRAD_O", "GRAD_Q"), "*fp16:16")
    types = halves | {"DELTA": "*fp32:16", "L": "*fp32:16", "n_q": "i32", "n_k": "i32"}
    kernel, block = exercises.triton.where_it_lies.written, 2 * 64 * 64
    for stages in (1, 2, 3):
        options = {"num_warps": 4, "num_stages": stages}
        code = machine_code.compiled(kernel, types, {"D": 64, "B": 64}, "sm_90", **options)
        assert code.shared == (2 + 2 * stages) * block and code.spills == 0


def test_an_exercise_is_loaded_first_of_all():
    """Without a GPU, the package has to say that Triton interprets before Triton is imported."""
    code = "from attnbook import exercises; exercises.triton.programs"
    environ = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    done = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
