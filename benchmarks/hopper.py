"""Attention by the kernel of `warps.py`, which is written for a Hopper GPU, on tensors of PyTorch.

It takes what has no edges: whole blocks of queries and keys, as many of the one as of the other.
"""

import torch
from jaxtyping import Float32
from torch import Tensor

from attnbook.arguments import describe
from attnbook.kernels import launch
from attnbook.kernels.arguments import options, refuse
from attnbook.kernels.configurations import Configuration
from attnbook.operation import Scalar
from attnbook.pytorch.operation import Float, check_shapes
from attnbook.pytorch.options import Options
from benchmarks.warps import hopper_forward, tiles_of

WIDTHS = 64, 128
TILE = Configuration(rows=128, keys=128, warps=4, stages=2)
HALF = TILE.rows // 2  # of a block of queries: one consumer's


@check_shapes
def forward(
    q: Float[Tensor, "batch n_heads n d"],
    k: Float[Tensor, "batch n_kv_heads n d"],
    v: Float[Tensor, "batch n_kv_heads n d"],
    *,
    causal: bool = False,
    scale: Scalar | None = None,
) -> tuple[Float[Tensor, "batch n_heads n d"], Float32[Tensor, "batch n_heads n"]]:
    """Attention and the log-sum-exp of each query's scores, on a Hopper GPU.

        out = softmax(scale · q kᵀ) v,    L_i = log Σ_j exp(S_ij)    over the visible keys

    The arguments are those of `attnbook.kernels.flash_attention`, of float16 or bfloat16, with d 64
    or 128 and n a multiple of 128. Returns both, L in float32, without gradients. Raises TypeError
    if dtypes are not those, ValueError if a size or a place is not.

    It looks once, where `flash_attention` looks twice: NaN or infinity among values that a query
    may not see, if they lie in its own block of 128, spoils its row.

    Source: Shah et al. (2024), algorithms 1 and 2.
    """
    refuse(q=q, k=k, v=v)
    _refuse_edges(q)
    asked = options(q, k, Options(causal=causal, scale=scale))
    out, lse = launch.empty(q), q.new_empty(q.shape[:3], dtype=torch.float32)
    if not out.numel():
        return out, lse
    scale, sign = launch.positive(asked.scale)
    q, k, v = map(_in_rows, (q if sign == 1 else q * sign, k, v))
    sizes = launch.sizes_of(q, k, asked)
    launch.start(
        hopper_forward, launch.blocks_of(q, TILE.rows), TILE, lse=lse, q=tiles_of(q, HALF),
        k=tiles_of(k, TILE.keys), v=tiles_of(v, TILE.keys), out=tiles_of(out, HALF),
        n_all_heads=sizes["n_batch"] * sizes["n_heads"], group=sizes["group"],
        together=sizes["heads_per_wave"], n=sizes["n_q"], scale=scale,
        CAUSAL=causal, ROWS=TILE.rows, KEYS=TILE.keys, STAGES=TILE.stages,
    )  # fmt: skip
    return out, lse


def _refuse_edges(q):
    """Refuse what other kernels take: this one has no edges, and names the units of one GPU."""
    if q.dtype == torch.float32:
        raise TypeError(f"q is {describe(q)}; expected float16 or bfloat16")
    if q.shape[3] not in WIDTHS:
        raise ValueError(f"q has {q.shape[3]} features; expected 64 or 128")
    if q.shape[2] % TILE.rows:
        raise ValueError(f"q has {q.shape[2]} rows; expected a multiple of {TILE.rows}")
    if launch.capability(q)[0] != 9:
        raise ValueError(f"q is on {q.device}; expected a Hopper GPU")


def _in_rows(x):
    """The same tensor, its rows one behind the other, from an address that a descriptor takes."""
    plain = x.is_contiguous() and x.data_ptr() % 16 == 0
    return x if plain else x.clone(memory_format=torch.contiguous_format)
