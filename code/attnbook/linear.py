"""Attention without the softmax: all that has been seen is one matrix, however long the text.

The matrix is the state H (..., d_k, d_v), in which each key is written with its value, and from
which each query reads. Three forms give the same outputs: step by step (`recurrent`), all steps at
once (`parallel`), and one piece after the other (`chunked`). Each takes the state before the first
step and returns the one after the last, so that a text can be continued. Step t reads what the
steps up to t have written, and nothing of those after it, not even a NaN.

Heads are batch axes. `scale` is a factor of the output, 1 unless given; None stands for 1/√d_k.
"""

from collections.abc import Callable
from numbers import Integral

import numpy as np
from jaxtyping import Float

from attnbook.checks import at_least, resolve_scale
from attnbook.masks import causal_mask
from attnbook.operation import Array, Real, Scalar, check_and_cast
from attnbook.reference import weighted_sum


@check_and_cast
def read(
    q: Real[Array, "*batch d_k"], state: Real[Array, "*batch d_k d_v"]
) -> Float[Array, "*batch d_v"]:
    """What one query finds in a state: out = q H, of shape (..., d_v)."""
    return (q[..., None, :] @ state)[..., 0, :]


@check_and_cast
def update(
    state: Real[Array, "*batch d_k d_v"],
    k: Real[Array, "*batch d_k"],
    v: Real[Array, "*batch d_v"],
    log_decay: Real[Array, "*#batch #d_k"] | None = None,
    beta: Real[Array, "*#batch"] | None = None,
) -> Float[Array, "*batch d_k d_v"]:
    """Write one value under its key, in a state that first fades, or that is corrected.

        H ← exp(g) H           if there is a decay g = log_decay ≤ 0
        v ← β (v - k H)        if there is a β = beta: the delta rule
        H ← H + k ⊗ v          always; (k ⊗ v)_ab = k_a v_b

    g is one number for the whole state, or one for each of its rows, the features of the keys. For
    a key of length 1 and β = 1 the key gives v alone from then on; β = 0 writes nothing. Returns
    the new state.

    Source: Katharopoulos et al. (2020), section 3.4; Yang et al. (2023) for a decay that depends on
    the input; Schlag, Irie and Schmidhuber (2021) for the delta rule, which is the rule of
    Widrow and Hoff (1960); Yang, Kautz and Hatamizadeh (2025) for both at once.
    """
    if log_decay is not None:
        state = np.exp(log_decay)[..., None] * state
    if beta is not None:
        v = beta[..., None] * (v - read(k, state))
    return state + k[..., :, None] * v[..., None, :]


@check_and_cast
def recurrent(
    q: Real[Array, "*batch n d_k"],
    k: Real[Array, "*batch n d_k"],
    v: Real[Array, "*batch n d_v"],
    log_decay: Real[Array, "*#batch n #d_k"] | None = None,
    beta: Real[Array, "*#batch n"] | None = None,
    state: Real[Array, "*batch d_k d_v"] | None = None,
    scale: Scalar | None = 1.0,
) -> tuple[Float[Array, "*batch n d_v"], Float[Array, "*batch d_k d_v"]]:
    """Step by step: write, then read. Before the first step stands `state`, or zeros.

        H_t = update(H_{t-1}, k_t, v_t, g_t, β_t),    out_t = scale · q_t H_t

    Returns the outputs (..., n, d_v) and the last state.

    Source: Katharopoulos et al. (2020), section 3.4, without the normaliser.
    """
    q, state, out = _scaled(q, scale), _start(k, v, state), np.zeros_like(v)
    for t in range(k.shape[-2]):
        g = None if log_decay is None else log_decay[..., t, :]
        b = None if beta is None else beta[..., t]
        state = update(state, k[..., t, :], v[..., t, :], g, b)
        out[..., t, :] = read(q[..., t, :], state)
    return out, state


