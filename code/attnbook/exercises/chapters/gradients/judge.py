r"""Project, step 1: a judge · hard · 20 min

Hints
1. Begin as `agrees` in the chapter does: draw $G_O$ of the shape of the output, call `backward` once,
   and make a loss of one array at a time.
2. In `forward(*arrays[:n], x, *arrays[n + 1 :])` array n has given way to x. With that as a loss,
   `slopes` finds the differences.
3. Measure how far the two are apart, at worst, and how large the differences are, at most. Ask for
   what a right gradient fulfils, not for what a wrong one does.
4. NumPy subtracts a matrix from a row without a word. What has to be asked before?

Why
The loss $\sum G_O\circ O$ weighs each output differently, so that none can stand in for another.
The differences know nothing of the backward pass but its results. What they are compared with must
have the shape of the array, and `<=` is False for NaN, so that a gradient passes only if every
entry is near.

Notice
You have a judge that knows no derivation. It can only judge the inputs that it is given.
"""

import functools

import numpy as np

from attnbook.exercises.chapters.gradients._passes import PASSES, judged
from attnbook.exercises.engine import Unfit, case, write


def slopes(loss, x, h=1e-5):
    """Central differences, as in the chapter."""
    grad = np.zeros_like(x)
    for at in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[at] = h
        grad[at] = (loss(x + step) - loss(x - step)) / (2 * h)
    return grad


def judge(forward, backward, *arrays):
    """For each array whether its gradient agrees with central differences."""
    arrays = [x.astype(float) for x in arrays]
    grad_out = np.random.default_rng(0).standard_normal(forward(*arrays).shape)
    verdicts = []
    for n, grad in enumerate(backward(grad_out, *arrays)):

        def loss(x, n=n):
            return np.sum(grad_out * forward(*arrays[:n], x, *arrays[n + 1 :]))

        wanted = slopes(loss, arrays[n])
        near = np.abs(grad - wanted) <= 1e-6 * np.max(np.abs(wanted))
        verdicts.append(grad.shape == wanted.shape and bool(np.all(near)))
    return tuple(verdicts)


def by_the_largest_of_all(forward, backward, *arrays):
    arrays = [x.astype(float) for x in arrays]
    grad_out = np.random.default_rng(0).standard_normal(forward(*arrays).shape)
    grads, wanted = backward(grad_out, *arrays), []
    for n, x in enumerate(arrays):

        def loss(x, n=n):
            return np.sum(grad_out * forward(*arrays[:n], x, *arrays[n + 1 :]))

        wanted.append(slopes(loss, x))
    most = 1e-6 * max(np.max(np.abs(each)) for each in wanted)
    pairs = zip(grads, wanted, strict=True)
    return tuple(a.shape == b.shape and bool(np.all(np.abs(a - b) <= most)) for a, b in pairs)


def are_verdicts(value, number):
    booleans = isinstance(value, tuple) and all(isinstance(x, bool | np.bool_) for x in value)
    return booleans and len(value) == number


def on_a_pass(function):
    """The judge on a pass by its name; a list or an array of verdicts counts as a tuple."""

    @functools.wraps(function)
    def on_trial(name):
        known = PASSES[name]
        verdicts = function(known.forward, known.backward, *(x.copy() for x in known.arrays))
        if isinstance(verdicts, list | np.ndarray) and np.ndim(verdicts) == 1:
            verdicts = tuple(verdicts)
        if are_verdicts(verdicts, len(known.right)) and (found := judged(known, verdicts)):
            raise Unfit(found)
        return verdicts

    return on_trial


CASES = tuple(case(name=name, gives=known.right) for name, known in PASSES.items())

