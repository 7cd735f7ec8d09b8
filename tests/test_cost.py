"""Counted costs are those of loops that count, of PyTorch's own counter, and of what is moved."""

import re

import numpy as np
import one_line
import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention as sdpa
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode

from attnbook import masks, measure
from attnbook.measure import cost as counted

SIZES = measure.Sizes(5, 7, 4, 6, heads=3, batch=2)
GROUPED = measure.Sizes(5, 7, 4, heads=6, kv_heads=2, batch=2, itemsize=2)


class Number(float):
    """A number that counts what is done with it."""

    made = 0

    def __mul__(self, other):
        Number.made += 1
        return Number(float(self) * float(other))

    def __add__(self, other):
        Number.made += 1
        return Number(float(self) + float(other))

    __radd__ = __add__


def by_loops(sizes):
    """Multiplications and additions of both products of one head, one after the other."""
    Number.made = 0
    for width, inner in ((sizes.n_k, sizes.d_k), (sizes.d_v, sizes.n_k)):
        for _ in range(sizes.n_q * width):
            total = Number(0)
            for _ in range(inner):
                total = total + Number(1) * Number(1)
    return sizes.batch * sizes.heads * Number.made


def tensors(sizes, grad=False):
    s, dtype = sizes, {2: torch.bfloat16, 4: torch.float32}[sizes.itemsize]
    shapes = (s.heads, s.n_q, s.d_k), (s.kv_heads, s.n_k, s.d_k), (s.kv_heads, s.n_k, s.d_v)
    return [torch.randn(s.batch, *shape, dtype=dtype, requires_grad=grad) for shape in shapes]


def readable(q, k, v):
    return torch.softmax(q @ k.mT, dim=-1) @ v


def total(parts):
    return sum(parts.values(), measure.Cost())


def flops_of(call):
    with FlopCounterMode(display=False) as counter:
        call()
    return counter.get_total_flops()


class Moved(TorchDispatchMode):
    """The bytes of tensors that operations are given and return, by the operation's name."""

    def __init__(self):
        super().__init__()
        self.bytes = {}

    def __torch_dispatch__(self, op, types, args=(), kwargs=None):
        made = op(*args, **(kwargs or {}))
        results = made if isinstance(made, tuple) else (made,)
        tensors = [x for x in (*args, *results) if isinstance(x, torch.Tensor)]
        name = op.overloadpacket.__name__
        self.bytes.setdefault(name, []).append(sum(x.nbytes for x in tensors))
        return made


def moved_by(call):
    with Moved() as moved:
        call()
    return moved.bytes


def test_products_are_counted_as_in_loops():
    assert by_loops(SIZES) == total(measure.whole_cost(SIZES)).flops
    assert by_loops(SIZES) == measure.fused_cost(SIZES).flops


def test_products_are_counted_as_pytorch_counts_them():
    q, k, v = tensors(SIZES, grad=True)
    assert flops_of(lambda: readable(q, k, v)) == total(measure.whole_cost(SIZES)).flops
    out = readable(q, k, v).sum()
    back = flops_of(lambda: out.backward())
    assert back == total(measure.whole_backward_cost(SIZES)).flops


def test_a_pass_back_that_computes_scores_again_has_five_products():
    square = measure.Sizes(9, 9, 4)
    assert measure.fused_backward_cost(square).flops == 2.5 * measure.fused_cost(square).flops
    q, k, v = tensors(SIZES, grad=True)
    twice = flops_of(lambda: readable(q, k, v).sum().backward()) - flops_of(lambda: q @ k.mT)
    once = measure.fused_backward_cost(SIZES).flops + measure.fused_cost(SIZES).flops
    scores = measure.whole_cost(SIZES)["scores"].flops
    assert once - 2 * scores == twice


def test_the_bytes_of_each_phase_are_those_of_its_tensors():
    q, k, v = (x.flatten(0, 1) for x in tensors(SIZES))
    moved = moved_by(lambda: torch.bmm(torch.softmax(torch.bmm(q, k.mT), dim=-1), v))
    phases = measure.whole_cost(SIZES)
    assert moved["bmm"] == [phases["scores"].bytes, phases["mixing"].bytes]
    assert moved["_softmax"] == [phases["softmax"].bytes]


@pytest.mark.parametrize("sizes", [measure.Sizes(5, 7, 4, heads=3, batch=2), GROUPED])
def test_the_bytes_of_a_fused_pass_are_those_of_its_tensors(sizes):
    q, k, v = tensors(sizes)
    grouped = sizes.heads != sizes.kv_heads
    kernel = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
    if grouped:
        numbers = sum(x.nbytes for x in (q, k, v, q)) + 4 * q[..., 0].numel()
        assert measure.fused_cost(sizes).bytes == numbers
        return
    (forward,) = moved_by(lambda: kernel(q, k, v))[kernel.__name__]
    assert measure.fused_cost(sizes).bytes == forward


