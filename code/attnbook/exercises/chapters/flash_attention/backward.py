r"""Project, step 2: the backward pass · hard · 20 min

Hints
1. Let the blocks of keys be the outer loop. In a tile make the scores again, as in the forward
   pass, with −∞ where a key is hidden.
2. `block_gradient` returns the gradient of a tile's scores. For the gradient of the values you need
   the tile's weights as well: exp(scores − lse).
3. Add to each of the three gradients: a query meets several tiles, and so does a key. The scale
   stands in those of queries and keys.
4. Key j is seen by query j − (n_k − n_q) and all later ones: the inner loop begins with the block of
   queries that holds this query, or with the first.

Why
In each tile scores and weights are made again, and L makes the weights those among all keys.
`block_gradient` gives $G_S$, and the products with it are those of the chapter on gradients, added
up over tiles. A block of keys begins with the first block of queries that sees any of it.

Notice
With the forward pass this is FlashAttention: the two loops, twice.
"""

import numpy as np

from attnbook import gradients
from attnbook.exercises.chapters.flash_attention._counted import (
    example,
    tiles_left,
    without_the_matrix,
)
from attnbook.exercises.chapters.flash_attention.block_gradient import block_gradient
from attnbook.exercises.engine import case, counting_calls, draw_qkv, write
from attnbook.masks import causal_mask
from attnbook.online import attention_with_lse


