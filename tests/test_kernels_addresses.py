"""Addresses in 64 bits: rows may lie anywhere, and further apart than 32 bits count."""

import pytest
import torch
from kernel_oracle import drawn
from narrow import narrow_products

from attnbook import kernels
from attnbook.kernels import launch, machine_code
from attnbook.kernels.arguments import KernelOptions

import triton
import triton.language as tl


@triton.jit
def summed(x, out, x_strides, n, step, KEYS: tl.constexpr, FORM: tl.constexpr):
    at = tl.arange(0, KEYS)
    total = tl.zeros([KEYS], tl.float32)
    x += at.to(tl.int64) * x_strides[0]
    for _ in range(0, n, KEYS):
        total += tl.load(x)
        if FORM == "right":
            x += tl.full([], KEYS, tl.int64) * x_strides[0]
        elif FORM == "by a stride":
            x += KEYS * x_strides[0]
        elif FORM == "by strides of a row":
            x += at * x_strides[0]
        elif FORM == "of two sizes":
            x += n * step + 1
    tl.store(out + tl.program_id(0) * KEYS + at, total)


def found(form):
    signature = {"x": "*fp32", "out": "*fp32", "x_strides": ("i32", "i32"), "n": "i32"}
    constants = {"KEYS": 64, "FORM": form}
    made = machine_code.compiled(summed, signature | {"step": "i32"}, constants, "sm_80")
    return narrow_products(made.listings["ttir"])


@pytest.mark.parametrize("form", ["by a stride", "by strides of a row", "of two sizes"])
def test_a_planted_product_of_32_bits_is_found(form):
    assert len(found(form)) == 1


def test_a_product_of_64_bits_and_the_place_of_a_block_are_left():
    assert found("right") == []


def test_keys_further_apart_than_32_bits_count_are_decoded():
    """Tiles of 16 keys, 2^28 numbers apart: in 32 bits the second tile would be the first again."""
    row, n_k = 2**28, 20
    try:
        memory = torch.empty((n_k - 1) * row + 256, dtype=torch.float16)
    except RuntimeError:
        pytest.skip("this machine lends no 10 GB of addresses")
    q, k, v = drawn((1, 1, 1, 256), (1, 1, n_k, 256), torch.float16)
    apart = memory.as_strided(k.shape, (row, row, row, 1)).copy_(k)
    right = kernels.decode_attention(q, k, v, splits=1)
    assert torch.equal(kernels.decode_attention(q, apart, v, splits=1), right)


def test_heads_that_programs_take_at_a_time_are_no_more_than_there_are():
    """Or their number times that of blocks of queries could be 0 in 32 bits."""
    options = KernelOptions(1.0, causal=True)
    q, k = (torch.empty(2, 4, n, 16, device="meta") for n in (2**30, 1))
    sizes = launch.sizes_of(q, k, options)
    assert (sizes["group"], sizes["heads_per_wave"]) == (1, 8)
    assert launch.sizes_of(k, q, options)["heads_per_wave"] == 1