def test_the_bytes_of_a_fused_pass_back_are_those_of_its_tensors():
    sizes = measure.Sizes(5, 7, 4, heads=3, batch=2)
    q, k, v = tensors(sizes, grad=True)
    out = sdpa(q, k, v)
    moved = moved_by(lambda: torch.autograd.grad(out, (q, k, v), torch.ones_like(out)))
    (back,) = moved["_scaled_dot_product_flash_attention_for_cpu_backward"]
    assert measure.fused_backward_cost(sizes).bytes == back


def test_the_bytes_of_the_whole_backward_pass_are_those_of_its_tensors():
    q, k, v = (x.flatten(0, 1) for x in tensors(SIZES))
    weights, grad_out = torch.softmax(q @ k.mT, dim=-1), torch.randn(6, 5, 6)
    parts, matrix = measure.whole_backward_cost(SIZES), weights.nbytes
    products = {
        "values": lambda: torch.bmm(weights.mT, grad_out),
        "weights": lambda: torch.bmm(grad_out, v.mT),
        "queries": lambda: torch.bmm(weights, k),
        "keys": lambda: torch.bmm(weights.mT, q),
    }
    for name, product in products.items():
        assert moved_by(product)["bmm"] == [parts[name].bytes]
    assert parts["scores"].bytes == 3 * matrix + 2 * grad_out.nbytes


WRONG = {
    "an addition does not count": "2 * matrix * sizes.d_k ⇒ matrix * sizes.d_k",
    "values as wide as keys": "2 * matrix * sizes.d_v ⇒ 2 * matrix * sizes.d_k",
    "numbers for bytes": "s * 2 * matrix ⇒ 2 * matrix",
    "scores are not written": "bytes=s * (q + k + matrix) ⇒ bytes=s * (q + k)",
    "L is not written":
        " + 4 * matrix // sizes.n_k,\n    )\n\n\ndef whole ⇒ ,\n    )\n\n\ndef whole",
    "four products back": "3 * sizes.d_k + 2 * sizes.d_v ⇒ 2 * sizes.d_k + 2 * sizes.d_v",
    "G_O is not read": "s * 2 * (q + k + v + out) ⇒ s * (2 * (q + k + v) + out)",
    "keys for every head": "self.batch * self.kv_heads ⇒ self.batch * self.heads",
    "one product back for both": "bytes=s * (matrix + out + v) ⇒ bytes=s * (matrix + v)",
}  # fmt: skip
TESTS = [
    test_products_are_counted_as_in_loops,
    test_products_are_counted_as_pytorch_counts_them,
    test_a_pass_back_that_computes_scores_again_has_five_products,
    test_the_bytes_of_each_phase_are_those_of_its_tensors,
    lambda: test_the_bytes_of_a_fused_pass_are_those_of_its_tensors(GROUPED),
    lambda: test_the_bytes_of_a_fused_pass_are_those_of_its_tensors(measure.Sizes(5, 7, 4)),
    test_the_bytes_of_a_fused_pass_back_are_those_of_its_tensors,
    test_the_bytes_of_the_whole_backward_pass_are_those_of_its_tensors,
]


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_count_is_rejected(name, monkeypatch):
    changed = one_line.of_module(counted, WRONG[name])
    for function in ("whole_cost", "fused_cost", "whole_backward_cost", "fused_backward_cost"):
        monkeypatch.setattr(measure, function, getattr(changed, function))
    monkeypatch.setattr(measure, "Sizes", changed.Sizes)
    rebuilt = {n: changed.Sizes(**vars(s)) for n, s in (("SIZES", SIZES), ("GROUPED", GROUPED))}
    for variable, sizes in rebuilt.items():
        monkeypatch.setitem(globals(), variable, sizes)
    failed = 0
    for test in TESTS:
        try:
            test()
        except AssertionError:
            failed += 1
    assert failed


@pytest.mark.parametrize(("n_q", "n_k"), [(1, 1), (4, 4), (3, 7), (7, 3), (1, 9), (9, 1)])
def test_causal_pairs_are_those_of_the_mask(n_q, n_k):
    assert measure.causal_pairs(n_q, n_k) == masks.causal_mask(n_q, n_k).sum()


def test_pairs_that_are_left_out_cost_nothing_but_the_arrays():
    half = measure.Sizes(8, 8, 4, heads=3, pairs=measure.causal_pairs(8, 8))
    whole = measure.Sizes(8, 8, 4, heads=3)
    some, every = measure.fused_cost(half), measure.fused_cost(whole)
    assert (some.flops, some.exps, some.bytes) == (every.flops * 36 / 64, 3 * 36, every.bytes)
    assert measure.whole_cost(half) == measure.whole_cost(whole)
    none = measure.fused_cost(measure.Sizes(8, 8, 4, heads=3, pairs=0))
    assert none == measure.Cost(flops=0, exps=0, bytes=every.bytes)


