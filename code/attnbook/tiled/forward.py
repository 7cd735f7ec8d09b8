"""What `online` computes, fast: a tile of scores at a time, which fits a core's own cache.

Two things save time. A tile is computed, used and overwritten before it leaves the cache, and what
nobody sees is in none. And a row is shifted not by its maximum but by its score with the first key
that it sees, c_i. That is known beforehand, so it enters the product as one column more:

    (scale · q_i, -c_i) · (k_j, 1) = S_ij - c_i

No pass over a tile looks for a maximum or subtracts one, and no sum over earlier tiles is rescaled.
Each shift gives the same quotient. This one is at most the maximum, so that nothing underflows that
the maximum would have kept, and the exponentials sum to 1 at least. Where it is so far below that
one of them overflows, the result is not finite; then `online` computes those queries again,
as it does where a number is not finite in the first place.
"""

import math
from numbers import Integral

import numpy as np
from jaxtyping import Float, Integer

from attnbook.checks import at_least, resolve_scale
from attnbook.masks import refuse_lengths
from attnbook.online import attention_blockwise
from attnbook.operation import Array, Real, check_and_cast

ROWS, KEYS = 256, 512  # the largest tile: half a mebibyte of float32
MASKED_ROWS = 32, 128  # where keys are hidden: at an edge, half of a square is computed for nothing
TRANSPOSED_KEYS = 128  # at once: more do not stay in the first cache meanwhile
MAX_SCORES = 2**16  # heads are taken together as long as their tiles have no more


@check_and_cast
def attention_tiled(
    q: Real[Array, "*batch n_q d_k"],
    k: Real[Array, "*batch n_k d_k"],
    v: Real[Array, "*batch n_k d_v"],
) -> tuple[Float[Array, "*batch n_q d_v"], Float[Array, "*batch n_q"]]:
    """`attention_with_lse(q, k, v)`, fast, and without the matrix of scores.

    Returns the output (..., n_q, d_v) and L (..., n_q). Raises ValueError if d_k is 0.
    """
    return _in_band(q, k, v)


@check_and_cast
def causal_attention_tiled(
    q: Real[Array, "*batch n_q d_k"],
    k: Real[Array, "*batch n_k d_k"],
    v: Real[Array, "*batch n_k d_v"],
) -> tuple[Float[Array, "*batch n_q d_v"], Float[Array, "*batch n_q"]]:
    """`attention_with_lse` with `causal_mask(n_q, n_k)`; tiles of the future are left out.

    Returns the output (..., n_q, d_v) and L (..., n_q): zeros and -inf for queries before the first
    key. Raises ValueError if d_k is 0.
    """
    return _in_band(q, k, v, right=0)


@check_and_cast
def sliding_window_attention_tiled(
    q: Real[Array, "*batch n_q d_k"],
    k: Real[Array, "*batch n_k d_k"],
    v: Real[Array, "*batch n_k d_v"],
    left: Integral,
    right: Integral = 0,
) -> tuple[Float[Array, "*batch n_q d_v"], Float[Array, "*batch n_q"]]:
    """`attention_with_lse` with `sliding_window_mask(n_q, n_k, left, right)`.

    Tiles outside of the window are left out, so that time grows with n_q · (left + right).
    Returns the output (..., n_q, d_v) and L (..., n_q): zeros and -inf for queries that see
    nothing. Raises ValueError if d_k is 0, or left or right is negative.
    """
    at_least(0, left=left, right=right)
    return _in_band(q, k, v, int(left), int(right))


@check_and_cast
def padded_attention_tiled(
    q: Real[Array, "batch *heads n_q d_k"],
    k: Real[Array, "batch *heads n_k d_k"],
    v: Real[Array, "batch *heads n_k d_v"],
    valid_lens: Integer[Array, "batch"],
) -> tuple[Float[Array, "batch *heads n_q d_v"], Float[Array, "batch *heads n_q"]]:
    """`attention_with_lse` with a padding mask; the padding is cut off, not computed.

    Returns the output (batch, ..., n_q, d_v) and L (batch, ..., n_q): zeros and -inf for a sequence
    of length 0. Raises ValueError if d_k is 0, or a length is negative or larger than n_k.
    """
    refuse_lengths(valid_lens, k.shape[-2])
    out, lse = _empty_outputs(q, v)
    for i, n in enumerate(valid_lens):
        _compute(out[i], lse[i], q[i], k[i, ..., :n, :], v[i, ..., :n, :])
    return out, lse


def _in_band(q, k, v, left=math.inf, right=math.inf):
    out, lse = _empty_outputs(q, v)
    _compute(out, lse, q, k, v, left, right)
    return out, lse


def _empty_outputs(q, v):
    return np.empty((*q.shape[:-1], v.shape[-1]), q.dtype), np.empty(q.shape[:-1], q.dtype)


