r"""A mistake that a test cannot see · medium · 6 min

Hints
1. Right is A ∘ (G_A - r), wrong is A ∘ G_A. When are they equal?
2. r is the average of G_A under the weights. When is it 0, though G_A is not?
3. Two keys of equal weight: which two gradients have the average 0?

Why
Both agree where the average r is 0. The weights ½, ½ and the gradients 1, −1 have it, and so has
every row whose output is at right angles to the gradient of the loss, because r is
$g \cdot \text{out}$. A random row has it almost never: test with random gradients, not with those
that are easy to write down.

Notice
An input with a zero in the right place hides what stands beside that zero.
"""

import numpy as np

from attnbook.exercises.engine import a_row, break_it
from attnbook.gradients import softmax_backward


def unseen():
    """The average of 1 and -1 under equal weights is 0, so that nothing is forgotten."""
    return np.array([1.0, -1.0]), np.array([0.5, 0.5])


def test_passes(grad_weights, weights):
    """Whether a test on this row lets a wrong backward pass of softmax through."""
    forgotten = weights * grad_weights  # the average is not subtracted
    return np.allclose(forgotten, softmax_backward(grad_weights[None], weights[None])[0])


def test_should_pass(grad_weights, weights):
    """It should not: something is forgotten."""
    return False


def are_gradients_and_weights(grad_weights, weights):
    gradients = a_row(1, 8, -1000, 1000, grad_weights=grad_weights)
    if refusal := gradients or a_row(1, 8, 0.01, 1, weights=weights):
        return refusal
    if grad_weights.size != weights.size:
        return f"{grad_weights.size} gradients meet {weights.size} weights; each key has both."
    if not np.isclose(weights.sum(), 1, rtol=0, atol=1e-9):
        return "the sum of all weights should be 1."
    if np.abs(grad_weights).max() < 0.1:
        return "the largest gradient should be 0.1 or more in size: 0 proves nothing."
    return None


MISTAKES = """
a single key has the weight 1 and r = G_A, so that the right gradient is 0 and the wrong one is not.
    [1.0], [1.0]
    if grad_weights.size == 1
equal gradients have their own value as average: the right gradient is 0, and the wrong one is not.
    [1.0, 1.0], [0.5, 0.5]
    if np.ptp(grad_weights) == 0
gradients of one sign have an average of that sign, which is forgotten: take two signs.
    [0.0, 1.0], [0.5, 0.5]
    if np.all(grad_weights >= 0) or np.all(grad_weights <= 0)
the plain mean is 0 here, and the average under the weights is not.
    [1.0, -1.0], [0.25, 0.75]
    if abs(np.mean(grad_weights)) < 1e-6
the average of the gradients under the weights is not 0, so the test sees that it is forgotten.
    [2.0, -1.0], [0.5, 0.5]
    if abs(np.sum(grad_weights * weights)) > 0
"""

exercise = break_it(
    unseen,
    MISTAKES,
    broken=test_passes,
    right=test_should_pass,
    allowed=are_gradients_and_weights,
    stated=(False, True),
)
