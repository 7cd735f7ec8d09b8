"""A narrow kernel against a lookup."""

import numpy as np

from attnbook.exercises.engine.break_it import Break, Miss
from attnbook.exercises.solutions import weighted_average as solutions
from attnbook.reference import softmax


def narrow_attention(query):
    """Gaussian attention of width 0.01 over the keys 1, 2, 3 with the values 0, 4, 8."""
    keys, values = np.array([1.0, 2.0, 3.0]), np.array([0.0, 4.0, 8.0])
    return softmax(-0.5 * ((query - keys) / 0.01) ** 2) @ values


def nearest_value(query):
    """The value of the nearest key."""
    keys, values = np.array([1.0, 2.0, 3.0]), np.array([0.0, 4.0, 8.0])
    return values[np.argmin(np.abs(query - keys))]


def _one_number(query):
    if not isinstance(query, (int, float)) or not abs(query) < np.inf:
        return "the query must be one finite number."
    if abs(query) > 1e6:
        return "so far out all keys are equally near after rounding: stay closer to them."
    return None


not_a_lookup = Break(
    name="weighted_average.not_a_lookup",
    title="Where a narrow kernel is not a lookup",
    level="medium",
    minutes=5,
    solution_of=solutions.not_a_lookup,
    wrong=nearest_value,
    right=narrow_attention,
    allowed=_one_number,
    explanation=(
        "At 2.5 the keys 2 and 3 are equally near, so each has weight 1/2 and attention returns 6, "
        "halfway between their values. A lookup has to choose one of them. However narrow the "
        "kernel is, attention stays continuous in the query; a lookup jumps."
    ),
    hints=(
        "Attention mixes the values of keys that match equally well. A lookup takes one.",
        "From which point are two keys equally near?",
    ),
    misconceptions=(
        Miss((2.0,), lambda q: q in (1, 2, 3), "at a key itself both return that key's value."),
        Miss(
            (10.0,),
            lambda q: not 1 <= q <= 3,
            "outside the keys one key is nearest by far, however far away it is.",
        ),
        Miss(
            (2.3,),
            lambda q: 1 <= q <= 3,
            "here one key is enough nearer than the others to have all the weight.",
        ),
    ),
    notice="Attention is smooth in the query: it has a gradient. A lookup jumps.",
)