def backward(grad_out, q, k, v, out, lse, rows, columns, block_gradient):
    """The gradients of q, k and v under a causal mask, tile by tile."""
    scale, ahead = q.shape[1] ** -0.5, len(k) - len(q)
    grad_q, grad_k, grad_v = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for start in range(0, len(k), columns):
        j = np.arange(start, min(start + columns, len(k)))
        for begin in range(max(0, start - ahead) // rows * rows, len(q), rows):
            i = np.arange(begin, min(begin + rows, len(q)))
            scores = scale * q[i] @ k[j].T
            scores = np.where(j <= i[:, None] + ahead, scores, -np.inf)
            weights = np.exp(scores - lse[i, None])
            grad_scores = block_gradient(grad_out[i], out[i], lse[i], scores, v[j])
            grad_v[j] += weights.T @ grad_out[i]
            grad_k[j] += scale * grad_scores.T @ q[i]
            grad_q[i] += scale * grad_scores @ k[j]
    return grad_q, grad_k, grad_v


def as_one_tile(grad_out, q, k, v, out, lse, rows, columns, block_gradient):
    scores = np.where(causal_mask(len(q), len(k)), q @ k.T / q.shape[-1] ** 0.5, -np.inf)
    weights = np.exp(scores - lse[:, None])
    grad_scores = block_gradient(grad_out, out, lse, scores, v) / q.shape[-1] ** 0.5
    return grad_scores @ k, grad_scores.T @ q, weights.T @ grad_out


def by_definition(grad_out, q, k, v, out, lse, rows, columns):
    """The backward pass of the chapter on gradients, and the number of tiles that show anything."""
    mask = causal_mask(len(q), len(k))
    found = gradients.scaled_dot_product_attention_backward(grad_out, q, k, v, mask=mask)
    return *found, tiles_left(len(q), len(k), rows, columns)


rng = np.random.default_rng(9)


def after_forward(q, k, v):
    """A gradient of the output, the arrays, and what the forward pass returned."""
    out, lse = attention_with_lse(q, k, v, causal_mask(len(q), len(k)))
    grad_out = rng.standard_normal(out.shape)
    return {"grad_out": grad_out, "q": q, "k": k, "v": v, "out": out, "lse": lse}


def sized(n_q, n_k, rows, columns, **widths):
    return after_forward(**draw_qkv(rng, n_q, n_k, **widths)) | {"rows": rows, "columns": columns}


CASES = (
    case(**after_forward(**example()), rows=3, columns=2),
    case(**sized(4, 4, 2, 2)),
    case(**sized(6, 6, 2, 3)),
    case(**sized(6, 6, 3, 2)),
    case(**sized(4, 8, 2, 2)),
    case(**sized(4, 9, 2, 4, d_k=5, d_v=2)),
    case(**sized(7, 7, 3, 2)),
    case(**sized(5, 8, 2, 3, d_k=2, d_v=6)),
    case(**sized(5, 5, 1, 1)),
    case(**sized(3, 10, 8, 16)),
)

MISTAKES = """
every tile is made, the empty ones too: the inner loop begins with the first block of queries that
sees any of these keys.
    max(0, start - ahead) // rows * rows → 0
the inner loop begins too late: key j is seen by query j − (n_k − n_q), which may stand in the middle
of its block.
    max(0, start - ahead) // rows * rows → -(-max(0, start - ahead) // rows) * rows
    start - ahead → j[-1] - ahead
    max(0, start - ahead) // rows * rows → (max(0, start - ahead) // rows + 1) * rows
a block of queries begins at a multiple of `rows`, wherever the keys begin.
    max(0, start - ahead) // rows * rows → max(0, start - ahead)
query 0 does not stand at key 0: the last query sees the last key, so query i stands at key
i + n_k − n_q.
    len(k) - len(q) → 0
the future is not hidden: set the scores of hidden keys to −inf before you take exponentials.
    np.where(j <= i[:, None] + ahead, scores, -np.inf) → scores
a query sees its own key, too: <=, and not <.
    j <= i → j < i
a query meets several tiles, and its gradient is the sum of what they give: +=, and not =.
    grad_q[i] += → grad_q[i] =
queries and keys meet several tiles, and all three gradients are sums of what these give: +=, not =.
    += ⇒ =
a key meets several tiles, and the gradients of key and value are sums of what they give: +=, not =.
    grad_k[j] += → grad_k[j] =
    grad_v[j] += → grad_v[j] =
    grad_k[j] += → grad_k[j] = ; grad_v[j] += → grad_v[j] =
the scale 1/√d_k stands in front of Q Kᵀ, so it comes back in the gradients of queries and keys.
    += scale * grad_scores.T → += grad_scores.T
    += scale * grad_scores @ → += grad_scores @
    += scale * grad_scores.T → += grad_scores.T ; += scale * grad_scores @ → += grad_scores @
the scores are not divided by the square root of d_k, or twice.
    scale * q[i] @ k[j].T → q[i] @ k[j].T
    scale * q[i] @ k[j].T → scale**2 * q[i] @ k[j].T
    q.shape[1] ** -0.5 → 1 || 1 / q.shape[1]
the weights are a softmax of this tile: among all keys they are exp(S − L).
    np.exp(scores - lse[i, None]) → np.exp(scores) / np.sum(np.exp(scores), axis=-1, keepdims=True)
the gradient of the values takes the weights, and not the gradient of the scores.
    grad_v[j] += weights.T → grad_v[j] += grad_scores.T
G_Q = c G_S K and G_K = c G_Sᵀ Q take the gradient of the scores, and not the weights.
    scale * grad_scores.T → scale * weights.T
    scale * grad_scores @ → scale * weights @
the gradients of queries and keys are exchanged: return those of q, k and v, in this order.
    return grad_q, grad_k, grad_v → return grad_k, grad_q, grad_v
the whole matrix is one tile: hand `block_gradient` tiles of `rows` queries by `columns` keys.
    is as_one_tile
`block_gradient` is never called: the tiles are counted by the calls of the one that your function
is given.
    = gradients.scaled_dot_product_attention_backward(grad_out, q, k, v, mask=causal_mask(len(q), len(k)))
"""

exercise = write(
    backward,
    CASES,
    MISTAKES,
    through=counting_calls(block_gradient, results=3),
    oracle=by_definition,
    results=("grad_q", "grad_k", "grad_v", "tiles"),
    counts={"tiles": "calls of `block_gradient`"},
    refused=without_the_matrix(
        block_gradient,
        lambda n_q, n_k: after_forward(**draw_qkv(np.random.default_rng(0), n_q, n_k)),
    ),
)
