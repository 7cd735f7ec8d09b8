"""Cross-attention from two sentences, three matrices and the source's lengths."""

import numpy as np

from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import three_ways as solutions
from attnbook.exercises.three_ways.known_cross import KNOWN

_rng = np.random.default_rng(6)
_DECODER = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
_ENCODER = np.array([[1.0, 0.0], [0.0, 2.0]])
_TURN, _DOUBLE, _MIX = np.array([[0.0, 1.0], [1.0, 0.0]]), 2 * np.eye(2), np.eye(2, 3) + 1


def _tiny(valid_lens, encoder=_ENCODER):
    return {
        "decoder": _DECODER,
        "encoder": encoder,
        "w_q": _TURN,
        "w_k": _DOUBLE,
        "w_v": _MIX,
        "valid_lens": np.array(valid_lens),
    }


def _random(n_q, n_k, d_y, d_x, d_k, d_v, lens, dtype=np.float64):
    lens = np.array(lens)
    sizes = {
        "decoder": (*lens.shape, n_q, d_y),
        "encoder": (*lens.shape, n_k, d_x),
        "w_q": (d_y, d_k),
        "w_k": (d_x, d_k),
        "w_v": (d_x, d_v),
    }
    arrays = {name: _rng.standard_normal(size).astype(dtype) for name, size in sizes.items()}
    return arrays | {"valid_lens": lens}


def _integers(dtype, factor=1):
    """Two equal keys: weights of one half, whatever the precision inside."""
    encoder = np.array([[[1, 2], [1, 2], [3, 1]]])
    matrices = {"w_q": _TURN, "w_k": _DOUBLE, "w_v": _MIX}
    arrays = {"decoder": factor * _DECODER[None], "encoder": encoder} | matrices
    return {n: a.astype(dtype) for n, a in arrays.items()} | {"valid_lens": np.array([2])}


def _rubbish(number):
    encoder = np.array([[[1.0, 0.0], [0.0, 2.0], [number, number]]])
    return _tiny([2], encoder) | {"decoder": _DECODER[None]}


cross_attention = Write(
    name="three_ways.cross_attention",
    title="Cross-attention",
    level="medium",
    minutes=12,
    solution_of=solutions.cross_attention,
    exact_zeros=True,
    explanation=(
        "The decoder gives the queries, the encoder the keys and the values. The lengths are the "
        "encoder's, so they hide keys; two axes of length 1 let them meet the queries and the "
        "keys. Nothing is causal: the whole source is known before the first word is written."
    ),
    hints=(
        "Three products come first: one with the decoder's vectors, two with the encoder's.",
        "The mask compares np.arange(n_k) with the lengths, which need two new axes at the end: "
        "valid_lens[..., None, None].",
        "scaled_dot_product_attention(q, k, v, mask=mask) does the rest.",
    ),
    misconceptions=KNOWN,
    notice=(
        "With decoder and encoder the same array this is bidirectional self-attention: what makes "
        "it cross is who calls it."
    ),
    cases=(
        case(**_tiny(1)),
        case(**_tiny(2)),
        case(**_tiny(0)),
        case(**_tiny(1) | {"decoder": _DECODER[:2]}),
        case(**_tiny(1) | {"decoder": _DECODER[:1]}),
        case(**_random(3, 3, 4, 4, 4, 4, [2, 3, 1])),
        case(**_random(3, 5, 2, 2, 2, 2, [2, 5])),
        case(**_random(2, 4, 3, 5, 6, 7, [4, 1, 3])),
        case(**_random(4, 2, 5, 3, 2, 6, [[2, 1, 0], [1, 2, 2]])),
        case(**_random(3, 4, 2, 3, 5, 1, [[[3], [4]]])),
        case(**_random(3, 6, 4, 4, 2, 3, 4)),
        case(**_random(5, 4, 3, 2, 4, 3, [3, 2], np.float32)),
        stress(**_random(1, 200, 2, 2, 2, 2, [150, 3])),
        stress(**_rubbish(np.nan)),
        stress(**_rubbish(np.nan) | {"valid_lens": np.array([0])}),
        stress(**_rubbish(-np.inf)),
        stress(**_rubbish(1e300)),
        stress(**_tiny(1, np.array([[np.nan, 1.0], [0.0, 2.0]]))),
        stress(**_tiny(1) | {"decoder": np.array([[1.0, np.nan], [0.0, 1.0]])}),
        stress(**_tiny(2) | {"w_v": np.array([[np.nan, 1.0], [0.0, 2.0]])}),
        stress(**_integers(np.float32)),
        stress(**_integers(np.float16)),
        stress(**_integers(np.int64)),
        stress(**_integers(np.int64, 10**4)),
        stress(**_integers(np.float64, 1e8)),
        stress(**_tiny([1]) | {"decoder": _DECODER[None], "encoder": 1e4 * _ENCODER[None]}),
        stress(**_random(2, 3, 2, 2, 2, 2, [2, 0]) | {"valid_lens": np.array([2, 0], np.uint8)}),
        stress(**_random(2, 3, 2, 2, 2, 2, [1, 3]) | {"valid_lens": np.array([1, 3], np.int32)}),
    ),
)
