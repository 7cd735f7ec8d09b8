"""FlashAttention in Triton: attention in one kernel, which never writes the scores to memory.

On a GPU the kernels are compiled; without one Triton interprets them on the CPU, slowly. bfloat16
is computed in float32 there, since the interpreter of Triton 3.7 multiplies it wrongly. For
this, where there is no GPU, importing attnbook.kernels sets `TRITON_INTERPRET=1` for the whole
process, your own kernels included; it fails if Triton was imported before and not told the same. So
`import triton` comes behind it.

Parameters of all functions
---------------------------
q, k, v
    Queries (..., n_heads, n_q, d), keys and values (..., n_kv_heads, n_k, d), of float16, bfloat16
    or float32, and d at most 256. n_heads is a multiple of n_kv_heads; query heads that share
    keys are adjacent. Rows, heads and batches may have any strides; a tensor whose features
    are not contiguous is copied, and so is one of another width than 16, 32, 64, 128 or 256,
    with zeros up to the next of these: heads of 80 features take the time of 128.
causal
    Hide the future: the last query sees the last key. What a query may not see has no influence on
    its row, nor on its gradients, not even if it is infinite or NaN; a row that sees that is not
    finite either.
window
    How many keys before its own a query sees, beside `causal`, as in
    `attnbook.masks.sliding_window_mask`; a window with a future is a rule.
valid_lens
    The number of keys of each entry of the first axis, (batch,). Keys past it have no influence,
    not even if they are infinite or NaN. On the CPU they are checked; on a GPU a length
    beyond the keys is as many as there are.
rule
    A rule of `attnbook.pytorch.rules`, or several with ``&``: windows on both sides, prefixes,
    documents whose keys are contiguous. A key is visible where each of these shows it, and blocks
    of keys that nobody sees are skipped.
softcap
    c: scores become c · tanh(scores / c), before the bias.
bias
    Added to the scores, (..., n_heads, n_q, n_k); any axis may be 1. It has no gradient.
scale
    What products of queries and keys are multiplied by, 1/√d by default.
"""

from attnbook.kernels import interpreter  # noqa: F401  (before Triton is imported)
from attnbook.kernels.attention import (
    flash_attention,
    flash_attention_backward,
    flash_attention_with_lse,
)
from attnbook.kernels.decode import decode_attention, decode_attention_with_lse
from attnbook.kernels.watching import watch

__all__ = [
    "decode_attention",
    "decode_attention_with_lse",
    "flash_attention",
    "flash_attention_backward",
    "flash_attention_with_lse",
    "watch",
]
