"""What is noted of a kernel's loads and stores is what it does, and strays are stopped."""

import numpy as np
import pytest
import torch

from attnbook.kernels import flash_attention, interpreter, tl, triton, watch
from attnbook.kernels.watch import Access

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


def places(seen, array, kind):
    found = [a.places for a in seen if (a.array, a.kind) == (array, kind)]
    return np.concatenate(found).tolist()


def test_each_program_is_noted_with_its_places():
    x, out = torch.arange(5.0), torch.empty(5)
    with watch() as seen:
        copy[(2,)](x, out, 5, ROW=1, BLOCK=4)
    assert [a.program[0] for a in seen] == [0, 0, 1, 1]
    assert places(seen, "x_ptr", "load") == places(seen, "out_ptr", "store") == [*range(5)]
    assert [str(a) for a in seen][::2] == [
        "program 0  load    x_ptr[0:4]",
        "program 1  load    x_ptr[4]",
    ]
    assert sum(a.bytes for a in seen) == 2 * 5 * 4
    assert torch.equal(x, out)


def test_rows_of_a_larger_array_are_told_from_what_lies_between():
    x, out = torch.arange(12.0).reshape(4, 3), torch.empty(4)
    with watch() as seen:
        copy[(1,)](x[:, 0], out, 4, ROW=3, BLOCK=4)
        copy[(1,)](x[:, 0], out, 4, ROW=2, BLOCK=4)
    straight, oblique = seen[0], seen[2]
    assert straight.places.tolist() == [0, 3, 6, 9] and not straight.outside.size
    assert oblique.places.tolist() == [0, 2, 4, 6] and oblique.outside.tolist() == [2, 4]
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


def test_many_places_are_counted_and_none_are_nothing():
    many = Access((0, 0, 0), "load", "x", np.arange(0, 20, 2), np.arange(0), 4)
    assert str(many) == "program 0  load    x[10 places from 0 to 18]"
    assert str(many._replace(places=np.arange(0))) == "program 0  load    x[]"


@pytest.mark.parametrize("causal", [False, True])
def test_flash_attention_loads_keys_once_for_each_block_of_queries(causal):
    q, k, v = torch.randn(3, 1, 1, 128, 16)
    with watch(strict=True) as seen:
        flash_attention(q, k, v, causal=causal)
    loaded = {name: len(places(seen, name, "load")) // 16 for name in "qkv"}
    blocks = {a.program for a in seen}
    rows = 128 // len(blocks)
    visible = [rows * (b + 1) if causal else 128 for b in range(len(blocks))]
    assert loaded == {"q": 128, "k": sum(visible), "v": sum(visible)}
    assert sorted(places(seen, "out", "store")) == [*range(128 * 16)]  # each once: no race
    assert sorted(places(seen, "lse", "store")) == [*range(128)]
