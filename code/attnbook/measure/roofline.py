"""A machine's ceilings: how many operations, exponentials and bytes a second it was seen to do.

Each comes from a call that asks for little else: a product of large matrices, exponentials of
numbers that are at hand, a copy of arrays that no cache holds.
"""

import statistics
from typing import NamedTuple

import torch

from attnbook.measure.cost import Cost
from attnbook.measure.time import event_rounds, one_thread, rounds

PRODUCT = {"cpu": 1024, "cuda": 8192}  # rows and columns of the matrices
EXPONENTIALS = {"cpu": 2**16, "cuda": 2**24}  # on a processor few enough for its cache
COPIED = {"cpu": 2**26, "cuda": 2**30}  # bytes
REPEATS = 128  # of the exponentials on a processor, where one pass would be over too soon


class Ceilings(NamedTuple):
    """Operations of products, exponentials and bytes, each a second."""

    flops: float
    exps: float
    bytes: float


def shortest_time(cost, ceilings):
    """Seconds that work takes at least: max(flops / rate, exponentials / rate, bytes / rate).

    All three at once, each at its ceiling: the roofline. Source: Williams et al. (2009).
    """
    return max(_each(cost, ceilings))


def time_in_turn(cost, ceilings):
    """Seconds that work takes if each waits for the other: the sum of what `shortest_time` weighs.

    At most three times as long: no way to overlap the three gains more.
    """
    return sum(_each(cost, ceilings))


def limit(cost, ceilings):
    """Which takes longest: "flops", "exps" or "bytes"."""
    return max(zip(_each(cost, ceilings), Ceilings._fields, strict=True))[1]


def _each(cost, ceilings):
    return [getattr(cost, name) / getattr(ceilings, name) for name in Ceilings._fields]


def probes(dtype=torch.float32, device="cpu"):
    """The calls that reach the ceilings: a dict, by the field of `Ceilings`, of (call, `Cost`)."""
    like = {"dtype": dtype, "device": device}
    kind = torch.device(device).type
    n, some, copied = PRODUCT[kind], EXPONENTIALS[kind], COPIED[kind] // dtype.itemsize
    a, b = torch.randn(2, n, n, **like)
    product = torch.empty(n, n, **like)
    source, target = torch.ones(copied, **like), torch.ones(copied, **like)
    exponentials, exps = _exponentials(some, device)
    return {
        "flops": (lambda: torch.mm(a, b, out=product), Cost(flops=2 * n**3)),
        "exps": (exponentials, Cost(exps=exps)),
        "bytes": (lambda: target.copy_(source), Cost(bytes=2 * copied * dtype.itemsize)),
    }


def ceilings(dtype=torch.float32, device="cpu", n=7):
    """Measure `Ceilings`: the rates of the three `probes`, medians of n rounds.

    On a processor, those of one thread, by its own time; exponentials are float32.
    """
    return rounds_with_ceilings({}, n, dtype, device)[0]


def rounds_with_ceilings(calls, n=7, dtype=torch.float32, device="cpu"):
    """Let calls take turns with the `probes`, so that what slows the machine slows both.

    Takes a dict of functions without arguments. Returns the `Ceilings` of all rounds, a list of
    those of each round, and the times of the calls, in seconds, by name.
    """
    asked = probes(dtype, device)
    every = {**{name: call for name, (call, _) in asked.items()}, **calls}
    if torch.device(device).type == "cuda":
        times = event_rounds(every, n)
    else:
        with one_thread():
            times = rounds(every, n)
    work = {name: getattr(cost, name) for name, (_, cost) in asked.items()}
    each = [Ceilings(*(work[f] / times[f][i] for f in Ceilings._fields)) for i in range(n)]
    median = Ceilings(*map(statistics.median, zip(*each, strict=True)))
    return median, each, {name: times[name] for name in calls}


def _exponentials(n, device):
    """A call that takes exponentials, in float32, and how many."""
    x = torch.linspace(-8, 0, n, device=device)
    out = torch.empty_like(x)
    if torch.device(device).type == "cuda":
        from attnbook.measure.exponentials import TIMES, exponentials

        return lambda: exponentials(x, out), TIMES * n

    def call():
        for _ in range(REPEATS):
            torch.exp(x, out=out)

    return call, REPEATS * n
