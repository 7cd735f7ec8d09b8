r"""The gradient of one block · medium · 12 min

Hints
1. Take three steps: make the weights of scores and lse, find what is subtracted from grad_out and
   out, and join the two as in the formula of the chapter.
2. weights = exp(scores - lse[..., None]) are the weights among all keys, not among those of the
   block.
3. What is subtracted is one number for each query: sum grad_out * out over the features,
   keepdims=True.
4. Where lse is -inf, subtract 0 from the scores.

Why
$e^{S - L}$ are the weights of these keys among all keys, although the others are not here. What is
subtracted, the sum of $A_j\, (g \cdot v_j)$ over all keys, is $g \cdot O$, and the output is at
hand. Where $L$ is −∞ every score is −∞ too, and shifted by 0 their exponentials are 0.

Notice
No other block was needed, because the output and L have already met all keys.
"""

import numpy as np

from attnbook.exercises.engine import case, stress, write
from attnbook.reference import logsumexp, softmax


def block_gradient(grad_out, out, lse, scores, v):
    """exp(S - L) ∘ (grad_O vᵀ - rowsum(grad_O ∘ O)) for one block of keys."""
    shift = np.where(lse == -np.inf, 0, lse)[..., None]
    delta = np.sum(grad_out * out, axis=-1, keepdims=True)
    return np.exp(scores - shift) * (grad_out @ np.swapaxes(v, -1, -2) - delta)


def over_the_block(grad_out, out, lse, scores, v):
    weights = np.exp(scores - np.where(lse == -np.inf, 0, lse)[..., None])
    of_weights = grad_out @ np.swapaxes(v, -1, -2)
    return weights * (of_weights - np.sum(weights * of_weights, axis=-1, keepdims=True))


def key_by_key(grad_out, out, lse, scores, v):
    """A score pulls by its weight times how far its value lies from the output, along grad_out."""
    grad = np.zeros_like(scores)
    for *at, i, j in np.ndindex(scores.shape):
        row, key = (*at, i), (*at, j)
        if (score := scores[*at, i, j]) > -np.inf:
            grad[*at, i, j] = np.exp(score - lse[row]) * (grad_out[row] @ (v[key] - out[row]))
    return grad


rng = np.random.default_rng(7)


def drawn(*batch, n_q, n_b, d_v, others=3, shift=0.0, hidden=0.0, dtype=np.float64):
    """One of several blocks of keys, with the output and L of all of them."""
    n_k = n_b + others
    scores = shift + 2 * rng.standard_normal((*batch, n_q, n_k))
    scores = np.where(rng.random(scores.shape) < hidden, -np.inf, scores)
    v, grad_out = (rng.standard_normal((*batch, n, d_v)) for n in (n_k, n_q))
    found = {
        "grad_out": grad_out,
        "out": softmax(scores) @ v,
        "lse": logsumexp(scores),
        "scores": scores[..., :n_b],
        "v": v[..., :n_b, :],
    }
    return {name: x.astype(dtype) for name, x in found.items()}


def tiny(keys, grad=1.0):
    values, scores = np.array([[0.0], [4.0], [8.0]]), np.log([[1.0, 3.0, 4.0]])
    return {
        "grad_out": np.array([[grad]]),
        "out": np.array([[5.5]]),
        "lse": np.log([8.0]),
        "scores": scores[:, keys],
        "v": values[keys],
    }


EMPTY_ROW = {
    "grad_out": np.array([[1.0, -2.0], [3.0, 1.0]]),
    "out": np.array([[0.0, 0.0], [2.0, 1.0]]),
    "lse": np.array([-np.inf, 0.0]),
    "scores": np.array([[-np.inf, -np.inf], [0.0, -np.inf]]),
    "v": np.array([[2.0, 1.0], [4.0, 3.0]]),
}

NAN_IN_ONE_QUERY = {  # which sees a key that has next to no weight
    "grad_out": np.array([[1.0, np.nan], [2.0, 1.0]]),
    "out": np.array([[1.0, 2.0], [2.0, 3.0]]),
    "lse": np.log([1.0, 2.0]),
    "scores": np.array([[0.0, -800.0], [0.0, 0.0]]),
    "v": np.array([[1.0, 2.0], [3.0, 4.0]]),
}

