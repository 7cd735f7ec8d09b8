"""The write matrices of all heads, from W_v and W_o."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import heads as solutions
from attnbook.reference import merge_heads, split_heads

rng = np.random.default_rng(0)


def _sizes(d_in, d_model, d_out, n_heads, dtype=np.float64, layers=()):
    shapes = (*layers, d_in, d_model), (*layers, d_model, d_out)
    w_v, w_o = (rng.standard_normal(shape).astype(dtype) for shape in shapes)
    return {"w_v": w_v, "w_o": w_o, "n_heads": n_heads}


def _columns(w_v, n_heads):
    return np.swapaxes(w_v.reshape(*w_v.shape[:-1], n_heads, -1), -3, -2)


def _rows(w_o, n_heads):
    return w_o.reshape(*w_o.shape[:-2], n_heads, -1, w_o.shape[-1])


def _viewed(w_v, w_o, n_heads):
    pieces = w_v.reshape(*w_v.shape[:-2], n_heads, w_v.shape[-2], -1)
    return pieces @ _rows(w_o, n_heads)


def _every_nth_column(w_v, n_heads):
    return np.stack([w_v[..., m::n_heads] for m in range(n_heads)], axis=-3)


def _every_nth_row(w_o, n_heads):
    return np.stack([w_o[..., m::n_heads, :] for m in range(n_heads)], axis=-3)


def _every_nth(w_v, w_o, n_heads):
    return _every_nth_column(w_v, n_heads) @ _every_nth_row(w_o, n_heads)


def _columns_every_nth(w_v, w_o, n_heads):
    return _every_nth_column(w_v, n_heads) @ _rows(w_o, n_heads)


def _rows_every_nth(w_v, w_o, n_heads):
    return _columns(w_v, n_heads) @ _every_nth_row(w_o, n_heads)


def _right(w_v, w_o, n_heads):
    return _columns(w_v, n_heads) @ _rows(w_o, n_heads)


def _columns_of_both(w_v, w_o, n_heads):
    return _columns(w_v, n_heads) @ _columns(w_o, n_heads)


def _rows_of_both(w_v, w_o, n_heads):
    return _rows(w_v, n_heads) @ _rows(w_o, n_heads)


def _for_one_layer(w_v, w_o, n_heads):
    columns = w_v.reshape(w_v.shape[0], n_heads, -1).swapaxes(0, 1)
    return columns @ w_o.reshape(n_heads, -1, w_o.shape[1])


def _both_split(w_v, w_o, n_heads):
    return split_heads(w_v, n_heads) @ split_heads(w_o, n_heads)


def _both_split_and_turned(w_v, w_o, n_heads):
    return split_heads(w_v, n_heads) @ np.swapaxes(split_heads(w_o, n_heads), -1, -2)


def _not_turned_back(w_v, w_o, n_heads):
    return split_heads(w_v, n_heads) @ split_heads(np.swapaxes(w_o, -1, -2), n_heads)


def _split_after_the_turn(w_v, w_o, n_heads):
    return split_heads(np.swapaxes(w_v, -1, -2), n_heads) @ _rows(w_o, n_heads)


def _heads_behind_rows(w_v, w_o, n_heads):
    return w_v.reshape(*w_v.shape[:-1], n_heads, -1) @ _rows(w_o, n_heads)


def _views_of_one_layer(w_v, w_o, n_heads):
    return w_v.reshape(n_heads, w_v.shape[0], -1) @ w_o.reshape(n_heads, -1, w_o.shape[1])


def _slices(width):
    """Head by head, `width` columns and rows for each."""

    def matrices(w_v, w_o, n_heads):
        d = width(w_v, n_heads)
        cuts = [slice(m * d, (m + 1) * d) for m in range(n_heads)]
        return np.stack([w_v[..., cut] @ w_o[..., cut, :] for cut in cuts], axis=-3)

    return matrices


def _heads_first(w_v, w_o, n_heads):
    return np.moveaxis(_right(w_v, w_o, n_heads), -3, 0)


_SUM = "that is the sum over all heads; they are wanted one by one, on an axis of their own."
_AS_ROWS = (
    "w_o is cut by columns; what head m found stands in *rows* of w_o, since it multiplies from "
    "the left."
)

_V_AS_ROWS = (
    "w_v is cut by rows; its rows are features that every head reads, its columns belong to the "
    "heads."
)
_VIEW = (
    "w_v is cut by a view, which gives each head some of the rows: its columns belong to the heads."
)

write_matrices = Write(
    name="heads.write_matrices",
    title="What each head writes",
    level="medium",
    minutes=10,
    solution_of=solutions.write_matrices,
    hints=(
        "Which columns of w_v make the values of head m? Which rows of w_o does its output meet?",
        "split_heads(w_v, n_heads) has the shape (…, n_heads, d, d_head): each head's columns.",
        "The rows of w_o lie one below the other, head by head: a reshape is enough there.",
    ),
    explanation=(
        "The values of head m are X times its d_head columns of W_v; after the merge they meet "
        "its d_head rows of W_o. Columns have to be taken out of every row, which needs the "
        "transpose of `split_heads`; rows lie together, and a view will do."
    ),
    misconceptions=(
        *(Misconception(known, _VIEW) for known in (_viewed, _views_of_one_layer)),
        Misconception(
            _every_nth, "every n_heads-th column is taken; the columns of a head lie together."
        ),
        Misconception(
            _columns_every_nth,
            "every n_heads-th column of w_v is taken; the columns of a head lie together.",
        ),
        Misconception(
            _rows_every_nth,
            "every n_heads-th row of w_o is taken; the rows of a head lie together.",
        ),
        *(
            Misconception(known, _AS_ROWS)
            for known in (_columns_of_both, _both_split, _both_split_and_turned)
        ),
        Misconception(
            _not_turned_back,
            "the rows of w_o are split rightly, and then still transposed: turn them back.",
        ),
        *(Misconception(known, _V_AS_ROWS) for known in (_rows_of_both, _split_after_the_turn)),
        Misconception(
            _heads_behind_rows,
            "w_v is cut into (…, d, h, d_head), and its heads stay behind the rows: bring them in "
            "front, as `split_heads` does.",
        ),
        Misconception(
            lambda w_v, w_o, n_heads: split_heads(w_v, n_heads) @ w_o,
            "w_o is not cut: the columns of a head meet its own rows alone.",
        ),
        Misconception(
            lambda w_v, w_o, n_heads: split_heads(w_v @ w_o, n_heads),
            "the finished product is cut, and it is a sum over all heads: cut before you multiply.",
        ),
        Misconception(
            lambda w_v, w_o, n_heads: _rows(w_o, n_heads) @ _columns(w_v, n_heads),
            "the order is exchanged: a word meets w_v first, and w_o after it.",
        ),
        Misconception(
            lambda w_v, w_o, n_heads: (
                split_heads(w_v, n_heads) @ np.swapaxes(split_heads(w_v, n_heads), -1, -2)
            ),
            "w_v meets itself; what a head writes is in w_o.",
        ),
        Misconception(
            lambda w_v, w_o, n_heads: _right(w_v, w_o, w_v.shape[-1] // n_heads),
            "n_heads is taken for the width of a head; it is the number of heads.",
        ),
        Misconception(
            _slices(lambda w_v, n_heads: w_v.shape[-2] // n_heads),
            "the width of a head comes of the rows of w_v; divide its number of columns.",
        ),
        Misconception(
            _slices(lambda w_v, n_heads: 1),
            "one column is taken for each head; each has d_head, which lie together.",
        ),
        Misconception(
            lambda w_v, w_o, n_heads: _right(w_v, w_o, n_heads)[..., 0, :, :],
            "that is head 0 alone; all heads are wanted, on an axis of their own.",
        ),
        Misconception(
            lambda w_v, w_o, n_heads: merge_heads(_right(w_v, w_o, n_heads)),
            "the heads are merged; they are wanted one by one, on an axis of their own.",
        ),
        Misconception(
            lambda w_v, w_o, n_heads: (_right(w_v, w_o, n_heads) / n_heads).astype(w_v.dtype),
            "the matrices are divided by the number of heads; an output is their sum, not a mean.",
        ),
        Misconception(
            lambda w_v, w_o, n_heads: w_v @ w_o,
            _SUM,
        ),
        Misconception(
            lambda w_v, w_o, n_heads: _right(w_v, w_o, n_heads).sum(axis=-3),
            _SUM,
        ),
        Misconception(
            lambda w_v, w_o, n_heads: np.stack([w_v @ w_o] * n_heads, axis=-3),
            "every head gets all columns and all rows; it has its own.",
        ),
        Misconception(
            lambda w_v, w_o, n_heads: np.swapaxes(_right(w_v, w_o, n_heads), -1, -2),
            "the matrices are transposed: rows are the features that a head reads.",
        ),
        Misconception(
            lambda w_v, w_o, n_heads: _right(w_v, w_o, n_heads)[..., ::-1, :, :],
            "the heads are in reverse order: head 0 has the first columns.",
        ),
        Misconception(
            lambda w_v, w_o, n_heads: _columns(w_v, n_heads) @ _rows(w_o, n_heads)[..., ::-1, :, :],
            "the columns of one head meet the rows of another.",
        ),
        Misconception(
            lambda w_v, w_o, n_heads: np.moveaxis(_right(w_v, w_o, n_heads), -3, -1),
            "the heads come last; their axis belongs before those of the matrix.",
        ),
        Misconception(
            lambda w_v, w_o, n_heads: np.moveaxis(_right(w_v, w_o, n_heads), -3, -2),
            "the heads stand between the two axes of the matrix; they belong before both.",
        ),
        Misconception(
            lambda w_v, w_o, n_heads: (
                _right(w_v, w_o, n_heads) / np.sqrt(w_v.shape[-1] // n_heads).astype(w_v.dtype)
            ),
            "the root of d_head divides scores; nothing divides values.",
        ),
        Misconception(
            lambda w_v, w_o, n_heads: _right(w_v, w_o, n_heads).astype(np.float64),
            "the result is float64 whatever came in; products alone keep the caller's dtype.",
        ),
        Misconception(
            _for_one_layer,
            "this works for one layer only; take axes from the end, and let others stay in front.",
        ),
        Misconception(
            _heads_first,
            "the heads stand before the layers; they belong next to the axes of the matrix.",
        ),
        Misconception(
            lambda w_v, w_o, n_heads: _right(w_v, w_o, 2),
            "the number of heads is an argument; this always makes two.",
        ),
    ),
    notice=(
        "Added up with their weights, Σ A X W_vo, they are the whole output of the layer: merge "
        "and W_o are in them."
    ),
    cases=(
        case(
            w_v=np.array([[1.0, 2.0], [3.0, 4.0]]),
            w_o=np.array([[1.0, 0.0], [0.0, 10.0]]),
            n_heads=2,
        ),
        case(**_sizes(2, 4, 3, 2)),
        case(**_sizes(4, 4, 4, 2)),
        case(**_sizes(4, 4, 4, 1)),
        case(**_sizes(4, 4, 4, 4)),
        case(**_sizes(5, 6, 7, 3)),
        case(**_sizes(6, 6, 6, 2)),
        case(**_sizes(9, 9, 9, 3)),
        case(**_sizes(12, 12, 8, 4)),
        case(**_sizes(3, 4, 5, 2, layers=(2,))),
        case(**_sizes(4, 4, 4, 2, layers=(2, 2))),
        case(**_sizes(3, 6, 2, 3, np.float32)),
        stress(**_sizes(2, 4, 2, 2, np.float16)),
        stress(
            w_v=np.array([[np.nan, np.nan], [1.0, 2.0]]),
            w_o=np.array([[1.0, 2.0], [3.0, 4.0]]),
            n_heads=2,
        ),
    ),
)
