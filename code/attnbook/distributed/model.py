"""Times on paper, from operations and bytes: what a ring costs on machines that are not at hand.

A step of the ring computes on one block while the next travels, so it takes as long as the slower
of the two. What the ranks do at the edges of a step, and what else goes over a link, is left out.
"""

import math
from typing import NamedTuple

from attnbook.distributed.traffic import ring_bytes


class Machine(NamedTuple):
    """What one rank can do: operations a second, bytes a second to its neighbour, a delay each."""

    flops: float
    bandwidth: float
    delay: float = 0.0


def flops(work, causal=False):
    """Operations of the two products, 4 · B · h · n² · d forward; a causal mask leaves half."""
    return 4 * work.batch * work.n_heads * work.n**2 * work.d / (2 if causal else 1)


def ring_step(work, n_ranks, machine, causal=False):
    """Seconds to compute on a block, and seconds in which the next one travels.

        compute = 4 · B · h · (n/w)² · d / flops,
        travel  = 2 · B · h_kv · (n/w) · d · itemsize / bandwidth + delay

    With `causal` and zigzag the first is half of that at every step. Returns both.
    """
    compute = flops(work, causal) / n_ranks**2 / machine.flops
    if n_ranks == 1:
        return compute, 0.0
    sent = ring_bytes(work, n_ranks) / (n_ranks - 1)
    return compute, sent / machine.bandwidth + machine.delay


def ring_seconds(work, n_ranks, machine, causal=False):
    """Seconds of the forward pass: w blocks computed, the next one on its way during all but one.

    (w - 1) · max(compute, travel) + compute
    """
    compute, travel = ring_step(work, n_ranks, machine, causal)
    return (n_ranks - 1) * max(compute, travel) + compute


def hidden_from(work, machine, causal=False):
    """How many positions a rank needs for its traffic to hide behind its operations.

        n/w ≥ h_kv · itemsize · flops / (2 · h · bandwidth),    twice that under a causal mask

    Without the delay. Returns a whole number of positions.
    """
    times = 2 if causal else 1
    numbers = times * work.n_kv_heads * work.itemsize * machine.flops
    return math.ceil(numbers / (2 * work.n_heads * machine.bandwidth))
