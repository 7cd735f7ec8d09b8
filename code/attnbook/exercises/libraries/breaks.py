"""A triangle at the wrong corner, and a mask upside down that a test does not notice."""

import numpy as np
import torch
import torch.nn.functional as F

from attnbook import pytorch
from attnbook.exercises.engine.break_it import Break, Miss
from attnbook.exercises.engine.tensors import differentiated_if_floats
from attnbook.exercises.solutions import libraries as solutions
from attnbook.operation import describe


def causal(q, k, v):
    """The right version: the last query stands at the last key."""
    mask = pytorch.causal_mask(len(q), len(k))
    return pytorch.scaled_dot_product_attention(q, k, v, mask=mask)


def causal_by_option(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def converted(mask):
    """The right version: True = may look."""
    scores, values = torch.zeros(mask.shape), torch.tensor([[0.0], [4.0], [8.0], [12.0]])
    return pytorch.weighted_sum(pytorch.softmax(scores, mask), values)


def unconverted(mask):
    scores, values = torch.zeros(mask.shape), torch.tensor([[0.0], [4.0], [8.0], [12.0]])
    hidden = mask
    return pytorch.weighted_sum(pytorch.softmax(scores, ~hidden), values)


def _matrices(q, k, v):
    for name, x in {"q": q, "k": k, "v": v}.items():
        if not isinstance(x, np.ndarray) or x.ndim != 2 or x.dtype.kind not in "if" or not x.size:
            return f"{name} is {describe(x)}; expected rows of numbers, not empty."
        if not np.all(np.abs(x) <= 1e3):
            return f"{name} should hold numbers between -1000 and 1000."
    if q.shape[1] != k.shape[1]:
        return f"queries of width {q.shape[1]} meet keys of width {k.shape[1]}; they need one."
    if len(k) != len(v):
        return f"there are {len(k)} keys and {len(v)} values; each key needs one value."
    if len(q) == len(k):  # refused, as the two versions round large scores differently
        return "with as many queries as keys both corners are on one diagonal: take another number."
    return None


def _some_of_four(mask):
    if not isinstance(mask, np.ndarray) or mask.dtype != bool or mask.ndim != 2:
        return f"mask is {describe(mask)}; expected rows of four booleans."
    if mask.shape[1] != 4 or not len(mask):
        return f"the mask has the shape {mask.shape}; expected rows of four booleans."
    if not np.all(mask.any(axis=1) & ~mask.all(axis=1)):
        return "each row should show at least one key and hide at least one."
    return None


def _on_floats(function):
    """Integers are fine as an input, and tensors of integers are not."""
    return differentiated_if_floats(lambda *xs: function(*(x.double() for x in xs)))


def _values_tie(q, k, v):
    return np.ptp(v, axis=0).max() < 1e-9


OUTER, INNER = [True, False, False, True], [False, True, True, False]

two_corners = Break(
    name="libraries.two_corners",
    title="A triangle at the wrong corner",
    level="easy",
    minutes=6,
    solution_of=solutions.two_corners,
    wrong=causal_by_option,
    right=causal,
    through=_on_floats,
    allowed=_matrices,
    hints=(
        "At which corner is each triangle anchored? For which shapes are the corners the same?",
        "With more keys than queries, is_causal hides the newest keys from the last query.",
        "The outputs differ only if the keys that are seen, or not, have different values.",
    ),
    explanation=(
        "`is_causal` anchors at the top left: query 0 sees key 0 alone. Our mask anchors at the "
        "bottom right: the only query is the last, and sees both keys. The output is 0 for one "
        "and 1/2 for the other."
    ),
    misconceptions=(
        Miss(
            ([[1.0]], [[1.0], [2.0]], [[3.0], [3.0]]),
            lambda q, k, v: len(q) < len(k) and _values_tie(q, k, v),
            "all values are equal, and so is their average, whichever of them are seen.",
        ),
        Miss(
            ([[0.0], [0.0]], [[0.0]], [[0.0]]),
            lambda q, k, v: len(q) > len(k) and not np.any(v),
            "all values are 0, and a query that sees nothing gets 0 as well.",
        ),
        Miss(
            ([[1000.0]], [[1.0], [0.0]], [[3.0], [4.0]]),
            lambda q, k, v: len(q) < len(k),
            "the keys that only one version sees have next to no weight: bring the scores closer.",
        ),
    ),
    notice=(
        "With one query and many keys this is every step of decoding with a cache. A model tested "
        "on whole sequences passes, and fails when it writes."
    ),
)

polarity = Break(
    name="libraries.polarity",
    title="A test that misses the polarity",
    level="easy",
    minutes=5,
    solution_of=solutions.polarity,
    wrong=unconverted,
    right=converted,
    through=differentiated_if_floats,
    allowed=_some_of_four,
    hints=(
        "The scores are equal, so an output is the mean of the visible values.",
        "The wrong version gives the mean of the hidden ones. Which pairs of keys have the same "
        "mean as the other two?",
        "Show the first two keys.",
    ),
    explanation=(
        "The visible keys 0 and 1 have the mean 2, the hidden ones the mean 10. The mask of the "
        "test showed keys 0 and 3, with the mean 6, and hid keys 1 and 2, with the mean 6."
    ),
    misconceptions=(
        Miss(
            ([OUTER],),
            lambda mask: np.array_equal(mask, np.broadcast_to(OUTER, mask.shape)),
            "keys 0 and 3 have the mean 6, and so have the keys that the mask hides.",
        ),
        Miss(
            ([INNER],),
            lambda mask: np.array_equal(mask, np.broadcast_to(INNER, mask.shape)),
            "this is the mask of the test upside down: keys 1 and 2 have the mean 6 as well.",
        ),
        Miss(
            ([OUTER, INNER],),
            lambda mask: True,
            "each row is one of the two with the same mean; change one row.",
        ),
    ),
    notice=(
        "A test of a mask needs values of which no two sets have the same mean, or a causal mask: "
        "upside down it shows the future."
    ),
)
