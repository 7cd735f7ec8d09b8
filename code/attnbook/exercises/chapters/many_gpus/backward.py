r"""Project, step 2: the backward pass · hard · 25 min

Hints
1. The meetings are those of the forward pass: at each step the same rows, keys and mask, and at
   step 0 the rank's own block.
2. Begin with three arrays of zeros. What a meeting gives to the queries is added to grad_q[r, rows],
   which stays; the rest is added to grad_k[r, keys] and grad_v[r, keys].
3. Row r of grad_k is the sum for the block that lies on rank r now. So when the blocks are sent on,
   these sums are sent with them.
4. After the last step the sum on rank r belongs to rank r + 1: send both gradients once more.

Why
The log-sum-exp of all the keys makes the weights of any block among all keys, and the row sum of
grad_out * out is at home as well, so a meeting needs nothing else. Keys and values are sent w − 1
times, their gradients w times: the last sending brings each to the rank where its keys have lain
all the time.

Notice
With the forward pass this is all of ring attention. On real ranks `send` is `isend` and `irecv`.
"""

import numpy as np

from attnbook.exercises.chapters.many_gpus._counted import (
    COUNTS,
    attend_backward,
    attended,
    attended_backward,
    counting,
    drawn,
    example,
    numbers_in,
    pairs_of,
)
from attnbook.exercises.engine import case, write


def backward(grad_out, q, k, v, out, lse, attend_backward, send):
    """The gradients of q, k and v on a zigzag ring: row r of each array lies on rank r."""
    w, half = len(q), q.shape[1] // 2
    grad_q, grad_k, grad_v = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for step in range(w):
        if step > 0:
            k, v, grad_k, grad_v = send(k), send(v), send(grad_k), send(grad_v)
        for r in range(w):
            source = (r - step) % w
            rows = slice(half if source > r else 0, None)
            keys = slice(half if source < r else None)
            here = grad_out[r, rows], q[r, rows], k[r, keys], v[r, keys]
            part = attend_backward(*here, out[r, rows], lse[r, rows], source == r)
            grad_q[r, rows] += part[0]
            grad_k[r, keys] += part[1]
            grad_v[r, keys] += part[2]
    return grad_q, send(grad_k), send(grad_v)


def without_attend(grad_out, q, k, v, out, lse, attend_backward, send):
    return attended_backward(grad_out, q, k, v)


def by_definition(grad_out, q, k, v, out, lse):
    """The gradients of the whole sequence, the visible pairs, and what a rank has sent."""
    grads = attended_backward(grad_out, q, k, v)
    return *grads, pairs_of(q), (2 * len(q) - 1) * numbers_in(k, v)


rng = np.random.default_rng(13)


def after_forward(q, k, v):
    """A gradient of the output, the arrays, and what the forward pass returned."""
    out, lse = attended(q, k, v)
    grad_out = rng.standard_normal(out.shape)
    return {"grad_out": grad_out, "q": q, "k": k, "v": v, "out": out, "lse": lse}


CASES = (
    case(**after_forward(**example())),
    case(**after_forward(**drawn(rng, 2, 2))),
    case(**after_forward(**drawn(rng, 2, 4))),
    case(**after_forward(**drawn(rng, 3, 2))),
    case(**after_forward(**drawn(rng, 4, 2, d_k=2, d_v=5))),
    case(**after_forward(**drawn(rng, 3, 4))),
    case(**after_forward(**drawn(rng, 5, 6, d_k=3, d_v=2))),
)

