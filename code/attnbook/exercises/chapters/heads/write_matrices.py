"""What each head writes · medium · 10 min

Hints
1. Which columns of w_v make the values of head m? Which rows of w_o does its output meet?
2. split_heads(w_v, n_heads) has the shape (…, n_heads, d, d_head): each head's columns.
3. The rows of w_o lie one below the other, head by head: a reshape is enough there.

Why
The values of head m are X times its d_head columns of W_v; after the merge they meet its d_head
rows of W_o. Columns have to be taken out of every row, which needs the transpose of `split_heads`;
rows lie together, and a view will do.

Notice
Added up with their weights, Σ A X W_vo, they are the whole output of the layer: merge and W_o are
in them.
"""

import numpy as np

from attnbook.exercises.engine import case, stress, write
from attnbook.reference import merge_heads, split_heads


def write_matrices(w_v, w_o, n_heads):
    """Columns of W_v times rows of W_o, for each head."""
    columns = split_heads(w_v, n_heads)
    rows = w_o.reshape(*w_o.shape[:-2], n_heads, -1, w_o.shape[-1])
    return columns @ rows


def head_by_head(w_v, w_o, n_heads):
    d_head = w_v.shape[-1] // n_heads
    cuts = [slice(m * d_head, (m + 1) * d_head) for m in range(n_heads)]
    return np.stack([w_v[..., cut] @ w_o[..., cut, :] for cut in cuts], axis=-3)


rng = np.random.default_rng(0)


def drawn(d_in, d_model, d_out, n_heads, dtype=np.float64, layers=(), kind=case):
    shapes = (*layers, d_in, d_model), (*layers, d_model, d_out)
    w_v, w_o = (rng.standard_normal(shape).astype(dtype) for shape in shapes)
    return kind(w_v=w_v, w_o=w_o, n_heads=n_heads)


CASES = (
    case(
        w_v=np.array([[1.0, 2.0], [3.0, 4.0]]),
        w_o=np.array([[1.0, 0.0], [0.0, 10.0]]),
        n_heads=2,
        gives=np.array([[[1.0, 0.0], [3.0, 0.0]], [[0.0, 20.0], [0.0, 40.0]]]),
    ),
    drawn(2, 4, 3, 2),
    drawn(4, 4, 4, 2),
    drawn(4, 4, 4, 1),
    drawn(4, 4, 4, 4),
    drawn(5, 6, 7, 3),
    drawn(6, 6, 6, 2),
    drawn(9, 9, 9, 3),
    drawn(12, 12, 8, 4),
    drawn(3, 4, 5, 2, layers=(2,)),
    drawn(4, 4, 4, 2, layers=(2, 2)),
    drawn(3, 6, 2, 3, np.float32),
    drawn(2, 4, 2, 2, np.float16, kind=stress),
    stress(
        w_v=np.array([[np.nan, np.nan], [1.0, 2.0]]),
        w_o=np.array([[1.0, 2.0], [3.0, 4.0]]),
        n_heads=2,
    ),
)

MISTAKES = """
w_v is cut by a view, which gives each head some of the rows: its columns belong to the heads.
    split_heads(w_v, n_heads) → w_v.reshape(*w_v.shape[:-2], n_heads, w_v.shape[-2], -1)
    = w_v.reshape(n_heads, w_v.shape[0], -1) @ w_o.reshape(n_heads, -1, w_o.shape[1])
every n_heads-th column of w_v, or row of w_o, is taken; those of a head lie together.
    columns @ → np.moveaxis(w_v.reshape(*w_v.shape[:-1], -1, n_heads), -1, -3) @
    n_heads, -1, w_o.shape[-1]) → -1, n_heads, w_o.shape[-1]).swapaxes(-3, -2)
    w_v[..., cut] @ w_o[..., cut, :] for cut in cuts → w_v[..., m::n_heads] @ w_o[..., m::n_heads, :] for m in range(n_heads)
w_o is cut by columns; what head m found stands in *rows* of w_o, since it multiplies from the left.
    @ rows → @ split_heads(w_o, n_heads)
    @ rows → @ np.swapaxes(w_o.reshape(*w_o.shape[:-1], n_heads, -1), -3, -2)
    @ rows → @ np.swapaxes(split_heads(w_o, n_heads), -1, -2)
the rows of w_o are split rightly, and then still transposed: turn them back.
    @ rows → @ split_heads(np.swapaxes(w_o, -1, -2), n_heads)
w_v is cut by rows; its rows are features that every head reads, its columns belong to the heads.
    columns @ → w_v.reshape(*w_v.shape[:-2], n_heads, -1, w_v.shape[-1]) @
    split_heads(w_v → split_heads(np.swapaxes(w_v, -1, -2)
w_v is cut into (…, d, h, d_head), and its heads stay behind the rows: bring them in front, as
`split_heads` does.
    columns @ → w_v.reshape(*w_v.shape[:-1], n_heads, -1) @
w_o is not cut: the columns of a head meet its own rows alone.
    @ rows → @ w_o
the finished product is cut, and it is a sum over all heads: cut before you multiply.
    = split_heads(w_v @ w_o, n_heads)
n_heads is taken for the width of a head; it is the number of heads.
    = write_matrices(w_v, w_o, w_v.shape[-1] // n_heads)
the width of a head was computed from the rows of w_v; divide its number of columns.
    w_v.shape[-1] // → w_v.shape[-2] //
one column is taken for each head; each has d_head, which lie together.
    w_v.shape[-1] // n_heads → 1
that is head 0 alone, or all of them merged; each is wanted, on an axis of their own.
    = write_matrices(w_v, w_o, n_heads)[..., 0, :, :]
    = merge_heads(write_matrices(w_v, w_o, n_heads))
the matrices are divided by the number of heads; an output is their sum, not a mean.
    columns @ rows → columns @ rows / n_heads
the heads are in reverse order: head 0 has the first columns.
    = write_matrices(w_v, w_o, n_heads)[..., ::-1, :, :]
the root of d_head divides scores; nothing divides values.
    columns @ rows → columns @ rows / np.sqrt(columns.shape[-1]).astype(w_v.dtype)
the number of heads is an argument; this always makes two.
    = write_matrices(w_v, w_o, 2)
"""

exercise = write(write_matrices, CASES, MISTAKES, drafts=(head_by_head,), oracle=head_by_head)
