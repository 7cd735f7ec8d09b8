"""Solutions to the exercises of the chapter on many GPUs."""

import numpy as np


def bytes_sent():
    """Keys and values of 65536 / 16 positions, at every step but the last, in MiB."""
    w, positions = 16, 65536 // 16
    return (w - 1) * 2 * 8 * positions * 128 * 2 / 2**20


def whose(n_ranks):
    """At step s rank r works on the keys of the rank that stands s places before it."""
    steps, ranks = np.arange(n_ranks)[:, None], np.arange(n_ranks)
    return (ranks - steps) % n_ranks


def zigzag(n, n_ranks):
    """Of 2w pieces in order, rank r keeps the r-th from the front and the r-th from the back."""
    cut = np.arange(n).reshape(2 * n_ranks, -1)
    return np.concatenate([cut[:n_ranks], cut[n_ranks:][::-1]], axis=1)


def skipped():
    """Rank 0 meets the keys of rank 3 at step 1: its late queries see all of them."""
    return 0, 1


def ring_against_exchange():
    """Bytes of a ring over those of the exchanges, for 8 ranks, 32 heads and 8 of keys."""
    w, h, h_kv = 8, 32, 8
    ring = 2 * (w - 1) * h_kv
    exchange = 2 * (w - 1) / w * (h + h_kv)
    return ring / exchange


def in_hand(parts, step):
    """The block that has come s places brings the parts of all ranks that it has visited."""
    n_ranks = len(parts)
    home = (np.arange(n_ranks) - step) % n_ranks
    visited = [parts[(home + t) % n_ranks, home] for t in range(step + 1)]
    return np.sum(visited, axis=0)


def shared_heads():
    """4000 positions suffice where four heads of queries share one of keys and values."""
    return 4000, 32, 8
