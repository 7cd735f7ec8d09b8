"""Cross-attention · medium · 12 min

Hints
1. Three products come first: one with the target's vectors, two with the source's.
2. The mask compares np.arange(n_k) with the lengths, which need two new axes at the end:
   valid_lens[..., None, None].
3. scaled_dot_product_attention(q, k, v, mask=mask) does the rest.

Why
The target gives the queries, the source the keys and the values. The lengths are the source's,
so they hide keys; two axes of length 1 let them meet the queries and the keys. Nothing is causal:
the whole source is known before the first word is written.

Notice
With target and source the same array this is bidirectional self-attention: what makes it cross is
who calls it.
"""

import numpy as np

from attnbook.exercises.engine import case, stress, write
from attnbook.exercises.families import attention
from attnbook.masks import causal_mask, padding_mask
from attnbook.reference import scaled_dot_product_attention


def cross_attention(target, source, w_q, w_k, w_v, valid_lens):
    """The target asks; the first `valid_lens` positions of the source answer."""
    q, k, v = target @ w_q, source @ w_k, source @ w_v
    mask = np.arange(k.shape[-2]) < valid_lens[..., None, None]
    return scaled_dot_product_attention(q, k, v, mask=mask)


def unmasked(target, source, w_q, w_k, w_v, valid_lens):
    q, k, v = target @ w_q, source @ w_k, source @ w_v
    return scaled_dot_product_attention(q, k, v)


def counted_in_source(target, source, w_q, w_k, w_v, valid_lens):
    q, k, v = target @ w_q, source @ w_k, source @ w_v
    mask = np.arange(source.shape[-2]) < valid_lens[..., None, None]
    return scaled_dot_product_attention(q, k, v, mask=mask)


def of_real_words(target, source, w_q, w_k, w_v, valid_len):
    words = source[:valid_len]
    return scaled_dot_product_attention(target @ w_q, words @ w_k, words @ w_v)


def in_a_loop(target, source, w_q, w_k, w_v, valid_lens, one=of_real_words):
    sentences = zip(target, source, valid_lens, strict=True)
    return np.stack([one(y, x, w_q, w_k, w_v, n) for y, x, n in sentences])


def by_sentence(*arguments):
    """Sentence by sentence, of the real words alone, without a mask."""
    several = np.ndim(arguments[-1]) > 0
    return in_a_loop(*arguments, one=by_sentence) if several else of_real_words(*arguments)


def zeroed_words(target, source, w_q, w_k, w_v, valid_lens):
    """Padded words become zeros: their scores are 0, and 0 is a score."""
    real = np.arange(source.shape[-2])[:, None] < valid_lens[..., None, None]
    return unmasked(target, np.where(real, source, 0), w_q, w_k, w_v, valid_lens)


def with_attention(attention):
    """Cross-attention with a wrong attention inside."""

    def cross_attention(target, source, w_q, w_k, w_v, valid_lens):
        q, k, v = target @ w_q, source @ w_k, source @ w_v
        return attention(q, k, v, np.arange(k.shape[-2]) < valid_lens[..., None, None])

    return cross_attention


rng = np.random.default_rng(6)
TARGET = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
SOURCE = np.array([[1.0, 0.0], [0.0, 2.0]])
TURN, DOUBLE, MIX = np.array([[0.0, 1.0], [1.0, 0.0]]), 2 * np.eye(2), np.eye(2, 3) + 1


def named(*arrays):
    names = "target", "source", "w_q", "w_k", "w_v", "valid_lens"
    return dict(zip(names, map(np.asarray, arrays), strict=True))


def tiny(valid_lens, source=SOURCE, target=TARGET, w_v=MIX):
    return named(target, source, TURN, DOUBLE, w_v, valid_lens)


def one_feature(asked, words, valid_lens):
    return named([[float(asked)]], np.array([words], float).T, *[np.eye(1)] * 3, valid_lens)


