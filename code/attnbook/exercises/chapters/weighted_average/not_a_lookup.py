"""Where a narrow kernel is not a lookup · medium · 5 min

Hints
1. Attention mixes the values of keys that match equally well. A lookup takes one.
2. From which point are two keys equally near?

Why
At 2.5 the keys 2 and 3 are equally near, so each has weight 1/2 and attention returns 6, halfway
between their values. A lookup has to choose one of them. However narrow the kernel is, attention
stays continuous in the query; a lookup jumps.

Notice
Attention is smooth in the query: it has a gradient. A lookup jumps.
"""

import numpy as np

from attnbook.exercises.engine import break_it
from attnbook.reference import softmax


def not_a_lookup():
    """Halfway between two keys both match equally well."""
    return 2.5


def narrow_attention(query):
    """Gaussian attention of width 0.01 over the keys 1, 2, 3 with the values 0, 4, 8."""
    keys, values = np.array([1.0, 2.0, 3.0]), np.array([0.0, 4.0, 8.0])
    return softmax(-0.5 * ((query - keys) / 0.01) ** 2) @ values


def nearest_value(query):
    """The value of the nearest key."""
    keys, values = np.array([1.0, 2.0, 3.0]), np.array([0.0, 4.0, 8.0])
    return values[np.argmin(np.abs(query - keys))]


def with_one_number(version):
    """The version, which may also be given the number in a list."""
    return lambda query: version(np.asarray(query).item())


def differs_enough_or_not_at_all(query):
    number = isinstance(query, (int, float, np.ndarray)) and np.size(query) == 1
    if not number or np.asarray(query).dtype.kind not in "fiu" or not -10 <= query <= 10:
        return "the query must be one number from −10 to 10."
    gap = abs(with_one_number(narrow_attention)(query) - with_one_number(nearest_value)(query))
    if 0 < gap <= 0.01:
        return f"here the two differ by {gap:.3g}: find a query where it is more than 0.01."
    return None


MISTAKES = """
at a key itself both return that key's value.
    2.0
    if query in (1, 2, 3)
outside the keys the nearest one is nearer by 1, which is 100 widths: it has all the weight.
    10.0
    if not 1 <= query <= 3
here one key is enough nearer than the others to have all the weight.
    2.3
    if 1 <= query <= 3
"""

exercise = break_it(
    not_a_lookup,
    MISTAKES,
    broken=nearest_value,
    right=narrow_attention,
    allowed=differs_enough_or_not_at_all,
    through=with_one_number,
    stated=(6, 4),
)
