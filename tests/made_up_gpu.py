"""A GPU that is a processor with a made-up clock: what is written for the one runs on the other."""

import dataclasses

import torch

from benchmarks.race import cases

RATES = {"flops": 1e12, "exps": 1e12, "bytes": 1e11}
WHERE = {"gpu": "Made Up 9000", "driver": "1", "cuda": "13", "torch": "2", "triton": "3"}
WHERE |= {
    "ptxas": "12.8.93",
    "python": "3",
    "commit": "abc1234",
    "source": "0123",
    "date": "2026-01-01",
}


class MadeUp:
    """A machine on which every call takes two thousandths of a second, and which notes its calls.

    `times` gives other seconds, of the GPU and of the host, one pair after the other.
    """

    device = "cpu"

    def __init__(self, times=(), memory=2**36):
        self.times, self.total, self.log, self.alive = iter(times), memory, [], True

    def time(self, call, hold=0.0):
        self.log.append((call, hold))
        call()
        return next(self.times, (0.002, 0.0004))

    def peak(self, call):
        return 1000

    def kernels(self, call):
        return ["a_made_up_kernel"]

    def condition(self):
        return {"clock, MHz": [1000.0, 1500.0, 1980.0]}

    def poison(self, n_bytes):
        self.log.append(("poison", n_bytes))

    def memory(self):
        return self.total

    def is_alive(self):
        return self.alive

    def forget(self):
        self.log.append("forget")


def small(case, n=24):
    """The case with little to compute, and its mask."""
    kv_heads = max(1, 4 * case.kv_heads // case.heads)
    sizes = {"n_q": 1 if case.way == cases.DECODE else n, "n_k": n, "batch": 2, "heads": 4}
    window = None if case.window is None else 5
    return dataclasses.replace(case, **sizes, kv_heads=kv_heads, window=window, width=16)


SMALL = {(c.way, c.name): small(c) for c in cases.cases()}
WAYS = cases.FORWARD, cases.BACKWARD


def plain(case, x, machine):
    """Attention written out, which stands for ours on the way back."""

    def call(q, k, v):
        k, v = (t.repeat_interleave(case.heads // case.kv_heads, 1).float() for t in (k, v))
        scores = q.float() @ k.mT * case.width**-0.5
        if case.softcap is not None:
            scores = case.softcap * torch.tanh(scores / case.softcap)
        mask = cases.visible(case, x.valid_lens, "cpu")
        scores = scores if mask is None else scores.masked_fill(~mask, -torch.inf)
        return (scores.softmax(-1) @ v).to(q.dtype)

    return call