@check_and_cast
def parallel(
    q: Real[Array, "*batch n d_k"],
    k: Real[Array, "*batch n d_k"],
    v: Real[Array, "*batch n d_v"],
    log_decay: Real[Array, "*#batch n #d_k"] | None = None,
    beta: Real[Array, "*#batch n"] | None = None,
    state: Real[Array, "*batch d_k d_v"] | None = None,
    scale: Scalar | None = 1.0,
) -> tuple[Float[Array, "*batch n d_v"], Float[Array, "*batch d_k d_v"]]:
    """All steps at once, in matrix products: what `recurrent` returns.

        out = (M ∘ q kᵀ) v + q H,    H ← H + kᵀ v,    M_ij = (j ≤ i), the scale on q

    A decay multiplies what step i reads of step j by exp(g_{j+1} + … + g_i), and what it reads of
    the first state by exp(g_0 + … + g_i). The delta rule replaces v, in one pass over the steps, by
    what they write: v_i ← β_i (v_i - what k_i reads of the steps before it). Memory for n² scores,
    or n² · d_k numbers where each feature has a decay of its own.

    Source: Katharopoulos et al. (2020), section 3.3; Sun et al. (2023) for the decay;
    Yang et al. (2024) for the delta rule.
    """
    q, state, n = _scaled(q, scale), _start(k, v, state), k.shape[-2]
    g = np.zeros((n, 1), k.dtype) if log_decay is None else log_decay
    since_start, since = np.exp(np.cumsum(g, axis=-2)), _decay_since(g)
    if beta is not None:
        v = v - (since_start * k) @ state
        v = _corrected(v, _faded_scores(k, k, since), beta)
    seen = weighted_sum(_faded_scores(q, k, since), v, causal_mask(n, n))
    kept = np.sum(since[..., -1:, :, :], axis=-3) * k  # the last row of n, or none of 0
    state_kept = np.exp(np.sum(g, axis=-2))[..., None] * state
    return seen + (since_start * q) @ state, state_kept + kept.mT @ v


@check_and_cast
def chunked(
    q: Real[Array, "*batch n d_k"],
    k: Real[Array, "*batch n d_k"],
    v: Real[Array, "*batch n d_v"],
    log_decay: Real[Array, "*#batch n #d_k"] | None = None,
    beta: Real[Array, "*#batch n"] | None = None,
    state: Real[Array, "*batch d_k d_v"] | None = None,
    scale: Scalar | None = 1.0,
    chunk: Integral = 64,
) -> tuple[Float[Array, "*batch n d_v"], Float[Array, "*batch d_k d_v"]]:
    """`parallel` on `chunk` steps at a time, each piece from the state that the last one left.

    No matrix is larger than chunk × chunk or d_k × d_v. Returns what `recurrent` returns. Raises
    ValueError if chunk is not positive.

    Source: Sun et al. (2023) for one decay, Yang et al. (2023) for decays that depend on the input.
    """
    at_least(1, chunk=chunk)
    state, out = _start(k, v, state), np.zeros_like(v)
    for start in range(0, k.shape[-2], chunk):
        here = slice(start, start + chunk)
        g = None if log_decay is None else log_decay[..., here, :]
        b = None if beta is None else beta[..., here]
        rows = q[..., here, :], k[..., here, :], v[..., here, :]
        out[..., here, :], state = parallel(*rows, g, b, state, scale)
    return out, state


@check_and_cast
def bidirectional(
    q: Real[Array, "*batch n_q d_k"],
    k: Real[Array, "*batch n_k d_k"],
    v: Real[Array, "*batch n_k d_v"],
    scale: Scalar | None = 1.0,
) -> Float[Array, "*batch n_q d_v"]:
    """Every query reads all keys. The product is taken from the right: no matrix of n_q × n_k.

        out = (q kᵀ) v = q (kᵀ v)

    Returns an array of shape (..., n_q, d_v).

    Source: Katharopoulos et al. (2020), section 3.2, without their normaliser.
    """
    return _scaled(q, scale) @ (k.mT @ v)


