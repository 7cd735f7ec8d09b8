"""An ablation that forgets to renormalise · medium · 8 min

Hints
1. Without renormalisation the average moves by the weight times the size of the value.
2. With it, a key matters if its value is unlike the average of the others.
3. Let two keys with most of the weight have the same value, and a third one another.

Why
For the weights 0.45, 0.45 and 0.1 and the values 5, 5 and 9 the average is 5.4. Without the third
key it is 5, which is 0.4 less; without one of the others it is 5.73, which is 0.33 more. The
careless ablation finds 2.25, 2.25 and 0.9, and names the first.

Notice
It compares the average with one that is shrunk towards 0, and then it finds large values where it
looks for important ones.
"""

import numpy as np

from attnbook.exercises.engine import a_row, break_it


def not_renormalised():
    """Two heavy keys say the same, and a light one says something else."""
    return [0.45, 0.45, 0.1], [5.0, 5.0, 9.0]


def careless(weights, values):
    """The key whose weighted value is largest: its weight is zeroed, and that is all."""
    effects = [abs(weights[j] * values[j]) for j in range(3)]
    return int(np.argmax(np.round(effects, 9)))


def most_important(weights, values):
    """The key without which the average of the others is farthest; the first of several."""
    effects = []
    for j in range(3):
        rest = np.delete(weights, j)
        without = rest @ np.delete(values, j) / rest.sum()
        effects.append(abs(weights @ values - without))
    return int(np.argmax(np.round(effects, 9)))


ROUNDING = 3 * np.finfo(np.float32).eps  # of three weights that may come in float32


def are_weights_and_values(weights, values):
    refusal = a_row(3, 3, 0.01, 0.98, weights=weights) or a_row(3, 3, -100, 100, values=values)
    if refusal:
        return refusal
    if np.ptp(values) == 0:
        return f"all three values are {values[0]:g}; expected two that differ"
    if abs(sum(weights) - 1) >= ROUNDING:
        return f"weights sums to {sum(weights):g}; expected 1"
    return None


MISTAKES = """
this is the row of the test: both ablations name the first key.
    [0.6, 0.3, 0.1], [4.0, 0.0, 0.0]
    if list(weights) == [0.6, 0.3, 0.1] and list(values) == [4, 0, 0]
two keys with the same value can stand in for each other. Let both have much weight, about the
same, and let their value lie far from 0.
    [0.3, 0.3, 0.4], [5.0, 5.0, 9.0]
    if len(set(values)) == 2
the key whose weight times value is largest also moves the average the most: let keys with much
weight have values near the average.
    [0.2, 0.2, 0.6], [1.0, 2.0, 9.0]
    if True
"""

exercise = break_it(
    not_renormalised,
    MISTAKES,
    broken=careless,
    right=most_important,
    allowed=are_weights_and_values,
    stated=(2, 0),
)
