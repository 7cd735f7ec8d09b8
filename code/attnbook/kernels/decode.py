"""Attention of few queries over a long cache: the keys are split, so that every processor reads.

One query has almost nothing to compute: the time is that of reading keys and values from memory
once. One program per head would leave most of a GPU idle, and so each head's keys are cut into
splits, one program each. A split leaves its output and the log-sum-exp L of its scores, and a
second kernel merges them, as `attnbook.online.merge` does for two.

Query heads that share keys and values are rows of one tile, so that these are read once.

Source: Dao, Haziza, Massa and Sizov (2023), Flash-Decoding.
"""

import math
from numbers import Integral

import torch
from jaxtyping import Float32, Integer
from torch import Tensor

from attnbook.kernels.arguments import looked_at, one_batch, padded
from attnbook.kernels.configurations import Configuration
from attnbook.kernels.interpreter import is_interpreting
from attnbook.kernels.launch import start
from attnbook.kernels.splits import merge_kernel, split_kernel
from attnbook.operation import Scalar
from attnbook.pytorch.operation import Float, check_shapes
from attnbook.pytorch.options import Options

import triton

FEWEST_ROWS = 16  # of a tile of queries: what a matrix instruction takes
MOST_SPLITS = 256  # the merge holds the L of all splits of a query at once
MERGED_WIDTH = 32  # of the output that one program merges
MERGING = Configuration(1, 1, warps=4, stages=1)
TILE = 2**13  # bytes of keys in a tile, and as many of values
MOST_KEYS = 128  # in a tile
RESIDENT = 4  # programs at once on a processor
ENOUGH = 0.95  # of the best share of busy processors: more splits than that needs are more to merge
WITHOUT_GPU = 1  # processor: so that there are some splits to merge, and not too many


