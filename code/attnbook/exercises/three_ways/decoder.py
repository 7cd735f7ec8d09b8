"""The mask of a decoder's self-attention: no padding, no future."""

import numpy as np

from attnbook.exercises.exercise import Misconception
from attnbook.exercises.solutions import three_ways as solutions
from attnbook.exercises.write import Write, case, stress
from attnbook.masks import padding_mask


def _version(rule):
    """A mask from the query's number, the key's number and the length."""

    def mask(valid_lens, n):
        return rule(np.arange(n)[:, None], np.arange(n), valid_lens[..., None, None], n)

    return mask


def _without_queries(valid_lens, n):
    return (np.arange(n) < valid_lens[..., None]) & np.tri(n, dtype=bool)


def _for_one_axis(valid_lens, n):
    return (np.arange(n) < valid_lens[:, None, None]) & np.tri(n, dtype=bool)


def _from_the_package(valid_lens, n):
    return padding_mask(valid_lens, n) & np.tri(n, dtype=bool)


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
            _version(lambda i, j, lens, n: (j < lens) & (i >= 0)),
            "the future is visible: the mask hides padding only.",
        ),
        Misconception(
            _version(lambda i, j, lens, n: (j <= i) & (lens >= 0)),
            "padding is visible: a padded query sees padded keys, and valid_lens is not used.",
        ),
        Misconception(
            _version(lambda i, j, lens, n: (j < lens) | (j <= i)),
            "| shows a key that either mask allows; a key must be allowed by both: &.",
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
        Misconception(
            _without_queries,
            "the lengths meet the queries: give them two new axes, one for the queries and one for "
            "the keys.",
        ),
        Misconception(_for_one_axis, _ONE_AXIS),
        Misconception(_from_the_package, _ONE_AXIS),
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
    ),
)
