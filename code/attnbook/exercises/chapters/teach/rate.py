"""A schedule · easy · 8 min

Hints
1. Two cases: up to the step `warm_up`, and after it.
2. On the way up the rate is proportional to the step: step / warm_up.
3. On the way down, progress = (step − warm_up) / (steps − warm_up) goes from 0 to 1, and
   (1 + cos(π · progress)) / 2 from 1 to 0.

Why
The rise is a straight line through 0, which reaches 1 at the step `warm_up`. The fall is half a wave
of a cosine, stretched over the steps that are left.

Notice
With no warm-up at all the first step, in which every quotient of Adam is 1 or −1, is taken at nearly
the full rate.
"""

import math

import numpy as np

from attnbook import models
from attnbook.exercises.engine import case, stress, write


def rate(step, warm_up, steps):
    """The learning rate of one step, as a fraction of the largest."""
    if step <= warm_up:
        return step / warm_up
    progress = (step - warm_up) / (steps - warm_up)
    return (1 + math.cos(math.pi * progress)) / 2


def by_sine(step, warm_up, steps):
    """The fall as the square of a cosine of half the angle, and the smaller of two curves."""
    if warm_up == 0 or step > warm_up:
        return np.cos(np.pi / 2 * (step - warm_up) / (steps - warm_up)) ** 2
    return np.divide(step, warm_up)


def in_one_cycle(step, warm_up, steps):
    """The chapter's own schedule."""
    return models.one_cycle(step / steps)


def at(step, warm_up, steps, gives=None, to=case):
    return to(step=step, warm_up=warm_up, steps=steps, gives=gives)


CASES = (
    at(1, 2, 4, gives=0.5),
    at(2, 2, 4, gives=1.0),
    at(3, 2, 4, gives=0.5),
    at(4, 2, 4, gives=0.0),
    at(2, 8, 10, gives=0.25),
    at(1, 10, 100),
    at(10, 10, 100, gives=1.0),
    at(40, 10, 100, gives=0.75),
    at(77, 10, 100),
    at(100, 10, 100, gives=0.0),
    at(1, 0, 2, gives=0.5, to=stress),
    at(2, 0, 8, to=stress),
    at(3, 3, 3, gives=1.0, to=stress),
    at(1, 4, 4, gives=0.25, to=stress),
)

MISTAKES = """
steps are counted from 1: at step 1 the rate is 1 / warm_up, and at step warm_up it is 1.
    return step / warm_up → return (step - 1) / warm_up || return (step + 1) / warm_up
    return step / warm_up → return (step - 1) / max(1, warm_up - 1) || return (step + 1) / (warm_up + 1)
    return step / warm_up → return min(1.0, (step + 1) / warm_up)
the rise ends at 1 at the step warm_up.
    step / warm_up → step / steps || step / (warm_up + 1)
the rise is a straight line: only the fall follows a cosine.
    return step / warm_up → return (1 - math.cos(math.pi * step / warm_up)) / 2
that is the chapter's own schedule, which rises for 0.3 of the steps, whatever warm_up is.
    is in_one_cycle
the cosine has to be counted from the end of the warm-up.
    (step - warm_up) / (steps - warm_up) → step / steps || step / (steps - warm_up)
the fall takes `steps - warm_up` steps, and is over at the step `steps`.
    (step - warm_up) / (steps - warm_up) → (step - warm_up) / steps
the fall begins at the step `warm_up`: its progress is 0 there, and not a step later.
    (step - warm_up) / (steps - warm_up) → (step - warm_up - 1) / (steps - warm_up) || (step - warm_up - 1) / (steps - warm_up - 1)
the fall ends at 0, and not at a part of the largest rate.
    (1 + math.cos(math.pi * progress)) / 2 → 0.1 + 0.9 * (1 + math.cos(math.pi * progress)) / 2
math.cos takes radians: half a wave is π, and not 180.
    math.pi * progress → 180 * progress
rise and fall are not multiplied: each counts in its own steps.
    = min(1, step / max(1, warm_up)) * (1 + math.cos(math.pi * step / steps)) / 2
    = min(1, step / max(1, warm_up)) * (1 + math.cos(math.pi * (step - warm_up) / max(1, steps - warm_up))) / 2
without a warm-up the rate falls from the first step on.
    if step <= warm_up: → if warm_up == 0:\\n        return 1.0\\n    if step <= warm_up:
where `warm_up` is `steps`, nothing is left to fall, and the rate at that step is 1.
    step <= warm_up → step < warm_up
    step <= warm_up → step < warm_up ; math.pi * progress → math.pi * (step - warm_up) / (steps - warm_up) ; progress = (step - warm_up) / (steps - warm_up) → pass
    step <= warm_up → step < warm_up ; progress = (step → if steps == warm_up:\\n        return 0.0\\n    progress = (step
where `warm_up` is `steps`, the rate rises all the way: it is 1 at the last step alone.
    if step <= warm_up: → if warm_up == steps:\\n        return 1.0\\n    if step <= warm_up:
this falls in a straight line: half a cosine is asked for.
    (1 + math.cos(math.pi * progress)) / 2 → 1 - progress
half of a wave is asked for, which ends at 0; here it is a quarter, or a whole one.
    math.pi * progress)) / 2 → math.pi / 2 * progress)) / 2 || 2 * math.pi * progress)) / 2
    (1 + math.cos(math.pi * progress)) / 2 → math.cos(math.pi / 2 * progress)
the half belongs to the whole sum, 1 plus the cosine: brackets are missing.
    (1 + math.cos(math.pi * progress)) / 2 → 0.5 * 1 + math.cos(math.pi * progress)
    (1 + math.cos(math.pi * progress)) / 2 → 1 + math.cos(math.pi * progress) / 2
3.14 is π to two decimals: math.pi has them all.
    math.pi → 3.14
the cosine goes from 1 to −1: lift it by 1, and halve it.
    (1 + math.cos(math.pi * progress)) / 2 → math.cos(math.pi * progress) || 1 + math.cos(math.pi * progress)
this rises after the warm-up, instead of falling.
    (1 + math.cos → (1 - math.cos
there is no warm-up here: the rate should rise first.
    if step <= warm_up → if False
    return step / warm_up → return 1.0
    = (1 + math.cos(math.pi * step / steps)) / 2
"""

exercise = write(rate, CASES, MISTAKES, oracle=by_sine)
