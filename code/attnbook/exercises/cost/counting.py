"""What fused attention costs, for any sizes."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case
from attnbook.exercises.solutions import cost as solutions


def _wrong(*, two=2, wide=None, bytes_of=None, exps=None):
    """A version with other operations, exponentials or bytes."""

    def version(n_q, n_k, d_k, d_v, h, h_kv, itemsize):
        operations, taken, moved = solutions.cost(n_q, n_k, d_k, d_v, h, h_kv, itemsize)
        sizes = n_q, n_k, d_k, d_v, h, h_kv, itemsize
        operations = operations * two / 2 if wide is None else wide(*sizes)
        taken = taken if exps is None else exps(*sizes)
        return np.array([operations, taken, moved if bytes_of is None else bytes_of(*sizes)], float)

    return version


def _moved(n_q, n_k, d_k, d_v, h, h_kv, itemsize):
    return itemsize * (h * n_q + h_kv * n_k) * (d_k + d_v)


def _with_l(many):
    """A version whose L has other numbers."""

    def moved(*sizes):
        return _moved(*sizes) + 4 * many(*sizes)

    return _wrong(bytes_of=moved)


KNOWN = (
    (
        _with_l(lambda n_q, *_: n_q),
        "L has a number for each query of each head: h times as many.",
    ),
    (
        _with_l(lambda n_q, n_k, d_k, d_v, h, h_kv, s: h_kv * n_q),
        "L has a number for each query of each of the h query heads.",
    ),
    (
        _with_l(lambda n_q, n_k, d_k, d_v, h, h_kv, s: h * n_k),
        "L has one number for each query, not for each key.",
    ),
    (
        _wrong(exps=lambda n_q, n_k, d_k, d_v, h, h_kv, s: 2 * h * n_q * n_k),
        "an exponential counts once: the two operations are those of products.",
    ),
    (
        _wrong(
            bytes_of=lambda n_q, n_k, d_k, d_v, h, h_kv, s: (
                s * (2 * h * n_q * d_k + h_kv * n_k * (d_k + d_v)) + 4 * h * n_q
            )
        ),
        "O is as wide as the values, d_v.",
    ),
    (
        _wrong(
            bytes_of=lambda n_q, n_k, d_k, d_v, h, h_kv, s: (
                s * (h * n_q * (d_k + d_v) + 2 * h_kv * n_k * d_k) + 4 * h * n_q
            )
        ),
        "V is as wide as the values, d_v.",
    ),
    (
        _wrong(
            wide=lambda n_q, n_k, d_k, d_v, h, *_: (
                h * (n_q * n_k * (2 * d_k - 1) + n_q * d_v * (2 * n_k - 1))
            )
        ),
        "by the usual count every multiplication has an addition, the first of a sum too.",
    ),
    (_wrong(two=1), "a multiplication and an addition are two operations."),
    (
        _wrong(wide=lambda n_q, n_k, d_k, d_v, h, *_: 4 * h * n_q * n_k * d_k),
        "mixing is as wide as the values: 2 n_q n_k d_v, not d_k again.",
    ),
    (
        _wrong(wide=lambda n_q, n_k, d_k, d_v, h, *_: 2 * h * n_q * n_k * d_k),
        "mixing is missing: a second product, of weights and values.",
    ),
    (
        _wrong(wide=lambda n_q, n_k, d_k, d_v, h, h_kv, s: 2 * h_kv * n_q * n_k * (d_k + d_v)),
        "operations are those of every query head: shared keys spare bytes, and no products.",
    ),
    (
        _wrong(wide=lambda n_q, n_k, d_k, d_v, h, *_: 2 * n_q * n_k * (d_k + d_v)),
        "these are the operations of one head.",
    ),
    (
        _wrong(exps=lambda n_q, n_k, d_k, d_v, h, *_: h * n_q),
        "every score has an exponential: n_q n_k for each head, not one for each query.",
    ),
    (
        _wrong(wide=lambda n_q, n_k, d_k, d_v, h, *_: (2 * (d_k + d_v) + 5) * h * n_q * n_k),
        "the steps of softmax are no operations of products: leave them out.",
    ),
    (_with_l(lambda n_q, n_k, d_k, d_v, h, *_: 2 * h * n_q), "L is written, and read nowhere."),
    (
        _wrong(exps=lambda n_q, n_k, *_: n_q * n_k),
        "these are the exponentials of one head: each of the h heads has its own scores.",
    ),
    (
        _wrong(exps=lambda n_q, n_k, d_k, d_v, h, h_kv, s: h_kv * n_q * n_k),
        "exponentials are those of every query head: heads that share keys have scores each.",
    ),
    (
        _wrong(
            bytes_of=lambda n_q, n_k, d_k, d_v, h, h_kv, s: (
                _moved(n_q, n_k, d_k, d_v, h, h, s) + 4 * h * n_q
            )
        ),
        "K and V have h_kv heads, not h: they are read once for all heads that share them.",
    ),
    (
        _wrong(bytes_of=_moved),
        "L is missing from the bytes: one float32 for each query of each head.",
    ),
    (
        _wrong(
            bytes_of=lambda n_q, n_k, d_k, d_v, h, h_kv, s: (
                _moved(n_q, n_k, d_k, d_v, h, h_kv, s) + s * h * n_q
            )
        ),
        "L is float32, 4 bytes, whatever the itemsize of the others.",
    ),
    (
        _wrong(
            bytes_of=lambda n_q, n_k, d_k, d_v, h, h_kv, s: (
                _moved(n_q, n_k, d_k, d_v, h, h_kv, 1) + 4 * h * n_q
            )
        ),
        "Q, K, V and O are counted in numbers: each has itemsize bytes.",
    ),
    (
        _wrong(
            bytes_of=lambda n_q, n_k, d_k, d_v, h, h_kv, s: (
                _moved(n_q, n_k, d_k, d_v, h, h_kv, s) + 4 * h * n_q + 4 * s * h * n_q * n_k
            )
        ),
        "scores and weights stay on the chip: they are neither written nor read.",
    ),
    (
        _wrong(
            bytes_of=lambda n_q, n_k, d_k, d_v, h, h_kv, s: (
                s * (h * n_q * d_k + h_kv * n_k * (d_k + d_v)) + 4 * h * n_q
            )
        ),
        "O is missing from the bytes: it is written.",
    ),
    (
        _wrong(wide=lambda n_q, n_k, d_k, d_v, h, *_: (2 * (d_k + d_v) + 1) * h * n_q * n_k),
        "exponentials are counted apart, and not among the operations of products.",
    ),
    (_wrong(two=4), "two operations for each query, key and feature, and not four: two products."),
    (
        _with_l(lambda n_q, n_k, d_k, d_v, h, h_kv, s: s * h * n_q),
        "L has 4 bytes a number, and not 4 times itemsize.",
    ),
    (_with_l(lambda *_: 1), "L has a number for each query of each head, and not one in all."),
    (
        _wrong(
            bytes_of=lambda n_q, n_k, d_k, d_v, h, h_kv, s: (
                _moved(n_q, n_k, d_k, d_v, h, h_kv, 1) + h * n_q
            )
        ),
        "these are numbers: each of Q, K, V and O has itemsize bytes, each of L has 4.",
    ),
    (
        _wrong(
            bytes_of=lambda n_q, n_k, d_k, d_v, h, h_kv, s: (
                _moved(n_q, n_k, d_k, d_v, h, h_kv, 4) + 4 * h * n_q
            )
        ),
        "Q, K, V and O have itemsize bytes a number, and not always 4.",
    ),
    (
        _wrong(
            bytes_of=lambda n_q, n_k, d_k, d_v, h, h_kv, s: (
                s * (h_kv * n_q + h * n_k) * (d_k + d_v) + 4 * h * n_q
            )
        ),
        "the heads are exchanged: Q and O have h of them, K and V have h_kv.",
    ),
    (
        _wrong(
            bytes_of=lambda n_q, n_k, d_k, d_v, h, h_kv, s: (
                s * (h * n_q * (d_k + d_v) + 2 * h_kv * n_k * d_v) + 4 * h * n_q
            )
        ),
        "K is as wide as the queries, d_k.",
    ),
    (
        _wrong(
            bytes_of=lambda n_q, n_k, d_k, d_v, h, h_kv, s: (
                _moved(n_q, n_k, d_k, d_v, h, h_kv, s) + 4 * h * n_q + 2 * s * h * n_q * n_k
            )
        ),
        "the fused form writes neither scores nor weights: they stay on the chip.",
    ),
    (
        lambda n_q, n_k, d_k, d_v, *more: solutions.cost(n_q, n_k, d_k, d_k, *more),
        "V and O are as wide as the values, d_v, and so is the mixing.",
    ),
    (
        _wrong(
            bytes_of=lambda n_q, n_k, d_k, d_v, h, h_kv, s: (
                _moved(n_q, n_k, d_k, d_v, h, h_kv, s) + 4 * h * n_q - s * h_kv * n_k * d_v
            )
        ),
        "V is missing from the bytes.",
    ),
    (
        lambda n_q, n_k, d_k, d_v, h, h_kv, s: solutions.cost(n_q, n_k, d_k, d_v, 1, 1, s),
        "all of it is that of one head: there are h, and h_kv of keys and values.",
    ),
    (
        lambda *sizes: solutions.cost(*sizes) * [1, 1, 8],
        "these are bits: asked are bytes.",
    ),
)

cost = Write(
    name="cost.cost",
    title="What fused attention costs",
    level="medium",
    minutes=10,
    solution_of=solutions.cost,
    explanation=(
        "Every query head has $2 n_q n_k d_k$ operations for its scores, $2 n_q n_k d_v$ for the "
        "mixing, and $n_q n_k$ exponentials. $Q$ and $O$ have $h$ heads, $K$ and $V$ have "
        "$h_{kv}$; $L$ has 4 bytes for each query of each head."
    ),
    hints=(
        "Operations: 2 for each query, key and feature; features of keys, then of values.",
        "Bytes: which of Q, K, V and O has which number of positions, heads and features?",
        "L is one number for each query of each head, always of 4 bytes.",
    ),
    misconceptions=tuple(Misconception(*known) for known in KNOWN),
    notice="With n_q = 1 it counts a step of decoding: h/h_kv queries meet each key that is read.",
    cases=(
        case(n_q=1, n_k=1, d_k=1, d_v=1, h=1, h_kv=1, itemsize=4),
        case(n_q=2, n_k=3, d_k=4, d_v=5, h=1, h_kv=1, itemsize=4),
        case(n_q=3, n_k=2, d_k=5, d_v=4, h=1, h_kv=1, itemsize=8),
        case(n_q=2, n_k=3, d_k=4, d_v=5, h=6, h_kv=2, itemsize=2),
        case(n_q=1, n_k=7, d_k=2, d_v=3, h=4, h_kv=1, itemsize=2),
        case(n_q=4096, n_k=4096, d_k=128, d_v=128, h=32, h_kv=8, itemsize=2),
    ),
)
