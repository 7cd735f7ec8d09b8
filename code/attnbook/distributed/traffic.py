"""Bytes: what a rank must send, from the sizes, and what it has sent, counted."""

import contextlib
from dataclasses import dataclass
from typing import NamedTuple

import torch.distributed as dist


class Work(NamedTuple):
    """The sizes of one attention: n positions in all, heads of width d, bytes a number."""

    n: int
    n_heads: int = 1
    n_kv_heads: int = 1
    d: int = 1
    itemsize: int = 2
    batch: int = 1


def ring_bytes(work, n_ranks):
    """What a rank sends in the forward pass: keys and values, at every step but the last.

    (w - 1) · 2 · B · h_kv · (n / w) · d · itemsize
    """
    return (n_ranks - 1) * _block(work, n_ranks) * work.itemsize


def ring_backward_bytes(work, n_ranks):
    """What a rank sends in the backward pass: keys and values again, and w times their gradients.

        2 · B · h_kv · (n / w) · d · ((w - 1) · itemsize + w · max(itemsize, 4)),    0 for w = 1

    Gradients are summed in float32 at least, and make one step more, home.
    """
    if n_ranks == 1:
        return 0
    grads = n_ranks * _block(work, n_ranks) * max(work.itemsize, 4)
    return ring_bytes(work, n_ranks) + grads


def head_parallel_bytes(work, n_ranks):
    """What a rank sends with the heads shared out, forward, and as much backward.

        (w - 1) / w · 2 · B · (h + h_kv) · (n / w) · d · itemsize

    Queries, keys, values and the output each once, but for the share that stays.
    """
    numbers = 2 * work.batch * (work.n_heads + work.n_kv_heads) * _positions(work, n_ranks) * work.d
    return numbers * work.itemsize * (n_ranks - 1) // n_ranks


def _block(work, n_ranks):
    """Numbers in the keys and values of one rank."""
    return 2 * work.batch * work.n_kv_heads * _positions(work, n_ranks) * work.d


def _positions(work, n_ranks):
    if n_ranks < 1:
        raise ValueError(f"n_ranks is {n_ranks}; expected 1 or more")
    if work.n % n_ranks:
        raise ValueError(f"n is {work.n}; expected a multiple of n_ranks = {n_ranks}")
    return work.n // n_ranks


@dataclass
class Sent:
    """What has been sent so far."""

    bytes: int = 0
    messages: int = 0

    def add(self, x, share=1.0):
        self.bytes += round(x.numel() * x.element_size() * share)
        self.messages += 1


@contextlib.contextmanager
def counted():
    """Count what this process hands to `torch.distributed` for others, whoever asks for it.

    Yields a `Sent`, which holds bytes and messages; what stays on this rank does not count.
    """
    sent, batch, exchange = Sent(), dist.batch_isend_irecv, dist.all_to_all_single

    def counting_batch(operations):
        for operation in operations:
            if operation.op is dist.isend:
                sent.add(operation.tensor)
        return batch(operations)

    def counting_exchange(output, input, *args, group=None, **kwargs):
        w = dist.get_world_size(group)
        sent.add(input, share=(w - 1) / w)
        return exchange(output, input, *args, group=group, **kwargs)

    dist.batch_isend_irecv, dist.all_to_all_single = counting_batch, counting_exchange
    try:
        yield sent
    finally:
        dist.batch_isend_irecv, dist.all_to_all_single = batch, exchange
