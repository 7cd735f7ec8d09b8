"""What `python -m attnbook.distributed` does on each rank: agreement, bytes, order, a fault."""

import datetime
import functools
import json
import math
import os
import signal
import statistics
import time
from typing import NamedTuple

import torch
import torch.distributed as dist

from attnbook.distributed import attention, heads, model, traffic
from attnbook.distributed.local import attend
from attnbook.distributed.placement import split_sequence
from attnbook.distributed.processes import launch
from attnbook.distributed.ring import Ring, Transfer
from attnbook.distributed.session import device
from attnbook.pytorch import causal_mask, repeat_heads, scaled_dot_product_attention

CLOSE = 1e-14  # at the places of a double near 1, 45 of the smallest steps


class Pass(NamedTuple):
    """One pass over a ring: whether it is within 1e-14 of one process, and the bytes of a rank.

    `sent` is None if ranks have sent different numbers of bytes.
    """

    close: bool
    sent: int | None
    predicted: int


def agreement(*sizes):
    """Run attention on rings of so many processes, and compare it with one, forward and backward.

    One run of torchrun starts as many processes as the largest ring has; the first of them make up
    the smaller ones. In float64, 32 positions, 8 query heads and 4 key-value heads, of width 8.
    Returns, for each size, a dict: a `Pass` for each of "ring forward", "ring backward", the same
    for "causal", "zigzag" and "heads", where the last two are causal as well; and under "order"
    what rank 0 does in its forward pass. A ring of two also has "context_parallel": how PyTorch's
    own answers, by the name of the backend.
    """
    found = json.loads(launch(max(sizes), "-m", "attnbook.distributed", "agree", *sizes))
    return {
        int(size): {name: Pass(*x) if len(x) == 3 else x for name, x in each.items()}
        for size, each in found.items()
    }


def agree(ring, sizes):
    """What `agreement` returns, as JSON."""
    found = {}
    for size in sizes:
        among = first(ring, size)
        if ring.rank < size:
            found[size] = agree_among(among)
    print_once(ring, json.dumps(found))


def first(ring, size, seconds=60.0):
    """The ring of the first ranks, so many; all ranks must ask for it."""
    if size == ring.n_ranks:
        return ring
    wait = datetime.timedelta(seconds=seconds)
    return Ring.of(dist.new_group(list(range(size)), timeout=wait))


def agree_among(ring):
    """Every comparison on one ring."""
    work = traffic.Work(n=32, n_heads=8, n_kv_heads=4, d=8, itemsize=8)
    around = attention.ring_attention, (traffic.ring_bytes, traffic.ring_backward_bytes)
    across = heads.head_parallel_attention, (traffic.head_parallel_bytes,) * 2
    found = {"order": order(ring)}
    for name, (function, predictions), placement, causal in [
        ("ring", around, "contiguous", False),
        ("causal", around, "contiguous", True),
        ("zigzag", around, "zigzag", True),
        ("heads", across, "zigzag", True),
    ]:
        differences, sent = compare(ring, work, function, placement, causal)
        ways = zip(("forward", "backward"), differences, sent, predictions, strict=True)
        for way, difference, number, predict in ways:
            close = max_over_ranks(ring, difference) < CLOSE
            same = on_all_ranks(ring, number == max_over_ranks(ring, number))
            sent_by_each = number if same else None
            found[f"{name} {way}"] = close, sent_by_each, predict(work, ring.n_ranks)
    if ring.n_ranks == 2:
        found["context_parallel"] = context_parallel(ring)
    return found


def compare(ring, work, function, placement, causal):
    """The largest differences from one process, forward and backward, and the bytes of each."""
    whole = tensors(work)
    wanted = alone(*whole, causal)
    mine = [split_sequence(x, ring.n_ranks, placement)[ring.rank] for x in whole]
    q, k, v, grad_out = (x.clone().requires_grad_() for x in mine)
    with traffic.counted() as sent:
        out = function(q, k, v, causal, placement, group=ring.group)
        there = sent.bytes
        out.backward(grad_out.detach())
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
    """What this rank does in the forward pass, in order."""
    done = []

    class Told(Ring):
        def send(self, *block):
            done.append("post")
            return ToldTransfer(*super().send(*block))

    class ToldTransfer(Transfer):
        def wait(self):
            done.append("wait")
            return super().wait()

    q, k, v, _ = tensors(traffic.Work(m, 1, 1, d, itemsize=8))
    for source, (k_s, v_s) in Told(ring.rank, ring.n_ranks, ring.group).blocks(k, v):
        done.append(f"attend to {source}")
        attend(q, k_s, v_s, False, None)
    return done