def normal(n_q, n_k, d_y, d_x, d_k, d_v, lens, dtype=np.float64):
    batch = np.shape(lens)
    sizes = (*batch, n_q, d_y), (*batch, n_k, d_x), (d_y, d_k), (d_x, d_k), (d_x, d_v)
    return named(*(rng.standard_normal(size).astype(dtype) for size in sizes), lens)


def integers(dtype, factor=1):
    """Two equal keys: weights of one half, whatever the precision inside."""
    source = np.array([[[1, 2], [1, 2], [3, 1]]])
    arrays = tiny([2], source, factor * TARGET[None])
    return {n: a if n == "valid_lens" else a.astype(dtype) for n, a in arrays.items()}


def rubbish(number, valid_lens=2):
    """Padding of any numbers."""
    source = np.array([[[1.0, 0.0], [0.0, 2.0], [number, number]]])
    return tiny([valid_lens], source, TARGET[None])


CASES = (
    case(**tiny(1), gives=np.array([[2.0, 1.0, 1.0]] * 3)),
    case(**tiny(2)),
    case(**tiny(0), gives=np.zeros((3, 3))),
    case(**tiny(1, target=TARGET[:2])),
    case(**tiny(1, target=TARGET[:1])),
    case(**normal(3, 3, 4, 4, 4, 4, [2, 3, 1])),
    case(**normal(3, 5, 2, 2, 2, 2, [2, 5])),
    case(**normal(2, 4, 3, 5, 6, 7, [4, 1, 3])),
    case(**normal(4, 2, 5, 3, 2, 6, [[2, 1, 0], [1, 2, 2]])),
    case(**normal(3, 4, 2, 3, 5, 1, [[[3], [4]]])),
    case(**normal(3, 6, 4, 4, 2, 3, 4)),
    case(**normal(5, 4, 3, 2, 4, 3, [3, 2], np.float32)),
    stress(**normal(1, 200, 2, 2, 2, 2, [150, 3])),
    stress(**rubbish(np.nan)),
    stress(**rubbish(np.nan, valid_lens=0)),
    stress(**rubbish(-np.inf)),
    stress(**rubbish(1e300)),
    stress(**rubbish(1e300) | {"w_k": 1e300 * DOUBLE}),  # a hidden key is infinite, its value not
    stress(**tiny(1, np.array([[np.nan, 1.0], [0.0, 2.0]]))),
    stress(**tiny(1, target=np.array([[1.0, np.nan], [0.0, 1.0]]))),
    stress(**tiny(2, w_v=np.array([[np.nan, 1.0], [0.0, 2.0]]))),
    *(stress(**integers(dtype)) for dtype in (np.float32, np.float16, np.int64)),
    stress(**integers(np.int64, 10**4)),
    stress(**integers(np.float64, 1e8)),
    stress(**tiny([1], 1e4 * SOURCE[None], TARGET[None])),
    stress(**one_feature(1, [1, -np.inf], 2)),  # an infinity of weight 0
    stress(**one_feature(np.finfo(np.float64).min, [1, 0.5], 1)),  # a visible score is the lowest
    stress(**normal(2, 3, 2, 2, 2, 2, [2, 0]) | {"valid_lens": np.array([2, 0], np.uint8)}),
    stress(**normal(2, 3, 2, 2, 2, 2, [1, 3]) | {"valid_lens": np.array([1, 3], np.int32)}),
)