@check_and_cast
def elu_plus_one(x: Real[Array, "*shape"]) -> Float[Array, "*shape"]:
    """A feature map with positive features: φ(x) = x + 1 above 0, exp(x) below.

    Source: Katharopoulos et al. (2020), section 3.2.1.

    >>> elu_plus_one(np.array([-np.inf, 0.0, 2.0]))
    array([0., 1., 3.])
    """
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


@check_and_cast
def normalised(
    q: Real[Array, "*batch n d_k"],
    k: Real[Array, "*batch n d_k"],
    v: Real[Array, "*batch n d_v"],
    feature_map: Callable = elu_plus_one,
    state: Real[Array, "*batch d_features d_v+1"] | None = None,
    chunk: Integral = 64,
) -> tuple[Float[Array, "*batch n d_v"], Float[Array, "*batch d_features d_v+1"]]:
    """Causal attention with φ(q) · φ(k) instead of softmax's exp(q · k).

        out_i = Σ_{j≤i} φ(q_i) · φ(k_j) v_j / Σ_{j≤i} φ(q_i) · φ(k_j)

    A last column of the state, in which every value is 1, holds the sum of the keys: read by a
    query it is the denominator. Returns the outputs (..., n, d_v) and that state. Where the
    denominator is 0 the output is 0.

    Source: Katharopoulos et al. (2020), equations of section 3.3.
    """
    out, state = chunked(feature_map(q), feature_map(k), _with_ones(v), state=state, chunk=chunk)
    return _divided(out), state


@check_and_cast
def normalised_bidirectional(
    q: Real[Array, "*batch n_q d_k"],
    k: Real[Array, "*batch n_k d_k"],
    v: Real[Array, "*batch n_k d_v"],
    feature_map: Callable = elu_plus_one,
) -> Float[Array, "*batch n_q d_v"]:
    """`normalised`, where every query reads all keys: out = φ(q) (φ(k)ᵀ v) / φ(q) (φ(k)ᵀ 1).

    Returns an array of shape (..., n_q, d_v).

    Source: Katharopoulos et al. (2020), section 3.2.
    """
    return _divided(bidirectional(feature_map(q), feature_map(k), _with_ones(v)))


def _scaled(q, scale):
    return q * resolve_scale(scale, q.shape[-1])


def _start(k, v, state):
    """The state before the first step."""
    shape = *k.shape[:-2], k.shape[-1], v.shape[-1]
    return np.zeros(shape, k.dtype) if state is None else state


def _decay_since(g):
    """exp(g_{j+1} + … + g_i) for each step i, a row, and each step j; 1 where j is later.

    Sums of what lies between, not differences of sums from the start: with g = -inf, which forgets
    all, a difference would be NaN.
    """
    after = np.tri(g.shape[-2], k=-1, dtype=bool)[..., None]  # row l, column j: l is after j
    return np.exp(np.cumsum(np.where(after, g[..., :, None, :], 0), axis=-3))


def _faded_scores(q, k, since):
    """Σ_a q_ia k_ja exp(g_{j+1,a} + … + g_ia), of shape (..., n, n)."""
    if since.shape[-1] == 1:
        return q @ k.mT * since[..., 0]
    return np.sum(q[..., :, None, :] * k[..., None, :, :] * since, axis=-1)


def _corrected(v, scores, beta):
    """What the delta rule writes: w_i = β_i (v_i - Σ_{j<i} scores_ij w_j)."""
    written = np.zeros_like(v)
    for i in range(v.shape[-2]):
        known = scores[..., i : i + 1, :i] @ written[..., :i, :]
        written[..., i, :] = beta[..., i, None] * (v[..., i, :] - known[..., 0, :])
    return written


def _with_ones(v):
    return np.concatenate([v, np.ones_like(v[..., :1])], axis=-1)


def _divided(out):
    """By the last column, which is the denominator."""
    total = out[..., -1:]
    return out[..., :-1] / np.where(total == 0, 1, total)