def configuration(width, itemsize, tile=TILE):
    """Tiles of so many bytes of keys and as much of values, three stages of them.

    By Little's law 3 TB/s · 700 ns / 132 processors ask for 16 KiB on their way to each processor
    of an H100. Four programs on each have 128 KiB, and two fit where shared memory is smaller.
    """
    keys = min(max(16, tile // (width * itemsize)), MOST_KEYS)
    return Configuration(FEWEST_ROWS, keys, warps=4, stages=3)


def most_rows(itemsize):
    """Of a tile of queries. Products of float32 are no tensor core's, and take more registers."""
    return 16 if itemsize == 4 else 32


@check_shapes
def decode_attention(
    q: Float[Tensor, "*batch n_heads n_q d"],
    k: Float[Tensor, "*batch n_kv_heads n_k d"],
    v: Float[Tensor, "*batch n_kv_heads n_k d"],
    *,
    valid_lens: Integer[Tensor, "batch"] | None = None,
    softcap: Scalar | None = None,
    scale: Scalar | None = None,
    splits: Integral | None = None,
) -> Float[Tensor, "*batch n_heads n_q d"]:
    """Attention of few queries over many keys, each of which is read once.

        out = Σ_s exp(L_s - L) out_s,    L = log Σ_s exp(L_s)

    over splits s of the keys. The arguments are those of `flash_attention`; every query sees every
    valid key. By default there are as many splits as keep the processors of the GPU busy.

    Returns (..., n_heads, n_q, d), zeros where no key is valid; it has no gradient. Raises as
    `flash_attention` does, and ValueError if `splits` is not one of 1 to 256.

    Source: Dao, Haziza, Massa and Sizov (2023).
    """
    return _decode("decode_attention", q, k, v, valid_lens, softcap, scale, splits)[0]


@check_shapes
def decode_attention_with_lse(
    q: Float[Tensor, "*batch n_heads n_q d"],
    k: Float[Tensor, "*batch n_kv_heads n_k d"],
    v: Float[Tensor, "*batch n_kv_heads n_k d"],
    *,
    valid_lens: Integer[Tensor, "batch"] | None = None,
    softcap: Scalar | None = None,
    scale: Scalar | None = None,
    splits: Integral | None = None,
) -> tuple[Float[Tensor, "*batch n_heads n_q d"], Float32[Tensor, "*batch n_heads n_q"]]:
    """`decode_attention`, and the log-sum-exp of each query's scores.

        out = softmax(S) v,    L_i = log Σ_j exp(S_ij)

    The arguments are those of `decode_attention`. Returns the output (..., n_heads, n_q, d) and L
    (..., n_heads, n_q), in natural logarithms: what merges with the result of other keys.

    Source: Dao, Haziza, Massa and Sizov (2023).
    """
    return _decode("decode_attention_with_lse", q, k, v, valid_lens, softcap, scale, splits)


def _decode(function, q, k, v, valid_lens, softcap, scale, splits):
    asked = Options(valid_lens=valid_lens, softcap=softcap, scale=scale)
    options = looked_at(function, {"q": q, "k": k, "v": v}, asked)
    if splits is not None and not 1 <= splits <= MOST_SPLITS:
        raise ValueError(f"{function}: splits is {splits}; expected 1 to {MOST_SPLITS}")
    flat = [one_batch(padded(x)) for x in (q, k, v)]
    out, lse = decode(*flat, options.valid_lens, options.softcap, options.scale, splits, TILE)
    return out[..., : q.shape[-1]].reshape(q.shape), lse.reshape(q.shape[:-1])


def splits_for(q_shape, k_shape, itemsize, processors, tile=TILE):
    """The fewest splits that keep nearly as many processors busy as any number of them could.

    All programs run in waves of `processors · 4`; the last wave is not full. The share of busy
    places is programs / (waves · places), and each split has a tile of keys at least.

    >>> splits_for((1, 32, 1, 128), (1, 8, 65536, 128), 2, processors=132)
    63
    >>> splits_for((64, 32, 1, 128), (64, 8, 4096, 128), 2, processors=132)
    1
    """
    heads = math.prod(k_shape[:-2])
    rows = math.prod(q_shape[:-1]) // max(heads, 1)
    tiles = max(1, heads * -(-rows // most_rows(itemsize)))
    places = processors * RESIDENT
    most = -(-k_shape[-2] // configuration(q_shape[-1], itemsize, tile).keys)
    shares = [
        tiles * splits / (-(-tiles * splits // places) * places)
        for splits in range(1, max(1, min(MOST_SPLITS, most)) + 1)
    ]
    return 1 + next(i for i, share in enumerate(shares) if share >= ENOUGH * max(shares))


def _processors(device):
    if device.type != "cuda":
        return WITHOUT_GPU
    return torch.cuda.get_device_properties(device).multi_processor_count


@torch.library.custom_op("attnbook::decode_attention", mutates_args=())
def decode(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    valid_lens: Tensor | None,
    softcap: float | None,
    scale: float,
    splits: int | None,
    tile: int,
) -> tuple[Tensor, Tensor]:
    """The output and lse of tensors (batch, heads, n, d), an operator of PyTorch."""
    return launch(q, k, v, valid_lens, softcap, scale, splits, tile)


@decode.register_fake
def _(q, k, v, valid_lens, softcap, scale, splits, tile):
    return _empty(q)


def _no_gradient(ctx, *grads):
    raise NotImplementedError("decode_attention has no gradient; flash_attention has one")


decode.register_autograd(_no_gradient)


def launch(q, k, v, valid_lens, softcap, scale, splits=None, tile=TILE):
    """Start both kernels: out and lse of tensors (batch, heads, n, d)."""
    out, lse = _empty(q)
    if not out.numel():
        return out, lse
    if is_interpreting() and q.dtype == torch.bfloat16:  # triton 3.7: wrong products, in silence
        wide = (x.float() for x in (q, k, v))
        out, lse = launch(*wide, valid_lens, softcap, scale, splits, tile)
        return out.to(q.dtype), lse
    width, size = q.shape[-1], q.element_size()
    splits = splits or splits_for(q.shape, k.shape, size, _processors(q.device), tile)
    c = configuration(width, size, tile)
    parts, part_lse = _parts(q, k, v, valid_lens, softcap, scale, splits, c)
    merged = min(width, MERGED_WIDTH)
    start(
        merge_kernel, lse.numel() * (width // merged), MERGING,
        parts=parts, part_lse=part_lse, out=out, lse=lse, splits=splits, n_rows=parts.shape[2],
        D=width, MERGED=merged, SPLITS=triton.next_power_of_2(splits),
    )  # fmt: skip
    return out, lse


def _parts(q, k, v, valid_lens, softcap, scale, splits, c):
    """Output and L of each split, (batch · kv_heads, splits, rows, d); rows: see `split_kernel`."""
    q, k, v = (x if x.stride(-1) == 1 else x.contiguous() for x in (q, k, v))
    (batch, n_heads, n_q, width), (kv_heads, n_k) = q.shape, k.shape[1:3]
    n_rows = n_heads // kv_heads * n_q
    rows = min(max(FEWEST_ROWS, triton.next_power_of_2(n_rows)), most_rows(q.element_size()))
    out = q.new_empty(batch * kv_heads, splits, n_rows, width, dtype=torch.float32)
    lse = out.new_empty(out.shape[:-1])
    start(
        split_kernel, batch * kv_heads * splits * triton.cdiv(n_rows, rows), c,
        q=q, k=k, v=v, valid_lens=valid_lens, out=out, lse=lse,
        q_strides=q.stride()[:3], k_strides=k.stride()[:3], v_strides=v.stride()[:3],
        batches=batch, kv_heads=kv_heads, splits=splits, n_q=n_q, n_k=n_k, n_rows=n_rows,
        scale=scale, softcap=softcap,
        D=width, ROWS=rows, KEYS=c.keys,
        PRECISION="ieee" if q.dtype == torch.float32 else "tf32",  # float32 with all its digits
    )  # fmt: skip
    return out, lse


def _empty(q):
    return q.new_empty(q.shape), q.new_empty(q.shape[:-1], dtype=torch.float32)