CASES = (
    case(**tiny([2]), gives=np.array([[1.25]])),
    case(**tiny([0, 1], grad=2.0), gives=np.array([[-1.375, -1.125]])),
    case(**drawn(n_q=3, n_b=4, d_v=2)),
    case(**drawn(n_q=3, n_b=2, d_v=5, others=0)),
    case(**drawn(2, n_q=4, n_b=3, d_v=5)),
    case(**drawn(2, 3, n_q=2, n_b=5, d_v=4)),
    case(**drawn(n_q=3, n_b=3, d_v=3)),
    case(**drawn(2, n_q=2, n_b=2, d_v=2)),
    case(**drawn(n_q=4, n_b=5, d_v=3, hidden=0.3)),
    stress(**drawn(n_q=3, n_b=4, d_v=2, shift=1000.0)),
    stress(**drawn(n_q=3, n_b=4, d_v=2, shift=-1000.0)),
    stress(**EMPTY_ROW),
    stress(**tiny([0, 1], grad=np.nan)),
    stress(**NAN_IN_ONE_QUERY),
    stress(**drawn(n_q=3, n_b=4, d_v=2, dtype=np.float32)),
)

MISTAKES = """
the weights are a softmax of this block: among all keys they are exp(S - L).
    np.exp(scores - shift) → softmax(scores)
    np.exp(scores - np.where(lse == -np.inf, 0, lse)[..., None]) → softmax(scores)
the sum over the keys of this block is subtracted: over all keys it is rowsum(grad_O ∘ O).
    is over_the_block
nothing is subtracted: raising one score lowers the weights of all other keys.
    - delta →
the weights stand before the whole bracket, once: A ∘ (… - …).
    - delta) → ) - delta
    - delta → - np.exp(scores - shift) * delta
    np.exp(scores - shift) * → np.exp(scores - shift) ** 2 *
a matrix product pairs what belongs together entry by entry: multiply with *.
    np.sum(grad_out * out, axis=-1, keepdims=True) → grad_out @ np.swapaxes(out, -1, -2)
    np.exp(scores - shift) * → np.exp(scores - shift) @
each query has its own sum, over the features: axis=-1, keepdims=True.
    , keepdims=True) →)
    axis=-1, keepdims=True) → axis=-2, keepdims=True)
    np.sum(grad_out * out, axis=-1, keepdims=True) → np.sum(grad_out * out)
what should be subtracted is g · O: the sum of grad_out * out over the features.
    np.sum(grad_out → np.mean(grad_out
    - delta → - shift
    np.sum(grad_out * out → np.sum(np.exp(scores - shift)
    np.sum(grad_out * out → np.sum(out
    np.sum(grad_out * out → np.sum(grad_out
    np.sum(grad_out * out → np.sum(out * out
out is subtracted from grad_out: what is subtracted is their product, g · O.
    (grad_out @ np.swapaxes(v, -1, -2) - delta) → ((grad_out - out) @ np.swapaxes(v, -1, -2))
L has no axis for the keys, and meets the scores in the wrong place: lse[..., None].
    shift = np.where(lse == -np.inf, 0, lse)[..., None] → shift = np.where(lse == -np.inf, 0, lse)
the difference has the wrong sign: weights are exp(S - L), which is never above 1.
    scores - shift → shift - scores
S - L are logarithms of the weights: take their exponentials.
    np.exp(scores - shift) → (scores - shift)
S and L are natural logarithms: they go with np.exp, and with no power or logarithm to base 2.
    np.exp(scores - shift) → np.exp2(scores - shift)
    scores - shift → scores - shift / np.log(2).item()
a NaN is lost where a visible key's weight rounds to 0: only a hidden key has no influence.
    return np.exp(scores - shift) * (grad_out @ np.swapaxes(v, -1, -2) - delta) → return np.where(np.exp(scores - shift) > 0, np.exp(scores - shift) * (grad_out @ np.swapaxes(v, -1, -2) - delta), 0)
where a query sees nothing L is -inf, and -inf - (-inf) is NaN: shift by 0 there.
    shift = np.where(lse == -np.inf, 0, lse)[..., None] → shift = lse[..., None]
exp(S) and exp(L) each overflow or vanish: subtract L before you take the exponential.
    np.exp(scores - shift) → np.exp(scores) / np.exp(lse)[..., None]
    np.exp(scores - shift) → np.exp(scores) / np.where(np.exp(lse) == 0, 1, np.exp(lse))[..., None]
"""

exercise = write(block_gradient, CASES, MISTAKES, drafts=(over_the_block,), oracle=key_by_key)
