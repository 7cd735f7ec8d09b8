"""Mend the NaN · medium · 6 min

Hints
1. The repair was written for one NaN: that of a row with nothing visible.
2. From which other scores can a NaN come? It must be visible.

Why
A NaN in a visible score says that something broke earlier. The definition passes it on.
`nan_to_num` cannot tell it from the NaN of an empty row and turns both into zeros, so the failure
goes unseen. A guard for the empty row alone leaves other NaNs alone.

Notice
Repair the cause and not the symptom: a guard for the empty row leaves every other NaN in sight.
"""

import numpy as np

from attnbook.exercises.engine import break_it
from attnbook.exercises.families.three_scores import hide_the_last, not_three


def mended():
    """Scores in which a visible one is NaN."""
    return np.array([np.nan, 1.0, 2.0])


def softmax_then_mend(scores):
    """Softmax with the last key hidden; whatever became NaN is replaced by 0."""
    visible = np.where([True, True, False], scores, -np.inf)
    exp = np.exp(visible - np.max(visible))
    return np.nan_to_num(exp / np.sum(exp))


MISTAKES = """
finite scores give no NaN here, and nan_to_num leaves the right weights alone.
    [0.0, 1.0, 1000.0]
    if np.all(np.isfinite(scores))
what is not finite here is hidden, and the -inf replaces it before it can spread.
    [1.0, 2.0, np.nan]
    if not np.isfinite(scores[2]) and np.all(np.isfinite(scores[:2]))
both visible scores are -inf: nothing is visible, zeros are right, and this is the row the repair
was written for.
    [-np.inf, -np.inf, 1.0]
    if np.all(scores[:2] == -np.inf)
a visible -inf beside a finite score has weight 0, in both versions, without a NaN.
    [-np.inf, 1.0, 2.0]
    if np.any(scores[:2] == -np.inf)
"""

exercise = break_it(
    mended,
    MISTAKES,
    broken=softmax_then_mend,
    right=hide_the_last,
    allowed=not_three,
    stated=([np.nan, np.nan, 0], [0, 0, 0]),
)
