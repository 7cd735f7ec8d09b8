"""Attention of few queries over a long cache: the keys are split, so that every SM reads.

One query has almost nothing to compute: the time is that of reading keys and values from memory
once. One program per head would leave most of a GPU idle, and so each head's keys are cut into
splits, one program each. A split leaves its output and the log-sum-exp L of its scores, and a
second kernel merges them, as `attnbook.online.merge` does for two.

Query heads that share keys and values are rows of one tile, so that these are read once.

Source: Dao, Haziza, Massa and Sizov (2023), Flash-Decoding.
"""

from numbers import Integral

from jaxtyping import Float32, Integer
from torch import Tensor

from attnbook.kernels import operators
from attnbook.kernels.arguments import one_batch, padded, validated
from attnbook.kernels.decode_configurations import MOST_SPLITS, TILE
from attnbook.operation import Scalar, called_as
from attnbook.pytorch.operation import Float, check_shapes
from attnbook.pytorch.options import Options


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
    valid key. By default there are as many splits as keep the GPU busy.

    Returns (..., n_heads, n_q, d), zeros where no key is valid; it has no gradient. Raises as
    `flash_attention` does, and ValueError if `splits` is not one of 1 to 256.

    Source: Dao, Haziza, Massa and Sizov (2023).
    """
    return _decode(q, k, v, valid_lens, softcap, scale, splits)[0]


@check_shapes
@called_as(decode_attention)
def decode_attention_with_lse(
    q, k, v, **options
) -> tuple[Float[Tensor, "*batch n_heads n_q d"], Float32[Tensor, "*batch n_heads n_q"]]:
    """`decode_attention`, and the log-sum-exp of each query's scores.

        out = softmax(S) v,    L_i = log Σ_j exp(S_ij)

    The arguments are those of `decode_attention`. Returns the output (..., n_heads, n_q, d) and L
    (..., n_heads, n_q), in natural logarithms: what merges with the result of other keys.

    Source: Dao, Haziza, Massa and Sizov (2023).
    """
    return _decode(q, k, v, **options)


def _decode(q, k, v, valid_lens=None, softcap=None, scale=None, splits=None):
    requested = Options(valid_lens=valid_lens, softcap=softcap, scale=scale)
    options = validated({"q": q, "k": k, "v": v}, requested)
    if splits is not None and not 1 <= splits <= MOST_SPLITS:
        raise ValueError(f"splits is {splits}; expected 1 to {MOST_SPLITS}")
    flat = [one_batch(padded(x)) for x in (q, k, v)]
    out, lse = operators.decode(*flat, splits, TILE, *options)
    return out[..., : q.shape[-1]].reshape(q.shape), lse.reshape(q.shape[:-1])
