"""What each rank of `test_ring_of_processes` does: every case in one run, as one line of JSON."""

import json
import os
import socket
import struct
import sys

import torch
import torch.distributed as dist

from attnbook import distributed
from attnbook.distributed import attention, traffic, trials
from attnbook.distributed.ring import Ring

CASES = {
    "contiguous": (distributed.ring_attention, "contiguous", False),
    "zigzag": (distributed.ring_attention, "zigzag", False),
    "contiguous causal": (distributed.ring_attention, "contiguous", True),
    "zigzag causal": (distributed.ring_attention, "zigzag", True),
    "heads": (distributed.head_parallel_attention, "contiguous", False),
    "heads zigzag causal": (distributed.head_parallel_attention, "zigzag", True),
}
WORK = traffic.Work(n=48, n_heads=8, n_kv_heads=4, d=6, itemsize=8, batch=2)


def cases(ring):
    found = {}
    for name, case in CASES.items():
        differences, sent = trials.compare(ring, WORK, *case)
        found[name] = [*(trials.max_over_ranks(ring, x) for x in differences), *sent]
    found["half"] = half(ring)
    found["two rings"] = two_rings(ring)
    found["wrong"] = wrong(ring)
    found["on the wire"] = on_the_wire(ring)
    trials.print_once(ring, json.dumps(found))


def half(ring):
    """Bytes of bfloat16, and its error against float64 in units of the format's own step."""
    whole = [x.to(torch.bfloat16) for x in trials.tensors(WORK)]
    wanted = trials.alone(*(x.double() for x in whole), True)
    q, k, v, grad_out = (distributed.split_sequence(x, ring.n_ranks)[ring.rank] for x in whole)
    with traffic.counted() as sent:
        out = distributed.ring_attention(*(x.requires_grad_() for x in (q, k, v)), True)
        out.backward(grad_out)
    mine = [distributed.split_sequence(x, ring.n_ranks)[ring.rank] for x in wanted]
    pairs = zip((out, q.grad, k.grad, v.grad), mine, strict=True)
    errors = [(x - y).abs().max() / y.abs().max() for x, y in pairs]
    assert out.dtype == k.grad.dtype == torch.bfloat16
    return [trials.max_over_ranks(ring, max(errors)) * 256, sent.bytes]


def two_rings(ring):
    """Even and odd ranks each have a ring, and a sequence, of their own."""
    groups = [dist.new_group(list(range(s, ring.n_ranks, 2))) for s in range(min(2, ring.n_ranks))]
    mine = groups[ring.rank % 2]
    whole = [x + ring.rank % 2 for x in trials.tensors(WORK)]
    place = Ring.of(mine)
    parts = [distributed.split_sequence(x, place.n_ranks)[place.rank] for x in whole[:3]]
    out = distributed.ring_attention(*parts, True, group=mine)
    out = [out, distributed.head_parallel_attention(*parts, True, group=mine)]
    wanted = distributed.split_sequence(trials.alone(*whole, True)[0], place.n_ranks)[place.rank]
    return trials.max_over_ranks(ring, max((x - wanted).abs().max() for x in out))


def wrong(ring):
    """The ring must be seen to fail: a zigzag that is taken for consecutive pieces."""
    right = attention.visible_slices
    attention.visible_slices = lambda *given: right(*given[:-1], "contiguous")
    try:
        found, _ = trials.compare(ring, WORK, distributed.ring_attention, "zigzag", True)
    finally:
        attention.visible_slices = right
    return trials.max_over_ranks(ring, max(found))


def on_the_wire(ring):
    """Bytes that the kernel has sent over this process's connections, for a block of 4 MB."""
    if not sys.platform.startswith("linux") or ring.n_ranks == 1:
        return None
    block = torch.ones(2**19, dtype=torch.float64)
    trials.max_over_ranks(ring, 0)
    before = acknowledged()
    Ring.of().send(block).wait()
    trials.max_over_ranks(ring, 0)
    return trials.max_over_ranks(ring, acknowledged() - before) / (block.numel() * 8)


def acknowledged():
    """The sum of `tcpi_bytes_acked` over the open TCP connections, from the kernel."""
    total = 0
    for name in os.listdir("/proc/self/fd"):
        try:
            with socket.socket(fileno=os.dup(int(name))) as s:
                info = s.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 192)
        except OSError:
            continue
        total += struct.unpack_from("Q", info, 120)[0]
    return total


if __name__ == "__main__":
    distributed.run_rank(cases, seconds=60)
