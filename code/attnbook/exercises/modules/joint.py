"""Queries, keys and values out of one joint projection, cut into heads."""

import numpy as np
import torch

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.tensors import differentiated_if_floats
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import modules as solutions

_rng = np.random.default_rng(5)


def each(cut):
    """The three parts, in their order, each cut into heads by `cut`."""

    def split_joint(x, n_heads):
        return torch.stack([cut(part, n_heads) for part in x.chunk(3, dim=-1)])

    return split_joint


def in_order(order):
    def split_joint(x, n_heads):
        return solutions.split_joint(x, n_heads)[order]

    return split_joint


def reshaped(x, n_heads):
    return x.reshape(*x.shape[:-2], n_heads, x.shape[-2], x.shape[-1] // n_heads)


def interleaved(x, n_heads):
    return x.reshape(*x.shape[:-1], x.shape[-1] // n_heads, n_heads).movedim(-1, -3)


def positions_first(x, n_heads):
    return x.reshape(*x.shape[:-1], n_heads, x.shape[-1] // n_heads)


def first_swapped(x, n_heads):
    """The axes that are right for exactly one batch axis."""
    return positions_first(x, n_heads).swapaxes(1, 2)


def without_batch(x, n_heads):
    return positions_first(x, n_heads).swapaxes(0, 1)


def for_one_batch_axis(x, n_heads):
    pieces = x.reshape(x.shape[0], x.shape[1], 3, n_heads, x.shape[-1] // (3 * n_heads))
    return pieces.permute(2, 0, 3, 1, 4)


def for_three_axes(x, n_heads):
    batch, n, width = x.shape
    pieces = x.reshape(batch, n, 3, n_heads, width // (3 * n_heads))
    return pieces.permute(2, 0, 3, 1, 4)


def by_head(x, n_heads):
    """Each head's query, key and value beside each other, as some other models keep them."""
    pieces = x.reshape(*x.shape[:-1], n_heads, 3, x.shape[-1] // (3 * n_heads))
    return pieces.movedim(-2, 0).swapaxes(-2, -3)


def by_feature(x, n_heads):
    """Every third number is a query's."""
    pieces = x.reshape(*x.shape[:-1], n_heads, x.shape[-1] // (3 * n_heads), 3)
    return pieces.movedim(-1, 0).swapaxes(-2, -3)


def all_at_once(x, n_heads):
    return x.reshape(3, *x.shape[:-2], n_heads, x.shape[-2], x.shape[-1] // (3 * n_heads))


def reshaped_to_the_front(x, n_heads):
    """Right without a batch."""
    pieces = x.reshape(*x.shape[:-1], 3 * n_heads, x.shape[-1] // (3 * n_heads)).swapaxes(-2, -3)
    return pieces.reshape(3, *x.shape[:-2], n_heads, *pieces.shape[-2:])


def three_behind_the_batch(x, n_heads):
    return solutions.split_joint(x, n_heads).movedim(0, -4)


def _numbered(*shape, dtype=np.float64):
    return np.arange(np.prod(shape), dtype=dtype).reshape(shape)


def _random(*shape, dtype=np.float64):
    return _rng.standard_normal(shape).astype(dtype)


MIXED = (
    "reshape alone mixes the positions: head 0 must have a piece of every position. Cut the last "
    "axis first, then move the heads."
)

split_joint = Write(
    name="modules.split_joint",
    title="Heads from a joint projection",
    level="medium",
    minutes=10,
    solution_of=solutions.split_joint,
    through=differentiated_if_floats,
    hints=(
        "Cut the last axis, and only the last: 3 · n_heads · d_head numbers become three axes. In "
        "which order do they stand?",
        "x.reshape(*x.shape[:-1], 3, n_heads, d_head) leaves every position where it is.",
        "movedim(-3, 0) brings the 3 to the front; what is left to do is what split_heads does.",
    ),
    explanation=(
        "`reshape` cuts only the last axis, so no number changes its position. Then axes are "
        "moved, which changes no number either: the 3 to the front, the heads before the "
        "positions. Counted from the end, this works for any number of batch axes."
    ),
    misconceptions=(
        Misconception(each(reshaped), MIXED),
        Misconception(all_at_once, MIXED),
        Misconception(
            each(interleaved),
            "head 0 got every n_heads-th number; heads are consecutive pieces.",
        ),
        Misconception(
            each(positions_first),
            "the heads stand after the positions: attention would take them for positions.",
        ),
        Misconception(
            each(first_swapped),
            "axes counted from the front fit one number of batch axes only; count from the end.",
        ),
        Misconception(
            each(without_batch),
            "axes counted from the front fit one number of batch axes only; count from the end.",
        ),
        *(
            Misconception(
                known, "this holds for one batch axis only: x.shape[:-1] keeps any number."
            )
            for known in (for_one_batch_axis, for_three_axes)
        ),
        Misconception(
            by_head,
            "this reads query, key and value of head 0, then of head 1; here all queries come "
            "first, then all keys, then all values.",
        ),
        Misconception(
            by_feature,
            "every third number went to the queries; here all queries come first, then all keys.",
        ),
        Misconception(
            three_behind_the_batch,
            "the axis of 3 stands behind the batch; it comes first, so that `q, k, v = …` works.",
        ),
        Misconception(
            reshaped_to_the_front,
            "with a batch, reshape does not bring the axis of 3 to the front, it mixes the "
            "sequences: move it with movedim.",
        ),
        *(
            Misconception(
                in_order([1, *rest]), "keys came out first: the order is queries, keys, values."
            )
            for rest in ([0, 2], [2, 0])
        ),
        *(
            Misconception(
                in_order([2, *rest]), "values came out first: the order is queries, keys, values."
            )
            for rest in ([1, 0], [0, 1])
        ),
        Misconception(in_order([0, 2, 1]), "keys and values changed places: the order is q, k, v."),
        Misconception(
            lambda x, n_heads: solutions.split_joint(x, n_heads).swapaxes(-1, -2),
            "each head is transposed: positions are its rows, features its columns.",
        ),
        Misconception(
            lambda x, n_heads: solutions.split_joint(x, n_heads).flip(-3),
            "the heads are in reverse order: head 0 has the first piece.",
        ),
        Misconception(
            lambda x, n_heads: solutions.split_joint(x.detach(), n_heads),
            "no gradient reaches x: autograd has no record of how the result was made of it, and "
            "the projection would never learn.",
        ),
        Misconception(
            lambda x, n_heads: solutions.split_joint(x.float(), n_heads),
            "the result is float32 whatever came in: no number needs another dtype here.",
        ),
        Misconception(
            lambda x, n_heads: solutions.split_joint(x.double(), n_heads),
            "the result is float64 whatever came in: no number needs another dtype here.",
        ),
        Misconception(
            lambda x, n_heads: solutions.split_joint(x, 2),
            "the number of heads is an argument; this always makes two.",
        ),
    ),
    notice=(
        "q, k and v have the same shape, so no shape tells them apart: whoever saves such a joint "
        "matrix has to say its order."
    ),
    cases=(
        case(x=_numbered(2, 6), n_heads=2),
        case(x=_numbered(1, 3), n_heads=1),
        case(x=_numbered(3, 6), n_heads=1),
        case(x=_numbered(2, 12), n_heads=2),
        case(x=_numbered(3, 18), n_heads=3),
        case(x=_numbered(1, 3, 12), n_heads=2),
        case(x=_random(2, 5, 24), n_heads=4),
        case(x=_random(2, 2, 2, 12), n_heads=2),
        case(x=_random(3, 3, 3, 27), n_heads=3),
        case(x=_random(4, 1, 3, 5, 18), n_heads=3),
        stress(x=_random(2, 3, 12, dtype=np.float32), n_heads=2),
        stress(x=_numbered(2, 3, 12, dtype=np.float16), n_heads=2),
        stress(x=np.array([[np.nan, np.inf, 1.0, 2.0, -np.inf, 3.0]] * 2), n_heads=2),
    ),
)
