"""Shrunk after the write · medium · 8 min

Hints
1. The factor of the last step stands above and below the fraction line, and cancels. By what
   factors have the earlier values faded, in each version?
2. Before the second step's average the first value has faded by exp(g_1) in the right version, and
   by exp(g_0) in the wrong one.
3. Take two steps with different decays, and two different values.

Why
In the right version the average at the second step has the weights exp(g_1) and 1; in the wrong one
exp(g_1 + g_0) and exp(g_1), which is exp(g_0) and 1. They differ where g_1 and g_0 do, and the
averages where the values do too.

Notice
Normalised outputs forgive a common factor. The same mistake shows at once where nothing is divided.
"""

import numpy as np

from attnbook.exercises.engine import a_row, break_it


def late():
    """The first pair has faded by the second step's decay, not by the first's."""
    return np.array([0.0, 1.0]), np.array([0.0, -1.0])


def faded_average(v, g):
    """Every affinity is 1: the state is a sum of values and a sum of ones."""
    total, ones, out = 0.0, 0.0, []
    for v_i, g_i in zip(v, g, strict=True):
        total, ones = np.exp(g_i) * total + v_i, np.exp(g_i) * ones + 1
        out.append(total / ones)
    return np.array(out)


def faded_after_the_write(v, g):
    """The wrong version that the exercise shows."""
    total, ones, out = 0.0, 0.0, []
    for v_i, g_i in zip(v, g, strict=True):
        total, ones = np.exp(g_i) * (total + v_i), np.exp(g_i) * (ones + 1)
        out.append(total / ones)
    return np.array(out)


def are_values_and_decays(v, g):
    if refusal := a_row(1, 10, -100, 100, v=v) or a_row(1, 10, -100, 0, g=g):
        return refusal
    if len(v) != len(g):
        return f"v has {len(v)} numbers and g {len(g)}; the check wants as many of both."
    return None


MISTAKES = """
at the first step the average is the value itself, whatever fades: take two steps.
    [5.0], [-1.0]
    if len(v) == 1
with one constant decay both versions fade alike, one step late or not: let it change.
    [1.0, 2.0, 4.0], [-0.5, -0.5, -0.5]
    if np.ptp(g) == 0
all values are equal, and so is every average of them: take different values.
    [3.0, 3.0, 3.0], [-1.0, 0.0, -2.0]
    if np.ptp(v) == 0
the decays differ, but where they do it doesn't show, because the values there are the same or have
faded almost to nothing. Let the first two steps differ a little, in value and in decay.
    [1.0, 2.0], [-50.0, -100.0]
    if True
"""

exercise = break_it(
    late,
    MISTAKES,
    broken=faded_after_the_write,
    right=faded_average,
    allowed=are_values_and_decays,
    stated=([0, 0.7311], [0, 0.5]),
)
