"""A mask for padding that comes first."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import masks as solutions


def _wrong(compare):
    return lambda valid_lens, n_k: compare(np.arange(n_k), valid_lens[..., None], n_k)


left_padding_mask = Write(
    name="masks.left_padding_mask",
    title="Padding on the left",
    level="easy",
    minutes=6,
    solution_of=solutions.left_padding_mask,
    explanation=(
        "The padding takes the first n_k − length keys, so the keys from there on are visible: "
        "those with j + length >= n_k. As a sum it also holds for lengths in uint8, which n_k may "
        "not fit. The lengths get a new last axis, of length 1, which meets the keys; `...` keeps "
        "all others."
    ),
    hints=(
        "With n_k keys and a length of 2, which is the first visible key?",
        "Key j is visible where j + length >= n_k; np.arange(n_k) holds every j.",
        "valid_lens[..., None] has the shape (..., n_q, 1), whatever stands at the dots.",
    ),
    misconceptions=(
        Misconception(
            _wrong(lambda j, lens, n_k: j < lens),
            "you show the first keys, which are the padding here: the valid keys come last.",
        ),
        Misconception(
            _wrong(lambda j, lens, n_k: j < n_k - lens),
            "the polarity is inverted: True = may look, and padding may not be looked at.",
        ),
        Misconception(
            _wrong(lambda j, lens, n_k: j > n_k - lens),
            "one key too few is visible: key n_k - length is the first valid one.",
        ),
        Misconception(
            _wrong(lambda j, lens, n_k: j >= n_k - lens - 1),
            "one padded key stays visible: the first valid key is n_k - length.",
        ),
        *(
            Misconception(
                own_dtype,
                "300 keys do not fit the lengths' uint8, which ends at 255: count in the integers "
                "of np.arange, as in j + length >= n_k.",
            )
            for own_dtype in (
                _wrong(lambda j, lens, n_k: j >= n_k - lens),
                _wrong(lambda j, lens, n_k: (j + lens).astype(lens.dtype) >= n_k),
                _wrong(lambda j, lens, n_k: j.astype(lens.dtype) + lens >= n_k),
                _wrong(lambda j, lens, n_k: j.astype(lens.dtype) >= n_k - lens),
            )
        ),
        Misconception(
            _wrong(lambda j, lens, n_k: j >= lens),
            "you hide the first `length` keys; the padding is the first n_k - length.",
        ),
        Misconception(
            _wrong(lambda j, lens, n_k: (j >= 0) & (lens >= 0)),
            "everything is visible, the padding too: valid_lens is not used.",
        ),
        Misconception(
            _wrong(lambda j, lens, n_k: (j >= n_k - lens.astype(int)).astype(float)),
            "these are the numbers 1.0 and 0.0; a mask is boolean, so that nobody can add it.",
        ),
        Misconception(
            _wrong(lambda j, lens, n_k: np.where(j >= n_k - lens.astype(int), 0.0, -np.inf)),
            "this is a bias, to be added to scores; a mask is boolean, True = may look.",
        ),
        Misconception(
            lambda valid_lens, n_k: np.arange(n_k)[:, None] >= n_k - valid_lens[..., None, :],
            "the mask is transposed: rows are queries, columns are keys.",
        ),
        *(
            Misconception(
                lambda valid_lens, n_k, turn=turn: turn(np.arange(n_k) < valid_lens[..., None]),
                "the queries are turned round as well as, or instead of, the keys, which are the "
                "last axis: [..., ::-1].",
            )
            for turn in (np.flip, np.flipud)
        ),
        Misconception(
            lambda valid_lens, n_k: np.arange(n_k) >= n_k - valid_lens,
            "key j meets the length of query j: give the lengths a new last axis for the keys.",
        ),
        Misconception(
            lambda valid_lens, n_k: np.arange(n_k) >= n_k - valid_lens[:, :, None],
            "this holds for two axes of lengths only: `...` stands for any number of axes.",
        ),
        Misconception(
            lambda valid_lens, n_k: np.arange(n_k) >= n_k - valid_lens[:, None],
            "this holds for one axis of lengths only: `...` stands for any number of axes.",
        ),
    ),
    notice="With left padding under a causal mask the first queries see nothing, as in exhibit 4.",
    cases=(
        case(valid_lens=np.array([1]), n_k=3),
        case(valid_lens=np.array([1, 3]), n_k=3),
        case(valid_lens=np.array([[1, 2]]), n_k=3),
        case(valid_lens=np.array([0]), n_k=1),
        case(valid_lens=np.array([[1, 3], [2, 4]]), n_k=4),
        case(valid_lens=np.array([[2], [0], [4]]), n_k=4),
        case(valid_lens=np.array([3, 0, 1]), n_k=3),
        case(valid_lens=np.array([[[0, 5, 2], [1, 4, 3]]]), n_k=5),
        case(valid_lens=np.arange(24).reshape(2, 3, 1, 4) % 7, n_k=6),
        stress(valid_lens=np.array([2, 1, 0], dtype=np.int32), n_k=2),
        stress(valid_lens=np.array([0, 2, 1], dtype=np.uint8), n_k=2),
        stress(valid_lens=np.array([200, 0, 255], dtype=np.uint8), n_k=300),
        stress(valid_lens=np.arange(42).reshape(7, 6) * 7, n_k=300),
    ),
)
