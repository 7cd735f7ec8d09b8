"""The mask of a decoder's self-attention: no padding, no future."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import three_ways as solutions
from attnbook.masks import padding_mask


def _version(rule):
    """A mask from the query's number, the key's number and the length."""

    def mask(valid_lens, n):
        return rule(np.arange(n)[:, None], np.arange(n), valid_lens[..., None, None], n)

    return mask


_PADDING_ONLY = (
    _version(lambda i, j, lens, n: (j < lens) & (i >= 0)),
    _version(lambda i, j, lens, n: j < lens),
    padding_mask,
)
_CAUSAL_ONLY = (
    _version(lambda i, j, lens, n: (j <= i) & (lens >= 0)),
    _version(lambda i, j, lens, n: j <= i),
)
_EMPTY_ROWS_OPENED = (
    _version(lambda i, j, lens, n: ((j < lens) & (j <= i)) | (i == j)),
    _version(lambda i, j, lens, n: ((j < lens) & (j <= i)) | (lens == 0)),
    _version(lambda i, j, lens, n: ((j < lens) & (j <= i)) | (j == 0)),
    _version(lambda i, j, lens, n: ((j < lens) & (j <= i)) | (i >= lens)),
)


def _with_lengths(real):
    """The solution with another way to compare keys with lengths."""
    return lambda valid_lens, n: real(np.arange(n), valid_lens) & np.tri(n, dtype=bool)


_WITH_QUERIES = (
    _with_lengths(lambda keys, lens: keys < lens),
    _with_lengths(lambda keys, lens: keys < lens[:, None]),
    _with_lengths(lambda keys, lens: keys < lens[..., None]),
)
_FOR_ONE_AXIS = (
    _with_lengths(lambda keys, lens: keys < lens[:, None, None]),
    _with_lengths(lambda keys, lens: (keys < lens[:, None])[:, None]),
    _with_lengths(lambda keys, lens: padding_mask(lens, len(keys))),
    _with_lengths(lambda keys, lens: padding_mask(np.atleast_1d(lens), len(keys))),
    _with_lengths(lambda keys, lens: padding_mask(lens.reshape(-1), len(keys))),
)
_ONE_AXIS = (
    "this holds for one axis of lengths only: `...` stands for any number, none included, and "
    "valid_lens[..., None, None] keeps them all."
)

decoder_mask = Write(
    name="three_ways.decoder_mask",
    title="The mask of a decoder",
    level="easy",
    minutes=8,
    solution_of=solutions.decoder_mask,
    explanation=(
        "Two masks joined by &: the key is a real word, and it is not in the query's future. The "
        "lengths get two axes of length 1, for the queries and the keys; the causal mask serves "
        "every sentence. The rows of padded queries are left as they come: nobody reads them."
    ),
    hints=(
        "Write the two conditions on key j for query i of a sentence of length L.",
        "The causal mask has shape (n, n). In which shape do the lengths meet it?",
        "valid_lens[..., None, None] has the shape (..., 1, 1); compare np.arange(n) with it.",
    ),
    misconceptions=(
        Misconception(
            _version(lambda i, j, lens, n: (j < lens) & (j > i)),
            "only the future is visible: a query may look at its past and itself, j <= i.",
        ),
        Misconception(
            _version(lambda i, j, lens, n: ((j < lens) & (j <= i)).astype(int)),
            "these are the numbers 1 and 0; a mask is boolean, so that nobody can add it.",
        ),
        Misconception(
            _version(lambda i, j, lens, n: (j < lens) & (j == i)),
            "only the diagonal is visible: a query may look at its whole past too.",
        ),
        *(
            Misconception(known, "the future is visible: the mask hides padding only.")
            for known in _PADDING_ONLY
        ),
        *(
            Misconception(
                known,
                "padding is visible: a padded query sees padded keys, and valid_lens is not used.",
            )
            for known in _CAUSAL_ONLY
        ),
        Misconception(
            _version(lambda i, j, lens, n: (j < lens) | (j <= i)),
            "| shows a key that either mask allows; a key must be allowed by both: &.",
        ),
        *(
            Misconception(
                _version(either),
                "^ and == compare the two masks, and where both hide, or both show, they say the "
                "same; a key must be allowed by both: &.",
            )
            for either in (
                lambda i, j, lens, n: (j < lens) ^ (j <= i),
                lambda i, j, lens, n: (j < lens) == (j <= i),
            )
        ),
        Misconception(
            _version(lambda i, j, lens, n: (i < lens) & (j <= i)),
            "padded queries see nothing here: a length hides keys, which are columns, and the rows "
            "of padded queries are left as they come.",
        ),
        Misconception(
            _version(lambda i, j, lens, n: (j < lens) & (j < i)),
            "the diagonal is lost: a query may look at its own word.",
        ),
        Misconception(
            _version(lambda i, j, lens, n: (j < lens) & (j <= i + 1)),
            "every query sees one word of its future.",
        ),
        Misconception(
            _version(lambda i, j, lens, n: (j < lens) & (j >= i)),
            "the triangle is upside down: query 0 sees its future, and nobody the past.",
        ),
        Misconception(
            _version(lambda i, j, lens, n: (j <= lens) & (j <= i)),
            "one padded key stays visible: the words of a length L are 0 … L - 1, so j < L.",
        ),
        Misconception(
            _version(lambda i, j, lens, n: (j < lens - 1) & (j <= i)),
            "the last real word is hidden: the words of a length L are 0 … L - 1, so j < L.",
        ),
        Misconception(
            _version(lambda i, j, lens, n: (j >= lens) & (j <= i)),
            "the padding is shown and the words are hidden: True means that a query may look.",
        ),
        Misconception(
            _version(lambda i, j, lens, n: ~((j < lens) & (j <= i))),
            "the polarity is inverted: True means that a query may look.",
        ),
        Misconception(
            _version(lambda i, j, lens, n: (j <= i + lens - n) & (j < lens)),
            "the triangle is shifted by the padding: query i stands at key i, padded or not.",
        ),
        Misconception(
            _version(lambda i, j, lens, n: (j >= n - lens) & (j <= i)),
            "the padding is taken to come first: here the real words do.",
        ),
        Misconception(
            _version(lambda i, j, lens, n: np.swapaxes((j < lens) & (j <= i), -1, -2)),
            "the mask is transposed: rows are queries, columns are keys.",
        ),
        Misconception(
            _version(lambda i, j, lens, n: ((j < lens) & (j <= i)).astype(float)),
            "these are the numbers 1.0 and 0.0; a mask is boolean, so that nobody can add it.",
        ),
        Misconception(
            _version(lambda i, j, lens, n: np.where((j < lens) & (j <= i), 0.0, -np.inf)),
            "this is a bias, to be added to scores; a mask is boolean, True = may look.",
        ),
        *(
            Misconception(
                known,
                "more than the two rules is shown: a padded query, or one that sees no key, gets "
                "no key of its own.",
            )
            for known in _EMPTY_ROWS_OPENED
        ),
        Misconception(
            _version(lambda i, j, lens, n: (j <= lens - np.uint8(1)) & (j <= i)),
            "0 - 1 is 255 in uint8: compare with the length itself, j < L.",
        ),
        Misconception(
            _version(lambda i, j, lens, n: (j < np.max(lens, initial=0)) & (j <= i) & (lens >= 0)),
            "one length is used for all sentences: each has its own.",
        ),
        *(
            Misconception(
                known,
                "the lengths have too few axes: give them two new ones at the end, for the queries "
                "and for the keys.",
            )
            for known in _WITH_QUERIES
        ),
        *(Misconception(known, _ONE_AXIS) for known in _FOR_ONE_AXIS),
    ),
    notice=(
        "In the rows of real words the padding hides nothing that the triangle does not: with "
        "padding at the end, their past is real. With padding in front it would not be."
    ),
    cases=(
        case(valid_lens=np.array([2]), n=3),
        case(valid_lens=np.array([1, 3]), n=3),
        case(valid_lens=np.array(2), n=3),
        case(valid_lens=np.array([1]), n=1),
        case(valid_lens=np.array([0, 1]), n=2),
        case(valid_lens=np.array([4, 1, 3, 2]), n=4),
        case(valid_lens=np.array([2, 0, 5]), n=5),
        case(valid_lens=np.array([[1, 3], [4, 0], [2, 2]]), n=4),
        case(valid_lens=np.array([[[5, 0, 3]], [[2, 4, 1]]]), n=5),
        case(valid_lens=np.arange(3).reshape(3, 1), n=3),
        stress(valid_lens=np.array([2, 0, 3], dtype=np.int32), n=3),
        stress(valid_lens=np.array([0, 3, 2], dtype=np.uint8), n=3),
        stress(valid_lens=np.array([300, 0, 150]), n=300),
        stress(valid_lens=np.array([255, 0, 150], dtype=np.uint8), n=300),
    ),
)
