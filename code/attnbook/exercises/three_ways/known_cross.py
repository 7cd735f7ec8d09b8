"""The mistakes that the check of cross-attention recognises, each with its sentence."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.families import weights
from attnbook.exercises.three_ways import within
from attnbook.exercises.three_ways import wrong_cross as wrong

_ONE_BATCH_AXIS = (
    "padding_mask takes one length per sentence, along one batch axis: for none or several, "
    "compare np.arange with valid_lens[..., None, None]."
)
_COLUMNS = "the mask has a column for each query here; it has one for each key, a source word."
_WORDS_WIDTH = (
    "the scale comes from the width of the words; the width of the queries and keys, after the "
    "projection, counts."
)
_NAN = (
    "a padded value still counts when it is NaN or infinite, as 0 · NaN is NaN: give the mask to "
    "weighted_sum too, which leaves it out."
)


def _words(encoder):
    return encoder.shape[-2]


def _inside(mix=None, **parts):
    return wrong.with_attention(within.attention(mix=mix, **parts))


_EXCHANGED = (
    "you have exchanged the sides: the decoder asks, so it gives q; the encoder answers, so it "
    "gives k and v."
)
_DECODER_ONLY = "this is self-attention of the decoder: keys and values come from the encoder."
_ENCODER_ONLY = "this is self-attention of the encoder: the queries come from the decoder."

KNOWN = (
    *(
        Misconception(known, sentence)
        for sources, sentence in (
            ((1, 0, 0), _EXCHANGED),
            ((1, 0, 1), _EXCHANGED),
            ((0, 0, 0), _DECODER_ONLY),
            ((1, 1, 1), _ENCODER_ONLY),
        )
        for known in (
            wrong.version(sources),
            wrong.version(sources, mask=wrong.unmasked),
            wrong.with_mask_of_encoder(lambda encoder: encoder.shape[-2], sources),
        )
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
        wrong.version(order=(2, 1, 0)),
        "w_q and w_v are exchanged: each belongs to the vector in its name.",
    ),
    Misconception(
        wrong.version(order=(0, 1, 1)),
        "the values are the keys here: they have a matrix of their own, w_v.",
    ),
    Misconception(
        wrong.version(order=(None, None, None)),
        "the matrices are not used: q, k and v are the words times w_q, w_k and w_v.",
    ),
    Misconception(
        wrong.version(order=(0, 1, None)),
        "the values are the encoder's vectors themselves: multiply them by w_v.",
    ),
    Misconception(
        wrong.version(order=(0, None, 2)),
        "the keys are the encoder's vectors themselves: multiply them by w_k.",
    ),
    Misconception(
        wrong.version(order=(None, 1, 2)),
        "the queries are the decoder's vectors themselves: multiply them by w_q.",
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
        wrong.version(mask=wrong.causal_only),
        "a causal mask alone: nothing is causal here, and the padding is not hidden.",
    ),
    Misconception(
        wrong.version(mask=wrong.padding_in_front),
        "the padding is taken to come first: here the real words do.",
    ),
    *(
        Misconception(
            wrong.version(mask=mask),
            "a sentence of length 0 sees padding here; its rows should be zeros.",
        )
        for mask in (wrong.all_if_empty, wrong.one_if_empty)
    ),
    Misconception(wrong.version(mask=wrong.as_many_as_queries), _COLUMNS),
    Misconception(wrong.version(mask=wrong.package_for_queries), _COLUMNS),
    *(
        Misconception(
            wrong.with_mask_of_encoder(count),
            "this takes the number of source words from the wrong axis: it is "
            "encoder.shape[-2], the last axis but one.",
        )
        for count in (len, lambda encoder: encoder.shape[1], lambda encoder: encoder.shape[-1])
    ),
    Misconception(
        wrong.version(mask=wrong.up_to_the_last),
        "0 - 1 is 255 in uint8: compare with the length itself, j < L.",
    ),
    Misconception(
        wrong.version(mask=lambda lens, n_q, n_k: wrong.real_keys(lens.astype(np.int8), n_q, n_k)),
        "the lengths are turned into int8, which ends at 127: keep their dtype.",
    ),
    *(Misconception(_inside(weigh=w), sentence) for w, sentence in weights.KNOWN),
    *(Misconception(wrong.with_attention(known), sentence) for known, sentence in within.SHARED),
    Misconception(
        wrong.version(mask=wrong.longest),
        "one length is used for all sentences: each has its own.",
    ),
    *(
        Misconception(
            wrong.version(mask=mask),
            "the lengths have too few axes: give them two new ones at the end, for the queries "
            "and for the keys.",
        )
        for mask in wrong.WITH_THE_QUERIES
    ),
    *(Misconception(wrong.version(mask=mask), _ONE_BATCH_AXIS) for mask in wrong.FROM_THE_PACKAGE),
    Misconception(
        wrong.in_a_loop,
        "this loops over one batch axis: there may be none, or several.",
    ),
    Misconception(
        wrong.version(mask=wrong.for_each_sentence),
        "this holds for one batch axis only: `...` stands for any number of axes.",
    ),
    Misconception(
        wrong.version(scale=lambda decoder, encoder: decoder.shape[-1] ** -0.5),
        _WORDS_WIDTH,
    ),
    Misconception(
        wrong.version(scale=lambda decoder, encoder: encoder.shape[-1] ** -0.5),
        _WORDS_WIDTH,
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
    Misconception(_inside(weigh=within.filled_with(-1e9)), weights.FILL),
    Misconception(_inside(within.plain_product, weigh=within.filled_with(-1e9)), weights.FILL),
    Misconception(_inside(weigh=within.filled_with_the_lowest), weights.FILL),
    Misconception(_inside(weigh=within.filled_with(0)), weights.ZERO),
    Misconception(_inside(within.plain_product, weigh=within.filled_with(0)), weights.ZERO),
    Misconception(
        _inside(within.plain_product, weigh=within.unshifted),
        "the exponentials of large scores overflow: subtract the largest score of a row, or "
        "import softmax.",
    ),
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
    Misconception(_inside(within.plain_product), _NAN),
    Misconception(_inside(within.plain_product, weigh=within.nan_mended), _NAN),
    Misconception(
        wrong.zeroed_words,
        "padded words are set to 0, but a score of 0 is a score: hide them with a mask.",
    ),
    *(
        Misconception(
            mended,
            "NaN among the real words is a fault that has to show; only the padding's has no "
            "influence.",
        )
        for mended in (
            wrong.mended(decoder=np.nan_to_num),
            wrong.mended(encoder=np.nan_to_num),
            wrong.mended(decoder=np.nan_to_num, encoder=np.nan_to_num),
            wrong.mended(after=np.nan_to_num),
            _inside(weigh=within.nan_mended),
            _inside(within.finite_product),
            _inside(within.mended_product),
        )
    ),
)
