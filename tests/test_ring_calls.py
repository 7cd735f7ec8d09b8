"""The functions that a reader calls on a ring, with every argument: ranks are threads.

`test_ring_of_threads` has what they are made of, `test_ring_of_processes` the processes.
"""

import sys

import one_line
import pytest
import torch
import torch.distributed as dist
from ring_of_threads import on_threads

from attnbook import distributed
from attnbook.distributed import attention, heads, join_sequence, placement, split_sequence
from attnbook.distributed.ring import Ring
from attnbook.distributed.traffic import Work
from attnbook.distributed.trials import tensors
from attnbook.pytorch import causal_mask, repeat_heads, scaled_dot_product_attention

CLOSE = 1e-14  # outputs and gradients are of size 1, and each is a few hundred roundings
WORK = Work(n=24, n_heads=6, n_kv_heads=3, d=6, itemsize=8, batch=2)
FUNCTIONS = distributed.ring_attention, distributed.head_parallel_attention
RANKS = 1, 3


@pytest.fixture(autouse=True)
def group_is_the_ring(monkeypatch):
    """A rank hands its place on a ring of threads over as its group."""
    monkeypatch.setattr(Ring, "of", classmethod(lambda cls, group: group))

    def exchange(out, x, group):
        """Row p of rank r becomes row r of rank p, by as many turns of the ring as it takes."""
        for source, (theirs,) in group.blocks(x):
            out[source] = theirs[group.rank]

    monkeypatch.setattr(heads, "_exchange", lambda x, ring: Exchange.apply(x, ring, exchange))


class Exchange(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, ring, exchange):
        ctx.given = ring, exchange
        exchange(out := torch.empty_like(x), x, ring)
        return out

    @staticmethod
    def backward(ctx, grad):
        return Exchange.apply(grad, *ctx.given), None, None


def on_a_ring(function, n_ranks, how, whole, causal, scale):
    """Output and gradients by autograd, of the whole sequence, from ranks."""
    parts = [split_sequence(x, n_ranks, how) for x in whole]

    def task(ring):
        *qkv, grad_out = (part[ring.rank].clone() for part in parts)
        q, k, v = (x.requires_grad_() for x in qkv)
        out = function(q, k, v, causal, how, scale, ring)
        return out.detach(), *torch.autograd.grad(out, (q, k, v), grad_out)

    results = zip(*on_threads(n_ranks, task), strict=True)
    return [join_sequence(list(part), how) for part in results]


def alone(whole, causal, scale):
    q, k, v, grad_out = whole
    q, k, v = (x.clone().requires_grad_() for x in (q, k, v))
    times = q.shape[-3] // k.shape[-3]
    mask = causal_mask(q.shape[-2], q.shape[-2]) if causal else None
    shared = repeat_heads(k, times), repeat_heads(v, times)
    out = scaled_dot_product_attention(q, *shared, mask, scale=scale)
    return out.detach(), *torch.autograd.grad(out, (q, k, v), grad_out)


def differences(*given):
    _, _, _, whole, *how = given
    pairs = zip(on_a_ring(*given), alone(whole, *how), strict=True)
    return [(x - y).abs().max().item() for x, y in pairs]