def context_parallel(ring):
    """Whether PyTorch's own context parallel computes on the processor, for each backend.

    Over NCCL there is nothing to say, and the dict is empty.
    """
    import torch.nn.functional as F
    from torch.distributed.device_mesh import DeviceMesh
    from torch.distributed.tensor.experimental import context_parallel
    from torch.nn.attention import SDPBackend, sdpa_kernel

    if dist.get_backend() != "gloo":
        return {}
    group = dist.group.WORLD if ring.group is None else ring.group
    mesh, found = DeviceMesh.from_group(group, "cpu"), {}
    for name in ("MATH", "FLASH_ATTENTION", "EFFICIENT_ATTENTION", "CUDNN_ATTENTION"):
        q, k, v = torch.ones(3, 1, 2, 4 * ring.n_ranks, 8).unbind()
        split = {"buffers": [q, k, v], "buffer_seq_dims": [2, 2, 2]}
        try:
            with sdpa_kernel(getattr(SDPBackend, name)), context_parallel(mesh, **split):
                F.scaled_dot_product_attention(q, k, v, is_causal=True)
            found[name] = "computes"
        except (RuntimeError, NotImplementedError) as error:
            found[name] = f"{type(error).__name__}: {error}".split("\n")[0]
    return found


class Times(NamedTuple):
    """A ring on this machine: operations and bytes a second; by n, seconds predicted and taken."""

    flops: float
    bandwidth: float
    seconds: dict


def timed(n_ranks):
    """Predict a ring's times from ceilings measured in the same run, and take them.

    Returns `Times`: the operations a second of one rank while all compute, the bytes a second that
    it sends while all do, and for n = 512, 1024 and 2048 the seconds predicted and those taken.
    """
    flops, bandwidth, seconds = json.loads(launch(n_ranks, "-m", "attnbook.distributed", "times"))
    return Times(flops, bandwidth, {int(n): tuple(pair) for n, pair in seconds.items()})


def times(ring, lengths=(512, 1024, 2048), n_heads=4, d=64, rounds=3):
    """What `timed` returns, as JSON."""
    works = [traffic.Work(n, n_heads, n_heads, d, itemsize=4) for n in lengths]
    given = [[x.float()[..., : w.n // ring.n_ranks, :] for x in tensors(w)] for w in works]
    q, k, v, _ = given[-1]
    calls = {"step": lambda: attend(q, k, v, False, None), "travel": lambda: ring.send(k, v).wait()}
    for work, (*qkv, _) in zip(works, given, strict=True):
        how = *qkv, ring, False, "contiguous", None
        calls[work.n] = functools.partial(attention.forward, *how)
    taken = medians(ring, calls, rounds)
    one, sent = works[-1]._replace(n=q.shape[-2]), 2 * k.numel() * k.element_size()
    bandwidth = sent / taken.pop("travel") if ring.n_ranks > 1 else math.inf
    machine = model.Machine(model.flops(one) / taken.pop("step"), bandwidth)
    predicted = {w.n: model.ring_seconds(w, ring.n_ranks, machine) for w in works}
    seconds = {n: (predicted[n], taken[n]) for n in lengths}
    print_once(ring, json.dumps([machine.flops, machine.bandwidth, seconds]))


def medians(ring, calls, rounds):
    """The median time of each call, by its name: they take turns, and all ranks begin together.

    Each time is that of the slowest rank; the first round does not count.
    """
    found = {name: [] for name in calls}
    for _ in range(rounds + 1):
        for name, call in calls.items():
            max_over_ranks(ring, 0)  # nobody begins before all are there
            began = time.perf_counter()
            call()
            if device().type == "cuda":
                torch.cuda.synchronize()
            found[name].append(max_over_ranks(ring, time.perf_counter() - began))
    return {name: statistics.median(each[1:]) for name, each in found.items()}


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


def max_over_ranks(ring, number):
    """The largest of the numbers that the ranks of the ring have."""
    number = torch.as_tensor(number, dtype=torch.float64, device=device()).clone()
    if ring.n_ranks > 1:
        dist.all_reduce(number, dist.ReduceOp.MAX, group=ring.group)
    return number.item()


def on_all_ranks(ring, claim):
    """Whether it is so on all ranks of the ring."""
    return max_over_ranks(ring, 0.0 if claim else 1.0) == 0


def print_once(ring, line):
    """Print a line, once."""
    if ring.rank == 0:
        print(line, flush=True)


def say_here(line):
    os.write(2, f"{line}\n".encode())