MISTAKES = """
a gradient of NaN goes through: every comparison with NaN is False, also the one that finds it too
far away.
    near = np.abs(grad - wanted) <= 1e-6 * np.max(np.abs(wanted)) → near = ~(np.abs(grad - wanted) > 1e-6 * np.max(np.abs(wanted)))
    near = np.abs(grad - wanted) <= 1e-6 * np.max(np.abs(wanted)) → near = not np.any(np.abs(grad - wanted) > 1e-6 * np.max(np.abs(wanted)))
a gradient of another shape goes through: NumPy repeats its row against the differences.
    grad.shape == wanted.shape and →
a gradient of another shape goes through, with as many axes or as many entries: compare the shapes.
    grad.shape == wanted.shape and → grad.ndim == wanted.ndim and
    near = np.abs(grad - → same = grad.size == wanted.size\\n        near = same and np.abs(grad.reshape(wanted.shape) - ; grad.shape == wanted.shape and → same and
the loss is a plain sum of the outputs, so that G_O is 1 everywhere: a pass that mixes up the entries
of G_O goes through.
    np.random.default_rng(0).standard_normal(forward(*arrays).shape) → np.ones_like(forward(*arrays))
the tolerance is the same for large gradients and for small ones: beside the large ones the rounding
of the differences exceeds it, and beside the small ones a factor of 2 does not.
    1e-6 * np.max(np.abs(wanted)) → 1e-6
    1e-6 * np.max(np.abs(wanted)) → 1e-8
    1e-6 * np.max(np.abs(wanted)) → 1e-6 * (1 + np.max(np.abs(wanted)))
    np.abs(grad - wanted) <= 1e-6 * np.max(np.abs(wanted)) → np.isclose(grad, wanted)
    np.abs(grad - wanted) <= 1e-6 * np.max(np.abs(wanted)) → np.isclose(grad, wanted, rtol=1e-6, atol=1e-8)
the rows of G_O are all equal, or its columns: a pass that mixes them up goes through.
    standard_normal(forward(*arrays).shape) → standard_normal(forward(*arrays).shape[-1]) + np.zeros(forward(*arrays).shape)
    standard_normal(forward(*arrays).shape) → standard_normal((*forward(*arrays).shape[:-1], 1)) + np.zeros(forward(*arrays).shape)
the tolerance is wider than a millionth of the largest difference.
    1e-6 → 1e-5 || 1e-4 || 1e-3
one largest difference serves all arrays: beside a large gradient a small one may be anything. Each
array has its own.
    is by_the_largest_of_all
an error is measured by the size of the gradient that is judged, which makes it small if that is large
or infinite: measure it by the largest difference.
    np.max(np.abs(wanted)) → np.max(np.abs(grad))
each entry is measured by its own size: near 0 the rounding of the differences exceeds it. Measure all
by the largest of the array.
    1e-6 * np.max(np.abs(wanted)) → 1e-6 * np.abs(wanted)
an entry hides among others in a mean or a norm of all errors: each has to be small.
    near = np.abs(grad - wanted) <= → near = np.mean(np.abs(grad - wanted)) <=
    near = np.abs(grad - wanted) <= 1e-6 * np.max(np.abs(wanted)) → near = np.linalg.norm(grad - wanted) <= 1e-6 * np.linalg.norm(wanted)
    near = np.abs(grad - wanted) <= 1e-6 * np.max(np.abs(wanted)) → near = np.linalg.norm(grad - wanted) <= 1e-6 * (np.linalg.norm(grad) + np.linalg.norm(wanted))
all entries are moved at once: the slope is that of one entry only if the others stay.
    step[at] = h → step[...] = h
where every difference is 0, a gradient of 0 is right: its error is not above the tolerance, which is
0 as well.
    <= → <
    np.abs(grad - wanted) <= 1e-6 * np.max(np.abs(wanted)) → np.abs(grad - wanted) / np.max(np.abs(wanted)) <= 1e-6
where every difference is 0, only zeros are right, and a small gradient goes through.
    np.max(np.abs(wanted)) → (np.max(np.abs(wanted)) or 1)
    bool(np.all(near)) → bool(np.all(near) or not wanted.any())
the arrays are judged in float32, where the rounding of a loss hides all but a digit or two of such a
difference.
    [x.astype(float) for x in arrays] → arrays
the step is so small that rounding fills the differences: right gradients are rejected.
    h=1e-5 → h=1e-12
    h=1e-5 → h=1e-15
the step is so large that the curve bends under it: right gradients are rejected.
    h=1e-5 → h=0.1
    h=1e-5 → h=0.01
the difference is one-sided, and its truncation exceeds the tolerance: right gradients are rejected.
    (loss(x + step) - loss(x - step)) / (2 * h) → (loss(x + step) - loss(x)) / h
    (loss(x + step) - loss(x - step)) / (2 * h) → (loss(x) - loss(x - step)) / h
both sides are 2 h apart, so the difference of the losses is divided by 2 h.
    / (2 * h) → / h
only the first entry, or the first row, is judged.
    np.all(near) → np.all(near[0])
    np.all(near) → near.flat[0]
one entry that agrees is no proof: all of them have to.
    np.all(near) → np.any(near)
the errors are averaged, so that those of one sign cancel those of the other, or one is hidden among
many.
    np.abs(grad - wanted) <= → np.abs(np.mean(grad - wanted)) <=
    np.abs(grad - wanted) <= → np.abs(np.sum(grad - wanted)) <=
sizes are compared, not entries: subtract the two before you take the size.
    np.abs(grad - wanted) <= → np.abs(np.abs(grad) - np.abs(wanted)) <=
    np.abs(grad - wanted) <= → np.abs(np.max(np.abs(grad)) - np.max(np.abs(wanted))) <=
    np.abs(grad - wanted) <= → np.abs(np.linalg.norm(grad) - np.linalg.norm(wanted)) <=
an error below 0 is one, too: take its size.
    np.abs(grad - wanted) → (grad - wanted)
directions are compared: a gradient that is twice too large points the same way.
    near = np.abs(grad - wanted) <= 1e-6 * np.max(np.abs(wanted)) → near = np.sum(grad * wanted) > 0.999999 * np.linalg.norm(grad) * np.linalg.norm(wanted)
`backward` gets another G_O than the one in the loss: its gradients belong to another loss.
    np.sum(grad_out * → np.sum(
there is one verdict for all gradients: return one for each array.
    return tuple(verdicts) → return all(verdicts)
    return tuple(verdicts) → return (all(verdicts),)
the verdicts are turned round: True is for a gradient that agrees.
    grad.shape == wanted.shape and bool(np.all(near)) → not (grad.shape == wanted.shape and bool(np.all(near)))
"""

exercise = write(judge, CASES, MISTAKES, drafts=((slopes, judge),), through=on_a_pass)