@pytest.mark.parametrize("scale", [None, 0.9])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("how", placement.PLACEMENTS)
@pytest.mark.parametrize("n_ranks", RANKS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_argument_has_its_effect(function, n_ranks, how, causal, scale):
    assert max(differences(function, n_ranks, how, tensors(WORK), causal, scale)) < CLOSE


@pytest.mark.parametrize("function", FUNCTIONS)
def test_any_number_of_axes_of_batches(function):
    q, k, v, grad_out = tensors(WORK)
    for whole in ([x[0] for x in (q, k, v, grad_out)], [x[None] for x in (q, k, v, grad_out)]):
        assert max(differences(function, 3, "zigzag", whole, True, None)) < CLOSE


@pytest.mark.parametrize("function", FUNCTIONS)
def test_nothing_is_hidden_and_the_placement_is_zigzag_if_nobody_says_so(function):
    q, k, v, _ = tensors(WORK)
    parts = [split_sequence(x, 3) for x in (q, k, v)]
    found = on_threads(3, lambda ring: function(*(p[ring.rank] for p in parts), group=ring))
    assert (join_sequence(found) - alone((q, k, v, q), False, None)[0]).abs().max() < CLOSE
    odd = [x[..., :3, :] for x in (q, k, v)]
    with pytest.raises(ValueError, match="3 positions; expected an even number"):
        function(*odd, True, group=Ring())


def test_an_odd_number_of_positions_is_no_fault_of_consecutive_pieces():
    whole = [x[..., :9, :] for x in tensors(WORK)]
    assert max(differences(FUNCTIONS[0], 3, "contiguous", whole, True, None)) < CLOSE


def test_two_positions_on_a_rank_are_an_early_and_a_late_piece():
    whole = [x[..., :6, :] for x in tensors(WORK)]
    assert max(differences(FUNCTIONS[0], 3, "zigzag", whole, True, None)) < CLOSE


@pytest.mark.parametrize("function", FUNCTIONS)
def test_short_floats_are_merged_and_added_up_in_float32(function):
    """Rounded once, at the end: half a step of bfloat16, 1/256, of the largest number."""
    whole = [x.bfloat16() for x in tensors(Work(48, 6, 3, 6, 8))]
    found = on_a_ring(function, 3, "zigzag", whole, True, None)
    wanted = alone([x.double() for x in whole], True, None)
    for x, y in zip(found, wanted, strict=True):
        assert x.dtype == torch.bfloat16
        assert (x - y).abs().max() < 0.75 / 256 * y.abs().max()
    q, k, v, _ = (x[..., :16, :] for x in whole)
    given = q, k, v, Ring(), True, "zigzag", None
    out, lse = attention.forward(*given)
    grads = attention.backward(q, q, k, v, out, lse, *given[3:])
    assert {x.dtype for x in (out, lse, *grads)} == {torch.float32}


def test_heads_that_the_ranks_do_not_divide_are_refused():
    q, k, v, _ = (x[..., :8, :] for x in tensors(WORK))
    for ranks, name, number in ((4, "q", 6), (6, "k", 3)):
        sentence = f"{name} has {number} heads; expected a multiple of the {ranks} ranks"
        with pytest.raises(ValueError, match=sentence):
            distributed.head_parallel_attention(q, k, v, group=Ring(0, ranks))


def test_the_exchange_is_its_own_gradient(monkeypatch):
    """The real one, over a stand-in for the processes."""
    asked = []

    def all_to_all_single(out, x, group):
        assert out.is_contiguous() and x.is_contiguous()
        asked.append(group)
        out.copy_(x.flip(0))

    monkeypatch.undo()
    monkeypatch.setattr(dist, "all_to_all_single", all_to_all_single)
    ring = Ring(0, 2, group="two of them")
    x = torch.arange(12.0).reshape(2, 3, 2).mT.requires_grad_()
    out = heads._exchange(x, ring)
    (grad,) = torch.autograd.grad(out, x, weights := torch.arange(12.0).reshape(2, 2, 3))
    assert torch.equal(out, x.flip(0)) and torch.equal(grad, weights.flip(0))
    assert asked == ["two of them"] * 2
    assert heads._exchange(x, Ring()) is x


H, P, A = heads.heads_for_positions, heads.positions_for_heads, attention.RingAttention
WRONG = {
    (H, "joined as consecutive pieces"): ', placement)\n → , "contiguous")\n',
    (H, "no exchange"): "list(_exchange(out, ring)) → list(out)",
    (P, "split as consecutive pieces"): 'ring.n_ranks, placement → ring.n_ranks, "contiguous"',
    (P, "no exchange backward"): "list(_exchange(out, ring)) → list(out)",
    (P, "heads in another order"): "list(_exchange(out, ring)) → list(_exchange(out, ring))[::-1]",
    (heads.head_parallel_attention, "no mask"): "Ring(), causal, → Ring(), False,",
    (heads.head_parallel_attention, "no scale"): "placement, scale) → placement, None)",
    (heads.head_parallel_attention, "a ring after the exchange"): "*whole, Ring() → *whole, ring",
    (A.forward, "queries for keys, backward"): "backward(q, k, v, → backward(q, q, v,",
    (A.backward, "gradients of keys and values exchanged"):
        "zip(grads, (q, k, v) → zip((grads[0], *grads[:0:-1]), (q, k, v)",
    (A.backward, "gradients in another dtype"): "grad.to(x.dtype) → grad.half()",
    (distributed.ring_attention, "no mask"): ", causal, _fit → , False, _fit",
    (distributed.ring_attention, "no scale"): "placement), scale) → placement), None)",
    (distributed.ring_attention, "a ring of one"): "Ring.of(group) → Ring()",
}  # fmt: skip


@pytest.mark.parametrize("mistake", WRONG, ids=[f"{f.__qualname__}: {name}" for f, name in WRONG])
def test_a_mistake_of_a_function_that_is_called_is_found(mistake, monkeypatch):
    function = mistake[0]
    module = sys.modules[function.__module__]
    one_line.put(monkeypatch, function, WRONG[mistake])
    called = getattr(module, "head_parallel_attention", None) or attention.ring_attention
    wanted = alone(tensors(WORK), True, 0.9)
    try:
        found = on_a_ring(called, 3, "zigzag", tensors(WORK), True, 0.9)
        far = max((x - y).abs().max().item() for x, y in zip(found, wanted, strict=True))
    except (RuntimeError, TypeError) as error:  # shapes that do not fit
        assert "shape" in str(error) or "size" in str(error), error
        return
    assert not far < 1e-4
