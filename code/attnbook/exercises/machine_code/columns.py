"""What the program of a block of keys does, in NumPy."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import machine_code as solutions
from attnbook.reference import logsumexp, softmax

_rng = np.random.default_rng(23)


def _turned(x):
    return np.swapaxes(x, -1, -2)


def _column(*batch, n_q, n_b, d_k, d_v, others=3, shift=0.0, dtype=np.float64):
    """A block of keys with what all queries bring: gradients, log-sum-exps, row sums."""
    n_k = n_b + others
    q, k = (_rng.standard_normal((*batch, n, d_k)) for n in (n_q, n_k))
    v, grad_out = (_rng.standard_normal((*batch, n, d_v)) for n in (n_k, n_q))
    k[..., 0] += shift
    scores = d_k**-0.5 * q @ _turned(k)
    found = {
        "grad_out": grad_out,
        "q": q,
        "lse": logsumexp(scores),
        "along": np.sum(grad_out * (softmax(scores) @ v), axis=-1),
        "k": k[..., :n_b, :],
        "v": v[..., :n_b, :],
    }
    return {name: x.astype(dtype) for name, x in found.items()}


def _tiny(keys):
    """The chapter's first query, with the scores ln 1, ln 3, ln 4; the width is 1."""
    scores, values = np.log([[1.0], [3.0], [4.0]]), np.array([[0.0], [4.0], [8.0]])
    return {
        "grad_out": np.array([[1.0]]),
        "q": np.array([[1.0]]),
        "lse": np.log([8.0]),
        "along": np.array([5.5]),
        "k": scores[keys],
        "v": values[keys],
    }


def _version(
    scale=lambda q: q.shape[-1] ** -0.5,
    weights=lambda scores, lse: np.exp(scores - lse[..., None]),
    joined=lambda w, dw, along: w * (dw - along[..., None]),
    key=lambda scale, ds, q: scale * _turned(ds) @ q,
    value=lambda w, ds, grad_out: _turned(w) @ grad_out,
):
    def column(grad_out, q, lse, along, k, v):
        c = scale(q)
        w = weights(c * q @ _turned(k), lse)
        ds = joined(w, grad_out @ _turned(v), along)
        return key(c, ds, q), value(w, ds, grad_out)

    return column


def _values_scaled(scale, *given):
    grad_k, grad_v = solutions.column(*given)
    return grad_k, scale * grad_v


