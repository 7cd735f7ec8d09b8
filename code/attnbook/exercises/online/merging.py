"""Many blocks merged at once."""

import numpy as np

from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.online.wrong_merge import MISTAKES
from attnbook.exercises.solutions import online as solutions

_rng = np.random.default_rng(6)


def _blocks(n, *batch, n_q, d_v, dtype=np.float64, shift=0.0):
    return {
        "outs": _rng.standard_normal((n, *batch, n_q, d_v)).astype(dtype),
        "lses": (shift + 2 * _rng.standard_normal((n, *batch, n_q))).astype(dtype),
    }


def _with_empty(blocks, *places):
    for place in places:
        blocks["outs"][place], blocks["lses"][place] = 0, -np.inf
    return blocks


_TINY = {"outs": np.array([[[3.0]], [[8.0]]]), "lses": np.log([[4.0], [4.0]])}
_UNEVEN = {"outs": np.array([[[0.0]], [[4.0]], [[8.0]]]), "lses": np.log([[1.0], [3.0], [4.0]])}

merge_all = Write(
    name="online.merge_all",
    title="Merge many blocks at once",
    level="medium",
    minutes=12,
    solution_of=solutions.merge_all,
    results=("out", "lse"),
    explanation=(
        "The share of a block is $e^{L_b} / \\sum_c e^{L_c}$: the softmax of the $L_b$. So "
        "merging is attention itself, with one key for each block, the score $L_b$ and the "
        "value $O_b$; its log-sum-exp is the $L$ of all keys. Both functions have the guards."
    ),
    hints=(
        "What are the shares of two blocks, and which function of their L makes them?",
        "Shares of all blocks are a softmax over the blocks, and L is a log-sum-exp over them.",
        "Both functions work along the last axis: np.moveaxis(lses, 0, -1) puts the blocks there.",
        "To multiply the outputs, move the shares back, and give them one more axis.",
    ),
    misconceptions=MISTAKES,
    notice="Merging is attention over blocks: one key a block, with the score L.",
    cases=(
        case(**_TINY),
        case(**_UNEVEN),
        case(**_blocks(1, n_q=2, d_v=3)),
        case(**_blocks(4, n_q=2, d_v=3)),
        case(**_blocks(3, n_q=5, d_v=2)),
        case(**_blocks(3, 2, n_q=4, d_v=5)),
        case(**_blocks(5, 2, 3, n_q=2, d_v=4)),
        case(**_blocks(3, n_q=3, d_v=3)),
        stress(**_blocks(3, n_q=2, d_v=3, shift=1000.0)),
        stress(**_blocks(3, n_q=2, d_v=3, shift=-1000.0)),
        stress(outs=np.array([[[1.0]], [[2.0]]]), lses=np.array([[1000.0], [0.0]])),
        stress(outs=np.array([[[1.0]], [[2.0]]]), lses=np.array([[0.0], [1000.0]])),
        stress(outs=np.array([[[0.0]], [[2.0]]]), lses=np.array([[-np.inf], [-2e30]])),
        stress(**_with_empty(_blocks(3, n_q=2, d_v=3), 0)),
        stress(**_with_empty(_blocks(3, n_q=2, d_v=3), (1, 0), (2, 1))),
        stress(**_with_empty(_blocks(3, n_q=2, d_v=3), (0, 1), (1, 1), (2, 1))),
        stress(**_with_empty(_blocks(2, n_q=2, d_v=3), 0, 1)),
        stress(**_UNEVEN | {"outs": np.array([[[0.0]], [[np.nan]], [[8.0]]])}),
        stress(
            outs=np.array([[[1.0], [2.0]], [[3.0], [4.0]]]),
            lses=np.array([[1000.0, -1000.0], [1001.0, -1001.0]]),
        ),
        stress(**_blocks(3, n_q=2, d_v=3, dtype=np.float32)),
    ),
)
