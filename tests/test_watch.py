"""What is noted of a kernel's loads and stores is what it does, and strays are stopped."""

import numpy as np
import pytest
import torch

from attnbook.kernels import flash_attention, interpreter, watch, watching
from attnbook.kernels.watching import Access

import triton
import triton.language as tl

pytestmark = pytest.mark.skipif(
    not interpreter.is_interpreting(), reason="this machine has no interpreter: it has a GPU"
)


@triton.jit
def copy(x_ptr, out_ptr, n, ROW: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i * ROW, mask=i < n)
    tl.store(out_ptr + i, x, mask=i < n)


@triton.jit
def sums(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out_ptr, tl.sum(tl.load(x_ptr + i), 0))


def indices(seen, array, kind):
    found = [a.indices for a in seen if (a.array, a.kind) == (array, kind)]
    return np.concatenate(found).tolist()


def test_each_program_is_noted_with_its_places():
    x, out = torch.arange(5.0), torch.empty(5)
    with watch() as seen:
        copy[(2,)](x, out, 5, ROW=1, BLOCK=4)
    assert [a.program[0] for a in seen] == [0, 0, 1, 1]
    assert indices(seen, "x_ptr", "load") == indices(seen, "out_ptr", "store") == [*range(5)]
    assert [str(a) for a in seen][::2] == [
        "program 0  load    x_ptr[0:4]",
        "program 1  load    x_ptr[4]",
    ]
    assert sum(a.bytes for a in seen) == 2 * 5 * 4
    assert torch.equal(x, out)


def test_arrays_that_are_given_by_name_are_told_apart():
    x, out = torch.arange(5.0), torch.empty(5)
    with watch(strict=True) as seen:
        copy[(2,)](n=5, out_ptr=out, x_ptr=x, ROW=1, BLOCK=4)
    assert indices(seen, "x_ptr", "load") == indices(seen, "out_ptr", "store") == [*range(5)]
    with pytest.raises(Exception, match=r"would load x_ptr\[5:8\], which is not in x_ptr"):
        with watch(strict=True):
            copy[(2,)](x_ptr=x, out_ptr=out, n=8, ROW=1, BLOCK=4)


def test_rows_of_a_larger_array_are_told_from_what_lies_between():
    x, out = torch.arange(12.0).reshape(4, 3), torch.empty(4)
    with watch() as seen:
        copy[(1,)](x[:, 0], out, 4, ROW=3, BLOCK=4)
        copy[(1,)](x[:, 0], out, 4, ROW=2, BLOCK=4)
    straight, oblique = seen[0], seen[2]
    assert straight.indices.tolist() == [0, 3, 6, 9] and not straight.outside.size
    assert oblique.indices.tolist() == [0, 2, 4, 6] and oblique.outside.tolist() == [2, 4]
    assert str(oblique).endswith("outside: 2, 4")


def test_a_second_axis_of_the_grid_and_an_atomic_operation_are_noted():
    x, out = torch.ones(4), torch.zeros(1)
    with watch() as seen:
        sums[(1, 2)](x, out, BLOCK=2)
    assert [a.program for a in seen if a.kind == "atomic"] == [(0, 0, 0), (0, 1, 0)]
    assert str(seen[-1]) == "program (0, 1, 0)  atomic  out_ptr[0]"
    assert out.item() == 4


def test_a_stray_is_stopped_before_it_writes():
    memory = torch.zeros(8)
    with pytest.raises(Exception, match=r"x_ptr\[4\], which is not in x_ptr") as caught:
        with watch(strict=True):
            copy[(1,)](torch.ones(4), memory[:4], 5, ROW=1, BLOCK=8)
    assert isinstance(caught.value.__cause__, IndexError)
    assert not memory.any()


def test_after_watching_nothing_is_noted_any_more():
    with watch() as seen:
        pass
    copy[(1,)](torch.ones(4), torch.empty(4), 4, ROW=1, BLOCK=4)
    assert seen == []
    with pytest.raises(ZeroDivisionError), watch() as seen:
        raise ZeroDivisionError
    copy[(1,)](torch.ones(4), torch.empty(4), 4, ROW=1, BLOCK=4)
    assert seen == []


