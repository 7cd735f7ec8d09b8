"""Cross-attention from two sentences, three matrices and the source's lengths."""

import numpy as np

from attnbook.exercises.dot_product import wrong_attention as within
from attnbook.exercises.exercise import Misconception
from attnbook.exercises.solutions import three_ways as solutions
from attnbook.exercises.three_ways import wrong_cross as wrong
from attnbook.exercises.write import Write, case, stress

_rng = np.random.default_rng(6)
_DECODER = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
_ENCODER = np.array([[1.0, 0.0], [0.0, 2.0]])
_TURN, _DOUBLE, _MIX = np.array([[0.0, 1.0], [1.0, 0.0]]), 2 * np.eye(2), np.eye(2, 3) + 1

_FILL = (
    "a finite fill is a score like any other: a sentence of length 0 gets the mean of its padding, "
    "not zeros."
)
_ONE_BATCH_AXIS = (
    "padding_mask takes one length per sentence, along one batch axis: for none or several, "
    "compare np.arange with valid_lens[..., None, None]."
)


def _inside(mix=within.weighted_sum, **parts):
    return wrong.with_attention(within.attention(mix=mix, **parts))


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
    misconceptions=(
        Misconception(
            wrong.version(sources=(1, 0, 0)),
            "you have exchanged the sides: the decoder asks, so it gives q; the encoder answers, "
            "so it gives k and v.",
        ),
        Misconception(
            wrong.version(sources=(0, 0, 0)),
            "this is self-attention of the decoder: keys and values come from the encoder.",
        ),
        Misconception(
            wrong.version(sources=(1, 1, 1)),
            "this is self-attention of the encoder: the queries come from the decoder.",
        ),
        Misconception(
            wrong.version(sources=(0, 1, 0)),
            "the values come from the decoder: a key and its value belong to one source word.",
        ),
        Misconception(
            wrong.version(sources=(0, 0, 1)),
            "the keys come from the decoder: a key and its value belong to one source word.",
        ),
        Misconception(
            wrong.version(order=(1, 0, 2)),
            "w_q and w_k are exchanged: each belongs to the vector in its name.",
        ),
        Misconception(
            wrong.version(order=(0, 2, 1)),
            "w_k and w_v are exchanged: each belongs to the vector in its name.",
        ),
        Misconception(
            wrong.not_projected,
            "the matrices are not used: q, k and v are the words times w_q, w_k and w_v.",
        ),
        Misconception(
            wrong.value_not_projected,
            "the values are the encoder's vectors themselves: multiply them by w_v.",
        ),
        Misconception(
            wrong.version(mask=wrong.unmasked),
            "the padding of the source is not hidden: valid_lens is never used.",
        ),
        Misconception(
            wrong.version(mask=wrong.inverted),
            "the padding is shown and the words are hidden: True means that a query may look.",
        ),
        Misconception(
            wrong.version(mask=wrong.one_too_many),
            "one padded position stays visible: the words of a length L are 0 … L - 1, so j < L.",
        ),
        Misconception(
            wrong.version(mask=wrong.one_too_few),
            "the last real word is hidden: the words of a length L are 0 … L - 1, so j < L.",
        ),
        Misconception(
            wrong.version(mask=wrong.in_rows),
            "the source's lengths hide queries here, which are target words: they belong to the "
            "keys, the columns.",
        ),
        Misconception(
            wrong.version(mask=wrong.rows_and_columns),
            "queries are hidden too: the lengths are the source's, and say nothing of the rows.",
        ),
        Misconception(
            wrong.version(mask=wrong.causal_too),
            "a causal mask hides the end of the source: the source is known before the target is "
            "written, and every query sees all of it.",
        ),
        Misconception(
            wrong.version(mask=wrong.top_left_too),
            "a triangle hides the end of the source: the source is known before the target is "
            "written, and every query sees all of it.",
        ),
        Misconception(
            wrong.version(mask=wrong.longest),
            "one length is used for all sentences: each has its own.",
        ),
        Misconception(
            wrong.version(mask=wrong.without_queries),
            "the lengths meet the queries: give them two new axes, one for the queries and one for "
            "the keys.",
        ),
        Misconception(wrong.version(mask=wrong.one_batch_axis), _ONE_BATCH_AXIS),
        Misconception(
            wrong.version(mask=wrong.for_each_sentence),
            "this holds for one batch axis only: `...` stands for any number of axes.",
        ),
        Misconception(
            wrong.version(scale=lambda decoder: decoder.shape[-1] ** -0.5),
            "the scale comes from the width of the words; the width of the queries and keys, after "
            "the projection, counts.",
        ),
        Misconception(
            _inside(scale=lambda q, k, v: 1.0),
            "the scale 1/√d_k is missing: the weights are too sharp.",
        ),
        Misconception(
            _inside(scale=lambda q, k, v: 1 / q.shape[-1]),
            "the scores are divided by d_k, not by √d_k: the weights are too even.",
        ),
        Misconception(
            _inside(scale=lambda q, k, v: v.shape[-1] ** -0.5),
            "the scale is 1/√d_v, from the values; only the width of the keys counts.",
        ),
        Misconception(_inside(weigh=within.filled_with(-1e9)), _FILL),
        Misconception(_inside(within.plain_product, weigh=within.filled_with(-1e9)), _FILL),
        Misconception(_inside(weigh=within.filled_with_the_lowest), _FILL),
        Misconception(
            _inside(weigh=within.nan_where_empty),
            "a sentence of length 0 gives NaN here, as 0/0 does; its rows should be zeros.",
        ),
        Misconception(
            _inside(weigh=within.zeroed_after),
            "padding is taken out after the softmax: what is left of a row no longer sums to 1.",
        ),
        Misconception(
            _inside(weigh=within.zeroed_and_divided),
            "the mask comes after the softmax: a padded score that is high, or NaN, leaves nothing "
            "to divide.",
        ),
        Misconception(
            _inside(within.plain_product),
            "a padded value still counts when it is NaN or infinite, as 0 · NaN is NaN: "
            "weighted_sum leaves it out.",
        ),
        Misconception(
            wrong.zeroed_words,
            "padded words are set to 0, but a score of 0 is a score: hide them with a mask.",
        ),
    ),
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
        stress(**_rubbish(np.nan)),
        stress(**_rubbish(-np.inf)),
        stress(**_rubbish(1e300)),
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
