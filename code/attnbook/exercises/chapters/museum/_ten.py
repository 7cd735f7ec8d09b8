"""The ten exhibits of the museum, as the weights of four queries; the right and a faint leak."""

from dataclasses import dataclass

import numpy as np

from attnbook.masks import causal_mask
from attnbook.reference import softmax

SCORES = np.array([[1.0, 0, 2, 1], [2, 1, 0, 3], [0, 1, 2, 1], [1, 3, 0, 2]])
CAUSAL = causal_mask(4, 4)
LEFT = CAUSAL & np.array([False, True, True, True])  # key 0 is padding: query 0 sees nothing
STRICT = np.tri(4, k=-1, dtype=bool)
REAL = np.array([True, True, True, False])  # the last word is padding


def _filled(mask, fill, scores=SCORES):
    scores = np.where(mask, scores, fill)
    exp = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return exp / np.sum(exp, axis=-1, keepdims=True)


def _half():
    with np.errstate(over="ignore"):
        return _filled(LEFT, np.float16(-1e9))


WEIGHTS = {
    "right": lambda: softmax(SCORES, CAUSAL),
    "exhibit 1": lambda: _filled(CAUSAL, -1e4, SCORES - 15000),
    "exhibit 2": _half,
    "exhibit 3": lambda: softmax(SCORES + np.where(LEFT, 0, np.finfo(np.float64).min)),
    "exhibit 4": lambda: _filled(LEFT, -np.inf),
    "exhibit 5": lambda: softmax(SCORES, ~CAUSAL),
    "exhibit 6": lambda: softmax(SCORES) * CAUSAL,
    "exhibit 7": lambda: softmax(SCORES, np.where(CAUSAL, 0, -1e9).astype(bool)),
    "exhibit 8": lambda: _filled(STRICT, -np.inf),
    "exhibit 9": lambda: softmax(SCORES, CAUSAL & (SCORES != 0)),
    "exhibit 10": lambda: _filled(CAUSAL & REAL[:, None], -1e4),
    "faint": lambda: softmax(SCORES + np.where(CAUSAL, 0, -15)),  # the future gets about 1e-7
}


@dataclass(frozen=True)
class Attend:
    """Attention with the weights of one exhibit: a function from values to outputs."""

    weights: str

    def __call__(self, v):
        with np.errstate(invalid="ignore"):
            return WEIGHTS[self.weights]() @ v