@pytest.mark.parametrize("causal", [False, True])
def test_flash_attention_loads_keys_once_for_each_block_of_queries(causal):
    q, k, v = torch.randn(3, 1, 1, 128, 16)
    with watch(strict=True) as seen:
        flash_attention(q, k, v, causal=causal)
    loaded = {name: len(indices(seen, name, "load")) // 16 for name in "qkv"}
    blocks = {a.program for a in seen}
    rows = 128 // len(blocks)
    visible = [rows * (b + 1) if causal else 128 for b in range(len(blocks))]
    assert loaded == {"q": 128, "k": sum(visible), "v": sum(visible)}
    assert sorted(indices(seen, "out", "store")) == [*range(128 * 16)]  # each once: no race
    assert sorted(indices(seen, "lse", "store")) == [*range(128)]


def access(indices=(), outside=(), program=(0, 0, 0)):
    return Access(program, "store", "x", np.array(indices, int), np.array(outside, int), 4)


@pytest.mark.parametrize(
    ("indices", "said"),
    [
        ([], ""),
        ([3], "3"),
        ([3, 3], "3"),
        ([4, 3], "3:5"),
        ([0, 1, 5, 8, 9, 7], "0:2, 5, 7:10"),
        ([0, 2, 4, 6], "0, 2, 4, 6"),
        ([0, 2, 4, 6, 7, 9], "6 indices from 0 to 9"),
        (range(0, 20, 2), "10 indices from 0 to 18"),
        ([-2, -1], "-2:0"),
    ],
)
def test_indices_are_written_as_slices(indices, said):
    assert str(access(indices)) == f"program 0  store   x[{said}]"
    assert access(indices).bytes == 4 * len(indices)


def test_what_is_outside_is_said_and_so_is_a_program_of_two_axes():
    assert str(access([0], [7, 8])) == "program 0  store   x[0]  outside: 7:9"
    assert str(access(program=(3, 0, 0))).startswith("program 3 ")
    assert str(access(program=(3, 0, 1))).startswith("program (3, 0, 1) ")


def found(tensors, addresses, itemsize=4):
    memory = watching._Memory()
    memory.launched(tensors)
    return memory, memory.find(np.array(addresses, np.uint64), itemsize)


def test_an_address_is_of_the_array_that_has_most_of_them():
    x = torch.zeros(12)
    arrays = {"head": x[:6], "tail": x[6:], "n": 7, "every_other": x[1::2]}
    at = x.data_ptr()
    for indices, name, inside, outside in (
        ([0, 1], "head", [0, 1], []),
        ([6, 7, 8], "tail", [0, 1, 2], []),
        ([4, 5, 6], "head", [4, 5, 6], [6]),
        ([5, 6, 7, 8], "tail", [-1, 0, 1, 2], [-1]),
        ([1, 3, 5, 7, 9, 11], "every_other", [0, 2, 4, 6, 8, 10], []),
        ([13], "tail", [7], [7]),  # of none: of the nearest
        ([-1], "head", [-1], [-1]),
    ):
        memory, (array, where, beyond) = found(arrays, [at + 4 * p for p in indices])
        assert (array, where.tolist(), beyond.tolist()) == (name, inside, outside)
    assert [name for name, _, _ in memory.arrays] == ["head", "tail", "every_other"]
    _, (array, where, beyond) = found(arrays, [])
    assert (array, where.size, beyond.size) == ("nothing", 0, 0)
    _, (array, where, beyond) = found({"n": 7}, [at])
    assert (array, where.size, beyond.size) == ("nothing", 0, 0)
    half = x.half()
    _, (array, where, _) = found({"half": half}, [half.data_ptr() + 6], itemsize=2)
    assert (array, where.tolist()) == ("half", [3])


def test_inside_is_what_a_tensor_has_and_nothing_between():
    x = torch.zeros(4, 6)
    assert watching._inside(x[:, :2]).tolist() == ([True] * 2 + [False] * 4) * 3 + [True] * 2
    assert watching._inside(x[1:3, ::3].T).nonzero()[0].tolist() == [0, 3, 6, 9]
    assert watching._inside(x[:0]).size == 0 and watching._inside(x[0, 0]).tolist() == [True]
    assert watching._inside(x[:1].expand(5, 6)).tolist() == [True] * 6


def test_a_stray_is_named_if_it_is_near():
    said = watching._stray(access([3, 4], [4]))
    assert said == "program 0 would store x[4], which is not in x: is its mask right?"
    far = watching._stray(access([2**30], [-(2**30)]))
    assert far.endswith("store what is in none of the kernel's arrays, and far from them")
    edge = watching.FAR
    assert "x[1048576]" in watching._stray(access([], [edge]))
    assert "far from them" in watching._stray(access([], [edge + 1, -edge - 1]))
    assert "x[0, 1048577]" in watching._stray(access([], [0, edge + 1]))  # the nearest counts


def test_only_what_a_mask_leaves_is_noted_of_numbers_of_any_size():
    for dtype, itemsize in ((torch.float64, 8), (torch.int8, 1), (torch.bool, 1)):
        x, out = torch.ones(5).to(dtype), torch.zeros(5).to(dtype)
        with watch() as seen:
            copy[(1,)](x, out, 3, ROW=1, BLOCK=4)
        assert [(a.kind, a.itemsize, a.indices.tolist()) for a in seen] == [
            ("load", itemsize, [0, 1, 2]),
            ("store", itemsize, [0, 1, 2]),
        ]
        assert out.tolist() == [1, 1, 1, 0, 0]


def test_a_bias_that_is_broadcast_is_watched_too():
    q, k, v = torch.randn(3, 1, 2, 16, 16)
    with watch(strict=True) as seen:
        flash_attention(q, k, v, bias=torch.zeros(1, 16))
    assert {*indices(seen, "bias", "load")} == {*range(16)}
