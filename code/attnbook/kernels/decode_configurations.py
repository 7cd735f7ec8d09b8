"""How decoding is cut: the tiles of its kernels, and the number of splits."""

import math

import torch

from attnbook.kernels.configurations import Configuration

import triton

FEWEST_ROWS = 16  # of a tile of queries: what a matrix instruction takes
MOST_SPLITS = 256  # the merge holds the L of all splits of a query at once
MERGED_WIDTH = 32  # of the output that one program merges
MERGE = Configuration(1, 1, warps=4, stages=1)
TILE = 2**13  # bytes of keys in a tile, and as many of values
MOST_KEYS = 128  # in a tile
RESIDENT = 4  # programs at once on a multiprocessor (SM)
ENOUGH = 0.95  # of the best occupancy: more splits than that needs are more to merge
WITHOUT_GPU = 1  # SM: so that there are some splits to merge, and not too many


def split_configuration(width, itemsize, tile=TILE):
    """Tiles of so many bytes of keys and as much of values, three stages of them.

    By Little's law 3 TB/s · 700 ns / 132 SMs ask for 16 KiB on their way to each SM of an H100.
    Four programs on each have 128 KiB, and two fit where shared memory is smaller.
    """
    keys = min(max(16, tile // (width * itemsize)), MOST_KEYS)
    return Configuration(FEWEST_ROWS, keys, warps=4, stages=3)


def most_rows(itemsize):
    """Of a tile of queries. Products of float32 are no tensor core's, and take more registers."""
    return 16 if itemsize == 4 else 32


def rows_for(n_rows, itemsize):
    """The rows of a tile, of `n_rows` in all."""
    return min(max(FEWEST_ROWS, triton.next_power_of_2(n_rows)), most_rows(itemsize))


def splits_for(q_shape, k_shape, itemsize, num_sms, tile=TILE):
    """The fewest splits that keep nearly as many multiprocessors busy as any number of them could.

    All programs run in waves of `num_sms · 4`; the last wave is not full. The share of busy slots
    is programs / (waves · slots), and each split has a tile of keys at least.

    >>> splits_for((1, 32, 1, 128), (1, 8, 65536, 128), 2, num_sms=132)
    63
    >>> splits_for((64, 32, 1, 128), (64, 8, 4096, 128), 2, num_sms=132)
    1
    """
    heads = math.prod(k_shape[:-2])
    rows = math.prod(q_shape[:-1]) // max(heads, 1)
    tiles = max(1, heads * -(-rows // most_rows(itemsize)))
    slots = num_sms * RESIDENT
    most = -(-k_shape[-2] // split_configuration(q_shape[-1], itemsize, tile).keys)
    shares = [
        tiles * splits / (-(-tiles * splits // slots) * slots)
        for splits in range(1, max(1, min(MOST_SPLITS, most)) + 1)
    ]
    return 1 + next(i for i, share in enumerate(shares) if share >= ENOUGH * max(shares))


def num_sms(device):
    """How many multiprocessors a GPU has."""
    if device.type != "cuda":
        return WITHOUT_GPU
    return torch.cuda.get_device_properties(device).multi_processor_count