def _compute(out, lse, q, k, v, left=math.inf, right=math.inf):
    """The results where query i sees key j if -left ≤ j - (i + n_k - n_q) ≤ right.

    Every mask here is such a band about the diagonal.
    """
    scale = resolve_scale(None, q.shape[-1])
    heads, n_q, n_k = math.prod(q.shape[:-2]), q.shape[-2], k.shape[-2]
    out, q, k, v = (x.reshape(heads, *x.shape[-2:]) for x in (out, q, k, v))
    lse = lse.reshape(heads, n_q, 1)
    n_empty = max(0, n_q - n_k - right) if n_k else n_q  # queries before the first key
    out[:, :n_empty], lse[:, :n_empty] = 0, -np.inf
    if heads and n_empty < n_q:
        ahead = n_k - n_q + n_empty
        q, out, lse = q[:, n_empty:], out[:, n_empty:], lse[:, n_empty:]
        band = _Band(ahead - left, ahead + right, scale, q, k)
        for i in range(0, heads, band.heads):
            band.compute(*(x[i : i + band.heads] for x in (out, lse, q, k, v)))


class _Band:
    """Query i sees the keys from i + low to i + high: what to compute, and memory to do it in."""

    def __init__(self, low, high, scale, q, k):
        (heads, n_q, d), n_k, dtype = q.shape, k.shape[1], q.dtype
        everything = low <= 1 - n_q and high >= n_k - 1
        fewest, most = (ROWS, ROWS) if everything else MASKED_ROWS
        n_rows, n_keys = min(n_q, max(fewest, min(most, n_q // 16))), min(n_k, KEYS)
        self.low, self.high, self.scale, self.n_keys = low, high, scale, n_keys
        self.heads = min(heads, max(1, MAX_SCORES // (n_rows * n_keys)))
        rows = [slice(i, min(i + n_rows, n_q)) for i in range(0, n_q, n_rows)]
        self.blocks = [(r, slice(max(0, r.start + low), min(n_k, r.stop + high))) for r in rows]
        self.first = [0] if low <= 1 - n_q else np.maximum(0, np.arange(n_q) + low)
        self.q = np.empty((self.heads, n_q, d + 1), dtype)
        self.k = np.empty((self.heads, d + 1, n_k), dtype)
        self.k[:, d] = 1
        self.ones = np.ones((n_keys, 1), dtype)
        self.scores = np.empty(self.heads * n_rows * n_keys, dtype)
        before = np.tri(0 if everything else n_rows, k=-1, dtype=bool)
        self.future = np.where(before, np.inf, -np.inf).astype(dtype)
        self.past = -self.future

    def compute(self, out, lse, q, k, v):
        """The results of some heads. Until they are known, lse holds the sums of exponentials."""
        d = q.shape[2]
        q1, k1 = self.q[: len(q)], self.k[: len(q)]
        np.multiply(q, self.scale, out=q1[..., :d])
        q1[..., d] = -np.einsum("hid,hid->hi", q1[..., :d], k[:, self.first])
        for j in range(0, k.shape[1], TRANSPOSED_KEYS):
            keys = slice(j, j + TRANSPOSED_KEYS)
            k1[:, :d, keys] = np.swapaxes(k[:, keys], 1, 2)
        for rows, keys in self.blocks:
            self.compute_rows(out[:, rows], lse[:, rows], q1[:, rows], k1, v, rows.start, keys)
        out /= lse
        failed = [] if _is_in_range(out, lse) else self.out_of_range(out, lse)
        np.subtract(np.log(lse), q1[..., d:], out=lse)
        for head, rows, keys in failed:
            steps = np.arange(keys.start, keys.stop) - np.arange(rows.start, rows.stop)[:, None]
            seen = (self.low <= steps) & (steps <= self.high)
            out[head, rows], lse[head, rows, 0] = attention_blockwise(
                q[head, rows], k[head, keys], v[head, keys], None if seen.all() else seen
            )

    def compute_rows(self, out, total, q, k, v, i, keys):
        """The sums of some rows, from query i on: a tile of keys after the other."""
        for j in range(keys.start, keys.stop, self.n_keys):
            end = min(j + self.n_keys, keys.stop)
            shape = len(q), q.shape[1], end - j
            scores = self.scores[: math.prod(shape)].reshape(shape)
            np.matmul(q, k[..., j:end], out=scores)
            self.mask_tile(scores, i, j)
            exp = np.exp(scores, out=scores)
            if j == keys.start:
                np.matmul(exp, self.ones[: end - j], out=total)
                np.matmul(exp, v[:, j:end], out=out)
            else:
                total += exp @ self.ones[: end - j]
                out += exp @ v[:, j:end]

    def mask_tile(self, scores, i, j):
        """-inf for what lies outside of the band, in a tile from query i and key j on."""
        n_q, n_k = scores.shape[1:]
        at = i + self.high + 1 - j  # where the keys begin that query i does not see
        if at < n_k:
            edge = scores[..., max(0, at) :]
            np.fmin(edge, self.future[:n_q, max(0, at) - at : n_k - at], out=edge)
        at = i + self.low - j
        end = min(n_k, at + n_q - 1)  # where the keys end that the last query does not see
        if end > 0:
            edge = scores[..., :end]
            np.fmin(edge, self.past[:n_q, -at : end - at], out=edge)

    def out_of_range(self, out, total):
        """The heads and blocks of queries whose result is none: a number overflowed or was lost."""
        return [
            (head, rows, keys)
            for head in range(len(out))
            for rows, keys in self.blocks
            if not _is_in_range(out[head, rows], total[head, rows])
        ]


def _is_in_range(out, total):
    """Nothing overflowed, nor was lost; NaN is in no interval."""
    return np.all((0.5 < total) & (total < np.inf)) and np.all(np.isfinite(out))
