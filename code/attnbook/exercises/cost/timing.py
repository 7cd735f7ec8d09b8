"""What a race says, from times that were taken in turns."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import cost as solutions

_rng = np.random.default_rng(19)


def _race(*machines, calls, rounds, base):
    """Times of calls, each with its own cost, on a machine that is slower in some rounds."""
    costs, slow = (
        _rng.uniform(1, 3, (*machines, calls, 1)),
        _rng.uniform(1, 4, (*machines, 1, rounds)),
    )
    noise = _rng.uniform(1, 1.5, (*machines, calls, rounds))
    return {"times": costs * slow * noise, "base": base}


def _with_warm_up(times, base):
    return np.median(times / times[..., [base], :], axis=-1)


def _of_medians(times, base):
    medians = np.median(times[..., 1:], axis=-1)
    return medians / medians[..., [base]]


def _through(statistic):
    def version(times, base):
        kept = times[..., 1:]
        return statistic(kept / kept[..., [base], :])

    return version


KNOWN = (
    (_with_warm_up, "the first round is a warm-up, and does not count."),
    (
        _of_medians,
        "that is a ratio of medians: divide in each round first, while the machine is the same.",
    ),
    (
        lambda times, base: _with_warm_up(np.median(times, axis=-1)[..., None], base),
        "that is a ratio of medians, with the first round, which does not count.",
    ),
    (
        _through(lambda ratios: np.mean(ratios, axis=-1)),
        "that is the mean: one interrupted round moves it. Take the median.",
    ),
    (
        _through(lambda ratios: np.exp(np.mean(np.log(ratios), axis=-1))),
        "that is the geometric mean: one interrupted round moves it. Take the median.",
    ),
    (
        _through(lambda ratios: np.sort(ratios, axis=-1)[..., ratios.shape[-1] // 2]),
        "of an even number of rounds, the median is the mean of the middle two.",
    ),
    (
        _through(lambda ratios: np.sort(ratios, axis=-1)[..., (ratios.shape[-1] - 1) // 2]),
        "of an even number of rounds, the median is the mean of the middle two, not the lower.",
    ),
    (
        _through(lambda ratios: np.max(ratios, axis=-1)),
        "that is the largest ratio, which one interrupted round decides. Take the median.",
    ),
    (
        lambda times, base: np.median(times[..., 1:] - times[..., [base], 1:], axis=-1),
        "these are differences; asked is how many times as long as the base each took.",
    ),
    (
        _through(lambda ratios: np.min(ratios, axis=-1)),
        "that is the smallest ratio: it favours whoever was lucky once. Take the median.",
    ),
    (
        _through(lambda ratios: np.median(1 / ratios, axis=-1)),
        "the ratio is turned round: how many times as long as the base, not how many times faster.",
    ),
    (
        lambda times, base: solutions.in_turns(times, 0),
        "the base is row `base`, not always the first.",
    ),
    (
        lambda times, base: times[..., 1:].sum(-1) / times[..., [base], 1:].sum(-1),
        "that is a ratio of sums, in which slow rounds count more: divide in each round.",
    ),
    (
        lambda times, base: times[..., 1:].min(-1) / times[..., [base], 1:].min(-1),
        "these are the best times, which may be from two different rounds: divide in each round.",
    ),
    (
        lambda times, base: np.median(times[..., 1:], axis=-1),
        "these are times; asked is how many times as long as the base each took.",
    ),
    (
        lambda times, base: solutions.in_turns(times[..., ::-1], base),
        "the last round is left out; the warm-up is the first.",
    ),
)

in_turns = Write(
    name="cost.in_turns",
    title="Who won the race?",
    level="medium",
    minutes=8,
    solution_of=solutions.in_turns,
    explanation=(
        "Within a round the machine is as slow for one as for the other, so the ratio is taken "
        "there; the median over rounds does not mind one that was interrupted. `[base]`, in "
        "brackets, keeps the axis of the calls."
    ),
    hints=(
        "times[..., 1:] leaves out the first round, whatever axes are in front.",
        "Divide by the row of the base before you take a median: kept[..., [base], :].",
        "The median goes along the last axis, that of the rounds.",
    ),
    misconceptions=tuple(Misconception(*known) for known in KNOWN),
    notice="A ratio within a round, a median over rounds: `measure.ratios` does the same.",
    cases=(
        case(times=np.array([[9.0, 1.0, 4.0, 1.0], [9.0, 2.0, 8.0, 3.0]]), base=0),
        case(times=np.array([[9.0, 1.0, 4.0, 1.0], [5.0, 2.0, 8.0, 3.0]]), base=1),
        case(**_race(calls=2, rounds=6, base=1)),
        case(**_race(calls=3, rounds=8, base=2)),
        case(**_race(calls=4, rounds=5, base=1)),
        case(**_race(2, calls=3, rounds=8, base=1)),
        case(**_race(2, 3, calls=4, rounds=6, base=2)),
        stress(**_race(calls=2, rounds=2, base=0)),
        stress(**_race(calls=1, rounds=4, base=0)),
    ),
)
