"""What `python -m attnbook.distributed` does on each rank: agreement, bytes, order, a fault."""

import functools
import math
import os
import signal
import statistics
import time

import torch
import torch.distributed as dist

from attnbook.distributed import attention, heads, model, traffic
from attnbook.distributed.local import attend
from attnbook.distributed.placement import split_sequence
from attnbook.distributed.ring import Parcel, Ring
from attnbook.distributed.session import device
from attnbook.pytorch import causal_mask, repeat_heads, scaled_dot_product_attention

CLOSE = 1e-14  # at the places of a double near 1, 45 of the smallest steps


def agree(ring, n=32, n_heads=8, n_kv_heads=4, d=8):
    """Compare with one process, forward and backward, and count bytes, in float64."""
    work = traffic.Work(n, n_heads, n_kv_heads, d, itemsize=8)
    there, back = traffic.ring_bytes, traffic.ring_backward_bytes
    both = traffic.head_parallel_bytes
    rows = [
        ("ring", "contiguous", False, attention.ring_attention, there, back),
        ("ring", "contiguous", True, attention.ring_attention, there, back),
        ("ring", "zigzag", True, attention.ring_attention, there, back),
        ("heads", "zigzag", True, heads.head_parallel_attention, both, both),
    ]
    say(ring, f"{ring.n_ranks} ranks                  within 1e-14     bytes a rank sends")
    for name, placement, causal, function, *predictions in rows:
        found, sent = compare(ring, work, function, placement, causal)
        close = [worst(ring, difference) < CLOSE for difference in found]
        predicted = [predict(work, ring.n_ranks) for predict in predictions]
        exact = "as predicted" if everywhere(ring, sent == predicted) else "NOT as predicted"
        label = f"{name:6}{placement:11}{'causal' if causal else '':8}"
        say(ring, f"{label}{close[0]!s:6}{close[1]!s:8}{sent[0]:6} + {sent[1]:6}  {exact}")


def compare(ring, work, function, placement, causal):
    """The largest differences from one process, forward and backward, and the bytes of each."""
    whole = tensors(work)
    wanted = alone(*whole, causal)
    mine = [split_sequence(x, ring.n_ranks, placement)[ring.rank] for x in whole]
    q, k, v, grad_out = (x.clone() for x in mine)
    with traffic.counted() as sent:
        out = function(*(x.requires_grad_() for x in (q, k, v)), causal, placement)
        there = sent.bytes
        out.backward(grad_out)
    wanted = [split_sequence(x, ring.n_ranks, placement)[ring.rank] for x in wanted]
    found = out, q.grad, k.grad, v.grad
    differences = [(x - y).abs().max() for x, y in zip(found, wanted, strict=True)]
    return (differences[0], max(differences[1:])), [there, sent.bytes - there]


def tensors(work):
    """The same q, k, v and gradient of the output on every rank, in float64."""
    generator = torch.Generator().manual_seed(0)

    def draw(n_heads):
        shape = work.batch, n_heads, work.n, work.d
        return torch.randn(shape, generator=generator, dtype=torch.float64).to(device())

    return draw(work.n_heads), draw(work.n_kv_heads), draw(work.n_kv_heads), draw(work.n_heads)


def alone(q, k, v, grad_out, causal):
    """Output and gradients from the book's plain attention, all in one process, by autograd."""
    q, k, v = (x.clone().requires_grad_() for x in (q, k, v))
    times, n = q.shape[-3] // k.shape[-3], q.shape[-2]
    mask = causal_mask(n, n, q.device) if causal else None
    out = scaled_dot_product_attention(q, repeat_heads(k, times), repeat_heads(v, times), mask)
    return out.detach(), *torch.autograd.grad(out, (q, k, v), grad_out)


def order(ring, m=8, d=4):
    """What rank 0 does on the way forward, in order."""
    done = []

    class Told(Ring):
        def send(self, *block):
            done.append("post")
            return ToldParcel(*super().send(*block))

    class ToldParcel(Parcel):
        def wait(self):
            done.append("wait")
            return super().wait()

    q, k, v, _ = tensors(traffic.Work(m, 1, 1, d, itemsize=8))
    told = Told(ring.rank, ring.n_ranks, ring.group)
    for source, (k_s, v_s) in told.blocks(k, v):
        done.append(f"attend to {source}")
        attend(q, k_s, v_s, False, None)
    say(ring, ", ".join(done))


def times(ring, lengths=(512, 1024, 2048), n_heads=4, d=64, rounds=5):
    """Predict the ring's time from ceilings measured in the same run, and measure it."""
    make = [traffic.Work(n, n_heads, n_heads, d, itemsize=4) for n in lengths]
    given = [[x.float()[..., : work.n // ring.n_ranks, :] for x in tensors(work)] for work in make]
    machine = ceilings(ring, make[-1], given[-1], rounds)
    say(ring, f"{machine.flops / 1e9:.1f} GFLOP/s, {machine.bandwidth / 1e9:.2f} GB/s a rank")
    for work, (*qkv, _) in zip(make, given, strict=True):
        predicted = model.ring_seconds(work, ring.n_ranks, machine)
        call = functools.partial(attention.forward, *qkv, ring, False, "contiguous", None)
        measured = median(ring, call, rounds)
        said = f"predicted {1e3 * predicted:.1f} ms measured {1e3 * measured:.1f} ms"
        say(ring, f"n {work.n} {said} ratio {measured / predicted:.2f}")


def ceilings(ring, work, tensors, rounds):
    """Operations and bytes a second, of all ranks at once, as they are during a ring."""
    q, k, v, _ = tensors
    one = work._replace(n=work.n // ring.n_ranks)
    step = median(ring, lambda: attend(q, k, v, False, None), rounds)
    travel = median(ring, lambda: ring.send(k, v).wait(), rounds)
    sent = 2 * k.numel() * k.element_size()
    return model.Machine(model.flops(one) / step, sent / travel if ring.n_ranks > 1 else math.inf)


def median(ring, call, rounds):
    """The median time of a call that all ranks begin together: each time that of the slowest."""
    found = []
    for _ in range(rounds + 1):
        worst(ring, 0)  # nobody begins before all are there
        began = time.perf_counter()
        call()
        if device().type == "cuda":
            torch.cuda.synchronize()
        found.append(worst(ring, time.perf_counter() - began))
    return statistics.median(found[1:])


def fault(ring, kind, rank):
    """A ring in which one rank ends, or hangs, after the first round."""
    q, k, v, _ = tensors(traffic.Work(8 * ring.n_ranks, 2, 2, 4, itemsize=8))
    attention.ring_attention(q, k, v)
    if ring.rank == rank:
        say_here(f"rank {rank} has a planted fault: {kind}")
        if kind == "end":
            os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
        time.sleep(3600)
    attention.ring_attention(q, k, v)


def worst(ring, number):
    """The largest of the ranks' numbers."""
    number = torch.as_tensor(number, dtype=torch.float64, device=device()).clone()
    if ring.n_ranks > 1:
        dist.all_reduce(number, dist.ReduceOp.MAX)
    return number.item()


def everywhere(ring, claim):
    """Whether it is so on all ranks."""
    return worst(ring, 0.0 if claim else 1.0) == 0


def say(ring, line):
    """Print a line, once."""
    if ring.rank == 0:
        print(line, flush=True)


def say_here(line):
    os.write(2, f"{line}\n".encode())