MISTAKES = """
you have exchanged the sides: the target asks, so it gives q; the source answers, so it gives k
and v.
    target @ w_q, source @ w_k, source @ w_v → source @ w_q, target @ w_k, target @ w_v
    target @ w_q, source @ w_k → source @ w_q, target @ w_k
the queries come from the target, and the keys and values both from the source: here a side gives
what belongs to the other.
    source @ ⇒ target @
    target @ → source @
    source @ w_v → target @ w_v
    source @ w_k → target @ w_k
two matrices are exchanged: each belongs to the vector in its name.
    target @ w_q, source @ w_k → target @ w_k, source @ w_q
    source @ w_k, source @ w_v → source @ w_v, source @ w_k
    target @ w_q, source @ w_k, source @ w_v → target @ w_v, source @ w_k, source @ w_q
a matrix is not used, or none is: q, k and v are the words times w_q, w_k and w_v.
    target @ w_q, source @ w_k, source @ w_v → target, source, source
    source @ w_v → source
    source @ w_k → source
    target @ w_q → target
the padding of the source is not hidden: valid_lens is never used.
    is unmasked
queries are hidden here: the lengths are the source's, and belong to the keys, the columns.
    np.arange(k.shape[-2]) → np.arange(q.shape[-2])[:, None]
    mask=mask → mask=mask & (np.arange(q.shape[-2])[:, None] < valid_lens[..., None, None])
a triangle hides the end of the source: nothing is causal here, for the source is known before the
target is written.
    mask=mask → mask=mask & causal_mask(q.shape[-2], k.shape[-2])
    mask=mask → mask=mask & np.tri(q.shape[-2], k.shape[-2], dtype=bool)
    mask=mask → mask=causal_mask(q.shape[-2], k.shape[-2])
the padding is taken to come first: here the real words do.
    np.arange(k.shape[-2]) < valid_lens → np.arange(-k.shape[-2], 0) >= -valid_lens.astype(int)
the mask has another number of columns: it has one for each key, a source word, k.shape[-2].
    np.arange(k.shape[-2]) → np.arange(q.shape[-2])
    np.arange(k.shape[-2]) < valid_lens[..., None, None] → padding_mask(valid_lens, q.shape[-2])
    np.arange(k.shape[-2]) → np.arange(len(source)) || np.arange(source.shape[1])
    np.arange(k.shape[-2]) → np.arange(source.shape[-1])
each sentence has its own length, and there may be no batch axis, or several: compare np.arange with
valid_lens[..., None, None], of which two axes are for the queries and the keys.
    < valid_lens[..., None, None] → < np.max(valid_lens)
    valid_lens[..., None, None] → valid_lens || valid_lens[:, None] || valid_lens[..., None]
    np.arange(k.shape[-2]) < valid_lens[..., None, None] → padding_mask(valid_lens, k.shape[-2])
    np.arange(k.shape[-2]) < valid_lens[..., None, None] → padding_mask(np.atleast_1d(valid_lens), k.shape[-2])
    np.arange(k.shape[-2]) < valid_lens[..., None, None] → padding_mask(valid_lens.reshape(-1), k.shape[-2])
    np.arange(k.shape[-2]) < valid_lens[..., None, None] → padding_mask(valid_lens, k.shape[-2]) if valid_lens.ndim else np.arange(k.shape[-2])[None] < valid_lens
    valid_lens[..., None, None] → valid_lens[:, None, None]
    is in_a_loop
the scale comes from the width of the words; the width of the queries and keys, after the
projection, counts.
    mask=mask → mask=mask, scale=target.shape[-1] ** -0.5
    mask=mask → mask=mask, scale=source.shape[-1] ** -0.5
padded words are set to 0, but a score of 0 is a score: hide them with a mask.
    is zeroed_words
NaN among the real words is a fault that has to show; only the padding's has no influence.
    = cross_attention(np.nan_to_num(target), source, w_q, w_k, w_v, valid_lens)
    = cross_attention(target, np.nan_to_num(source), w_q, w_k, w_v, valid_lens)
    = cross_attention(np.nan_to_num(target), np.nan_to_num(source), w_q, w_k, w_v, valid_lens)
"""

exercise = write(
    cross_attention,
    CASES,
    MISTAKES,
    drafts=(unmasked, counted_in_source),
    also=[(with_attention(inside), sentence) for inside, sentence in attention.KNOWN],
    oracle=by_sentence,
    exact_zeros=True,
)
