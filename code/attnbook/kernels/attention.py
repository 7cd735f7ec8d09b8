"""The public functions: arguments looked at, brought to one form, and handed to the kernels."""

from numbers import Integral
from numbers import Real as Number

from jaxtyping import Float32, Integer
from torch import Tensor

from attnbook.kernels.arguments import one_batch, options, refuse
from attnbook.kernels.operators import attend
from attnbook.pytorch.operation import Float, checked


@checked
def flash_attention(
    q: Float[Tensor, "*batch n_heads n_q d"],
    k: Float[Tensor, "*batch n_kv_heads n_k d"],
    v: Float[Tensor, "*batch n_kv_heads n_k d"],
    *,
    causal: bool = False,
    window: Integral | None = None,
    valid_lens: Integer[Tensor, "batch"] | None = None,
    softcap: Number | None = None,
    bias: Float[Tensor, "... #n_q #n_k"] | None = None,
    scale: Number | None = None,
) -> Float[Tensor, "*batch n_heads n_q d"]:
    """Attention in one kernel, which never writes scores or weights to memory.

        out = softmax(c · tanh(scale · q kᵀ / c) + bias) v    over the visible keys

    without c and tanh where `softcap` is None. The arguments are explained at the top of the page.

    Returns the output, in the dtype of q, and zeros where a query sees nothing. Raises TypeError if
    dtypes are not those, ValueError if a size, a number or a place in memory is not,
    NotImplementedError if a bias or a gradient itself asks for a gradient.

    Source: Dao (2023), algorithms 1 and 2.
    """
    return flash_attention_with_lse(
        q, k, v, causal=causal, window=window, valid_lens=valid_lens, softcap=softcap, bias=bias,
        scale=scale,
    )[0]  # fmt: skip


@checked
def flash_attention_with_lse(
    q: Float[Tensor, "*batch n_heads n_q d"],
    k: Float[Tensor, "*batch n_kv_heads n_k d"],
    v: Float[Tensor, "*batch n_kv_heads n_k d"],
    *,
    causal: bool = False,
    window: Integral | None = None,
    valid_lens: Integer[Tensor, "batch"] | None = None,
    softcap: Number | None = None,
    bias: Float[Tensor, "... #n_q #n_k"] | None = None,
    scale: Number | None = None,
) -> tuple[Float[Tensor, "*batch n_heads n_q d"], Float32[Tensor, "*batch n_heads n_q"]]:
    """`flash_attention`, and the log-sum-exp of each query's scores.

        L_i = log Σ_j exp(S_ij),    j visible

    Returns both, L in float32 and in natural logarithms, -inf where nothing is visible. With L the
    outputs of several sets of keys can be merged, as by `attnbook.online.merge`; it has a gradient.
    """
    refuse(q=q, k=k, v=v)
    given = options(q, k, causal, window, valid_lens, softcap, bias, scale)
    out, lse = attend(one_batch(q), one_batch(k), one_batch(v), *given)
    return out.reshape(q.shape), lse.reshape(q.shape[:-1])