def test_keys_and_values_travel_once_for_each_block_of_queries():
    sizes = measure.Sizes(100, 50, 4, itemsize=2)
    once, four = measure.fused_cost(sizes), measure.fused_cost(sizes, rows=32)
    assert four.bytes - once.bytes == 3 * 2 * 2 * 50 * 4
    assert measure.fused_cost(sizes, rows=100) == once


def test_decoding_has_as_many_operations_a_byte_as_queries_share_a_key():
    for shared in (1, 4, 8):
        sizes = measure.Sizes(1, 2**16, 128, heads=8, kv_heads=8 // shared, itemsize=2)
        assert measure.fused_cost(sizes).intensity == pytest.approx(shared, rel=1e-3)


def test_a_layers_products_are_counted_as_pytorch_counts_them():
    d, heads, n = 12, 3, 5
    layer = torch.nn.TransformerEncoderLayer(d, heads, 4 * d, batch_first=True)
    x = torch.randn(2, n, d, requires_grad=True)
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        found = flops_of(lambda: layer(x))
    assert found == total(measure.layer_cost(n, n, d, heads, batch=2)).flops


def test_a_layers_bytes_are_those_of_its_weights_and_what_goes_in_and_out():
    d, d_ff, d_kv, n = 12, 20, 4, 5
    cost = measure.layer_cost(n, n, d, 3, kv_heads=1, d_ff=d_ff, batch=2)
    rows = torch.randn(2 * n, d)
    weights = [torch.randn(d, width) for width in (d, d_kv, d_kv, d)]
    moved = moved_by(lambda: [rows @ w for w in weights])["mm"]
    assert cost["projections"].bytes == sum(moved) - 2 * rows.nbytes  # one read for Q, K and V
    wide = torch.randn(2 * n, d_ff)
    moved = moved_by(lambda: (rows @ torch.randn(d, d_ff), wide @ torch.randn(d_ff, d)))["mm"]
    assert cost["dense"].bytes == sum(moved)


def test_a_layers_attention_is_that_of_its_sizes():
    sizes = measure.Sizes(3, 5, 4, heads=3, kv_heads=1, itemsize=2, pairs=9)
    parts = measure.layer_cost(3, 5, 12, 3, kv_heads=1, itemsize=2, pairs=9)
    assert parts["attention"] == measure.fused_cost(sizes)
    assert measure.fused_cost(sizes).exps == measure.fused_backward_cost(sizes).exps == 3 * 9


@pytest.mark.parametrize("d", [64, 768, 4096])
def test_attention_overtakes_the_rest_of_a_layer_at_six_widths(d):
    for n, more in ((6 * d - 1, -1), (6 * d, 0), (6 * d + 1, 1)):
        parts = measure.layer_cost(n, n, d, 8)
        rest = parts["projections"].flops + parts["dense"].flops
        assert np.sign(parts["attention"].flops - rest) == more


def test_costs_are_added_and_repeated():
    one = measure.Cost(1, 2, 3)
    assert one + one == 2 * one == one * 2 == measure.Cost(2, 4, 6)
    assert measure.Cost(flops=6, bytes=3).intensity == 2
    assert measure.Cost() == measure.Cost(0, 0, 0)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"n_q": 0}, "n_q is 0; expected a whole number above 0"),
        ({"n_k": 2.0}, "n_k is 2.0; expected a whole number above 0"),
        ({"heads": 3, "kv_heads": 2}, "heads is 3; expected a multiple of kv_heads, 2"),
        ({"pairs": 36}, "pairs is 36; expected at most 35"),
        ({"batch": True}, "batch is True; expected a whole number above 0"),
    ],
)
def test_sizes_that_cannot_be_are_refused(change, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        measure.Sizes(**{"n_q": 5, "n_k": 7, "d_k": 4} | change)


@pytest.mark.parametrize("library", [np, torch])
def test_sizes_are_read_from_arrays(library):
    q, k, v = (
        library.zeros(s, dtype=library.float16) for s in ((2, 6, 5, 4), (2, 3, 7, 4), (2, 3, 7, 8))
    )
    found = measure.Sizes.of(q, k, v)
    assert found == measure.Sizes(5, 7, 4, 8, heads=6, kv_heads=3, batch=2, itemsize=2)
    more = measure.Sizes.of(*(library.stack([x, x, x]) for x in (q, k, v)), pairs=9)
    assert more == measure.Sizes(5, 7, 4, 8, 6, 3, batch=6, itemsize=2, pairs=9)
    assert measure.Sizes.of(q[0], k[0], v[0]).batch == 1