MISTAKES = """
the gradients are one rank away from home: after the last step send them once more.
    return grad_q, send(grad_k), send(grad_v) → return grad_q, grad_k, grad_v
    return grad_q, send(grad_k), send(grad_v) → return grad_q, np.roll(grad_k, 1, axis=0), np.roll(grad_v, 1, axis=0)
the gradients of keys and values belong to blocks that move on: send the sums along with them.
    k, v, grad_k, grad_v = send(k), send(v), send(grad_k), send(grad_v) → k, v = send(k), send(v)
    k, v, grad_k, grad_v = send(k), send(v), send(grad_k), send(grad_v) → k, v = send(k), send(v) ; return grad_q, send(grad_k), send(grad_v) → return grad_q, grad_k, grad_v
the parts are added at the owner's, where this rank cannot write: add to the row of rank r, and send
the sum on.
    k, v, grad_k, grad_v = send(k), send(v), send(grad_k), send(grad_v) → k, v = send(k), send(v) ; return grad_q, send(grad_k), send(grad_v) → return grad_q, grad_k, grad_v ; grad_k[r, keys] → grad_k[source, keys] ; grad_v[r, keys] → grad_v[source, keys]
that is the rank's own block at each step: take the keys and values that have arrived.
    k, v, grad_k, grad_v = send(k), send(v), → send(k), send(v)\\n            grad_k, grad_v =
    k, v, grad_k, grad_v = send(k), send(v), → grad_k, grad_v =
keys and values are sent once too often: after the last step nobody needs them.
    return grad_q → send(k), send(v)\\n    return grad_q
the gradient of the values stays behind: it moves with its block, as that of the keys does.
    send(grad_k), send(grad_v)\\n        for → send(grad_k), grad_v\\n        for ; send(grad_k), send(grad_v)\\n → send(grad_k), grad_v\\n
a rank reads keys where they lie on another: take those that have arrived in row r.
    k[r, keys], v[r, keys] → home[0][source, keys], home[1][source, keys] ; for step in → home = k, v\\n    for step in
nothing has been sent: a rank works only with what lies there.
    send( ⇒ (lambda x: np.roll(x, 1, axis=0))(
    send( ⇒ np.copy(
a query meets a block at every step, and its gradient is the sum of what they give: +=, and not =.
    grad_q[r, rows] += → grad_q[r, rows] =
all three gradients are sums of what the meetings give: +=, and not =.
    += ⇒ =
a block meets the queries of every rank, and its gradients are sums of what they give: +=, and not
=.
    grad_k[r, keys] += → grad_k[r, keys] =
    grad_v[r, keys] += → grad_v[r, keys] =
    grad_k[r, keys] += → grad_k[r, keys] = ; grad_v[r, keys] += → grad_v[r, keys] =
at home a query does not see the keys behind it: causal=True there.
    lse[r, rows], source == r → lse[r, rows], False
the late half of an earlier rank's keys lies behind all your queries: take its early half alone.
    half if source < r else None → None
the early half of your queries lies before all the keys of a later rank: only the late half sees
them.
    half if source > r else 0 → 0
the future is not hidden away from home: take the half of the square that is visible.
    half if source < r else None → None ; half if source > r else 0 → 0
nothing is hidden: at home causal=True, and away from home take the half that is visible.
    half if source < r else None → None ; half if source > r else 0 → 0 ; lse[r, rows], source == r → lse[r, rows], False
the two cases are exchanged: all queries meet the early keys of an *earlier* rank.
    source > r → source < r ; source < r else None → source > r else None
the ring turns the other way: each block moves to the next rank, so at step s rank r has that of rank
r − s.
    r - step → r + step
the rule is that of consecutive positions: in a zigzag each rank has something early and something
late.
    rows = slice(half if source > r else 0, None) → rows = slice(None)\\n            if source > r:\\n                continue ; slice(half if source < r else None) → slice(None)
the halves are exchanged: of the keys the early half is seen, and of the queries the late half sees.
    slice(half if source > r else 0, None) → slice(half if source > r else None) ; slice(half if source < r else None) → slice(half if source < r else 0, None)
    slice(half if source > r else 0, None) → slice(half if source > r else None)
    slice(half if source < r else None) → slice(half if source < r else 0, None)
what the late queries have found is added to the rows of the early ones.
    grad_q[r, rows] → grad_q[r, : len(part[0])]
a ring has w steps, the first of them at home.
    in range(w):\\n        if → in range(1, w):\\n        if
the gradients of keys and values are exchanged: return those of q, k and v, in this order.
    return grad_q, send(grad_k), send(grad_v) → return grad_q, send(grad_v), send(grad_k)
the results are right, but nothing was computed on the ranks: call the `attend_backward` that your
function is given.
    is without_attend
"""

exercise = write(
    backward,
    CASES,
    MISTAKES,
    through=counting(attend_backward, 3),
    oracle=by_definition,
    results=("grad_q", "grad_k", "grad_v", "pairs", "sent"),
    counts=COUNTS,
)