A_QUERY = "lse and along have a number for each query, a row of the tile: [..., None]."
MISTAKES = (
    Misconception(
        _version(key=lambda scale, ds, q: _turned(ds) @ q),
        "the gradient of the keys lacks the scale: a score is scale times q · k.",
    ),
    Misconception(
        _version(scale=lambda q: 1.0), "the scale is missing: a score is q · k over √d_k."
    ),
    Misconception(
        _version(
            scale=lambda q: 1.0, key=lambda scale, ds, q: q.shape[-1] ** -0.5 * _turned(ds) @ q
        ),
        "the scores lack the scale; the gradient of the keys has it.",
    ),
    Misconception(
        _version(weights=lambda scores, lse: softmax(scores)),
        "a softmax over this block alone: among all keys the weights are exp(S - L).",
    ),
    Misconception(
        _version(weights=lambda scores, lse: np.exp(scores)),
        "the log-sum-exp is missing: the weights are exp(S - L).",
    ),
    Misconception(
        _version(weights=lambda scores, lse: np.exp(scores) / lse[..., None]),
        "L is a logarithm: subtract it from the scores, exp(S - L).",
    ),
    Misconception(
        _version(weights=lambda scores, lse: np.exp(scores) / np.exp(lse)[..., None]),
        "exp(S) alone overflows where scores are large: subtract L first, exp(S - L).",
    ),
    Misconception(_version(weights=lambda scores, lse: np.exp(scores - lse)), A_QUERY),
    Misconception(_version(joined=lambda w, dw, along: w * (dw - along)), A_QUERY),
    Misconception(
        lambda grad_out, q, lse, *rest: solutions.column(
            grad_out, q, q.shape[-1] ** -0.5 * lse, *rest
        ),
        "the scores alone are scaled: L is that of scaled scores.",
    ),
    Misconception(
        _version(scale=lambda q: 1 / q.shape[-1]), "the scale is 1/√d_k, with the root of d_k."
    ),
    Misconception(
        _version(scale=lambda q: q.shape[-1] ** 0.5), "the scale divides: a score is q · k / √d_k."
    ),
    Misconception(
        _version(weights=lambda scores, lse: np.exp(scores + lse[..., None])),
        "L is added: the weights are exp(S - L).",
    ),
    Misconception(
        _version(weights=lambda scores, lse: _turned(softmax(_turned(scores)))),
        "a softmax over the queries: weights are over keys, exp(S - L).",
    ),
    Misconception(
        _version(scale=lambda q: q.shape[1] ** -0.5),
        "q.shape[1] is the width of a matrix; with more axes before it that is q.shape[-1].",
    ),
    Misconception(
        _version(joined=lambda w, dw, along: w * dw),
        "the row sum is missing: raising one score lowers the weights of all other keys.",
    ),
    Misconception(
        _version(joined=lambda w, dw, along: w * (dw + along[..., None])),
        "the row sum is added: it is subtracted.",
    ),
    Misconception(
        _version(joined=lambda w, dw, along: w * dw - along[..., None]),
        "the row sum is multiplied by the weights too: A ∘ (… - along).",
    ),
    Misconception(
        _version(joined=lambda w, dw, along: dw - along[..., None]),
        "the weights are missing in the gradient of the scores.",
    ),
    Misconception(
        _version(joined=lambda w, dw, along: w * (dw - np.sum(w * dw, axis=-1, keepdims=True))),
        "the sum over this block alone is subtracted: along is the sum over all keys.",
    ),
    Misconception(
        _version(value=lambda w, ds, grad_out: _turned(ds) @ grad_out),
        "values are mixed by weights: their gradient takes these, not the gradient of the scores.",
    ),
    Misconception(
        lambda grad_out, q, *rest: solutions.column(
            grad_out, q * (q.shape[-1] / rest[-1].shape[-1]) ** 0.5, *rest
        ),
        "the scale is that of the width of queries and keys, 1/√d_k, not of the values.",
    ),
    Misconception(
        lambda grad_out, q, *rest: _values_scaled(q.shape[-1] ** -0.5, grad_out, q, *rest),
        "the gradient of the values has the scale: it belongs to scores, and values meet weights.",
    ),
    Misconception(
        lambda *given: solutions.column(*given)[::-1],
        "turned round: the gradient of the keys comes first.",
    ),
    Misconception(
        lambda *given: solutions.column(*given)[0],
        "only the gradient of the keys is returned; return that of the values too.",
    ),
)

column = Write(
    name="machine_code.column",
    title="The program of a column",
    level="medium",
    minutes=12,
    solution_of=solutions.column,
    results=("grad_k", "grad_v"),
    explanation=(
        "Scores and weights are made again, from $L$. A key has met every query, so its gradient "
        "is a sum over queries: the first axis of the tile, which the transposed tile puts last."
    ),
    hints=(
        "Five products: scores, the gradient of the weights, and one more for each result make "
        "four; grad_q would be the fifth, and another program makes it.",
        "weights = exp(scores - lse[..., None]), with the scale in the scores.",
        "Both results sum over queries: np.swapaxes(tile, -1, -2) @ something.",
    ),
    misconceptions=MISTAKES,
    notice="No other program writes these rows, so nothing has to be added up afterwards.",
    cases=(
        case(**_tiny([2])),
        case(**_tiny([0, 1])),
        case(**_column(n_q=3, n_b=2, d_k=4, d_v=5)),
        case(**_column(n_q=2, n_b=4, d_k=3, d_v=2)),
        case(**_column(2, n_q=3, n_b=5, d_k=4, d_v=2)),
        case(**_column(2, 3, n_q=4, n_b=2, d_k=3, d_v=5)),
        case(**_column(n_q=3, n_b=3, d_k=3, d_v=3)),
        stress(**_column(n_q=3, n_b=2, d_k=4, d_v=5, shift=1200.0)),
        stress(**_column(n_q=3, n_b=2, d_k=4, d_v=5, dtype=np.float32)),
    ),
)
