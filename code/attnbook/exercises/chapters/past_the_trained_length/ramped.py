"""Interpolate with a ramp · medium · 10 min

Hints
1. First the turns of each pair: trained · theta / (2π), an array of shape (M,).
2. γ is a straight line, 0 at `few` turns and 1 at `many`: (turns − few) / (many − few).
3. np.clip(γ, 0, 1) makes it stay 0 below `few` and 1 above `many`.

Why
A line through 0 at `few` and 1 at `many` is (turns − few) / (many − few), and np.clip holds it at 0
and at 1 outside. Then one formula serves all three cases, since γ = 1 leaves the frequency and
γ = 0 divides it.

Notice
With few = 1 and many = 32 this is YaRN, as its paper has it; with many = 4 it is the rule of Llama
3.1. The line is in turns, and not in the number of the pair.
"""

import numpy as np

from attnbook.exercises.engine import case, stress, write


def ramped(theta, factor, trained, few, many):
    """Few turns: divided by the factor; many: as it was; a straight line between the two."""
    turns = trained * theta / (2 * np.pi)
    kept = np.clip((turns - few) / (many - few), 0, 1)
    return theta * (kept + (1 - kept) / factor)


def pair_by_pair(theta, factor, trained, few, many):
    found = np.empty(len(theta))
    for m, angle in enumerate(theta):
        turns = trained * angle / (2 * np.pi)
        if turns >= many:
            found[m] = angle
        elif turns <= few:
            found[m] = angle / factor
        else:
            weight = (turns - few) / (many - few)
            found[m] = weight * angle + (1 - weight) * angle / factor
    return found


def exchanged(theta, factor, trained, few, many):
    turns = trained * theta / (2 * np.pi)
    weight = (turns - few) / (many - few)
    mixed = (1 - weight) * theta + weight * theta / factor
    return np.where(turns >= many, theta, np.where(turns <= few, theta / factor, mixed))


def nothing_between(theta, factor, trained, few, many):
    turns = trained * theta / (2 * np.pi)
    return np.where(turns >= many, theta, np.where(turns <= few, theta / factor, 0))


def turning(turns, factor, trained, few, many, gives=None, kind=case):
    """Frequencies that make so many turns in training."""
    theta = 2 * np.pi * np.array(turns) / trained
    gives = None if gives is None else 2 * np.pi * np.array(gives) / trained
    numbers = {"factor": factor, "trained": trained, "few": few, "many": many}
    return kind(theta=theta, **numbers, gives=gives)


CASES = (
    turning([4.0, 0.5], 2, 10, 1, 3, gives=[4.0, 0.25]),
    turning([4.0, 2.0, 0.5], 2, 10, 1, 3, gives=[4.0, 1.5, 0.25]),
    turning([40.0, 20.0, 5.0, 1.2, 0.1], 4, 256, 1, 32),
    turning([9.0, 6.0, 3.0, 2.5, 1.0], 8, 100, 2, 8),
    turning([0.5, 30.0, 3.0], 4, 64, 1, 4),
    turning([5.0, 2.0], 1, 16, 1, 3),
    turning([0.3], 3, 8, 0.2, 0.6),
    turning([100.0, 10.0, 1.0, 0.1], 16, 4096, 1, 32),
    turning([1000.0, 1e-6], 1000, 100_000, 1, 32, kind=stress),
)

MISTAKES = """
the ramp runs the wrong way: pairs that turned often keep their frequency, and pairs that seldom
turned are divided.
    (kept + (1 - kept) / factor) → (1 - kept + kept / factor)
beyond its ends the line goes on: γ stays between 0 and 1.
    np.clip((turns - few) / (many - few), 0, 1) → (turns - few) / (many - few)
above `many` turns γ goes on growing, and it should stay 1.
    np.clip((turns - few) / (many - few), 0, 1) → np.maximum((turns - few) / (many - few), 0)
below `few` turns γ becomes negative, and it should stay 0.
    np.clip((turns - few) / (many - few), 0, 1) → np.minimum((turns - few) / (many - few), 1)
these are radians: a turn is 2π of them.
    trained * theta / (2 * np.pi) → trained * theta
γ and 1 − γ are exchanged between the limits: close to `many` turns most of the frequency stays.
    is exchanged
between the limits the mixture is missing.
    is nothing_between
the angle is divided by 2 and multiplied by π: a turn is 2π radians, so divide by (2 · π).
    (2 * np.pi) → 2 * np.pi
a turn is 2π radians, not π.
    (2 * np.pi) → np.pi
the line begins at 0 turns here, and should begin at `few`.
    (turns - few) / (many - few) → turns / many
the line is divided by `many` here: between `few` and `many` there are many − few turns.
    / (many - few) → / many
there is no line between the two limits, but a step.
    np.clip((turns - few) / (many - few), 0, 1) → (turns >= many).astype(float)
    np.clip((turns - few) / (many - few), 0, 1) → (turns > few).astype(float)
the factors are mixed here, γ · 1 + (1 − γ) · factor, and then divided by: the statement mixes the
frequencies.
    theta * (kept + (1 - kept) / factor) → theta / (kept + (1 - kept) * factor)
the frequencies are multiplied by the factor here: to slow a pair is to divide.
    (1 - kept) / factor → (1 - kept) * factor
all pairs are divided: that is linear interpolation, or `turns` are those in one word and not in
`trained` of them.
    = theta / factor
    trained * theta / (2 * np.pi) → theta / (2 * np.pi)
the line is in the number of the pair here: it should be in the turns.
    turns = trained * theta / (2 * np.pi) → turns = np.arange(len(theta))[::-1]
these are words per turn, and the ramp is in turns.
    trained * theta / (2 * np.pi) → 2 * np.pi / theta
the result is γ, or the factor by which each pair is multiplied: that times theta is the frequency.
    theta * (kept + (1 - kept) / factor) → kept + (1 - kept) / factor
    return theta * (kept + (1 - kept) / factor) → return kept
"""

exercise = write(ramped, CASES, MISTAKES, oracle=pair_by_pair)
