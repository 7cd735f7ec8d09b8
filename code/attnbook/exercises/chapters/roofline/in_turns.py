"""Who won the race? · medium · 8 min

Hints
1. times[..., 1:] leaves out the first round, however many axes stand in front.
2. Divide by the row of the base before you take a median. kept[..., [base], :] is that row.
3. The median runs along the last axis, which is that of the rounds.

Why
Within a round the machine is as slow for one call as for the other, so the ratio is taken there. A
median over the rounds is hardly moved by one that was interrupted. `[base]`, in brackets, keeps the
axis of the calls, so that the division broadcasts.

Notice
`measure.ratios` does the same: it divides within a round and takes the median over rounds.
"""

from statistics import median

import numpy as np

from attnbook.exercises.engine import case, stress, write


def in_turns(times, base):
    """The median, over the rounds but the first, of the ratio to `base` in the same round."""
    kept = times[..., 1:]
    return np.median(kept / kept[..., [base], :], axis=-1)


@np.vectorize(signature="(calls,rounds),()->(calls)")
def call_by_call(times, base):
    rounds = range(1, times.shape[1])
    return np.array([median(call[i] / times[base][i] for i in rounds) for call in times])


rng = np.random.default_rng(19)


def race(*machines, calls, rounds, base):
    """Times of calls, each with its own cost, on a machine that is slower in some rounds."""
    costs, slow = (
        rng.uniform(1, 3, (*machines, calls, 1)),
        rng.uniform(1, 4, (*machines, 1, rounds)),
    )
    noise = rng.uniform(1, 1.5, (*machines, calls, rounds))
    return {"times": costs * slow * noise, "base": base}


CASES = (
    case(times=np.array([[9.0, 1, 4, 1], [9, 2, 8, 3]]), base=0, gives=np.array([1.0, 2.0])),
    case(times=np.array([[9.0, 1, 4, 1], [5, 2, 8, 3]]), base=1),
    case(**race(calls=2, rounds=6, base=1)),
    case(**race(calls=4, rounds=5, base=1)),
    case(**race(2, calls=3, rounds=8, base=1)),
    case(**race(2, 3, calls=4, rounds=6, base=2)),
    stress(**race(calls=2, rounds=2, base=0)),
    stress(**race(calls=1, rounds=4, base=0)),
)

MISTAKES = """
the first round is a warm-up and does not count; all the others do.
    times[..., 1:] → times || times[..., :-1]
that is a ratio of medians, of sums or of best times, taken over rounds that differ. Divide within
each round first, while the machine is the same for both.
    kept / kept[..., [base], :], axis=-1) → kept, axis=-1) / np.median(kept[..., [base], :], axis=-1)
    times[..., 1:] → times ; kept / kept[..., [base], :], axis=-1) → kept, axis=-1) / np.median(kept[..., [base], :], axis=-1)
    = times[..., 1:].sum(axis=-1) / times[..., [base], 1:].sum(axis=-1)
    = times[..., 1:].min(axis=-1) / times[..., [base], 1:].min(axis=-1)
one interrupted round moves a mean, the largest ratio or the smallest. Take the median.
    np.median → np.mean
    np.median(kept / kept[..., [base], :], axis=-1) → np.exp(np.mean(np.log(kept / kept[..., [base], :]), axis=-1))
    np.median → np.max || np.min
the median of an even number of rounds is the mean of the middle two, not one of them.
    np.median → np.quantile ; , axis=-1 → , 0.5, axis=-1, method="higher"
    np.median → np.quantile ; , axis=-1 → , 0.5, axis=-1, method="lower"
the answer should be a ratio, how many times as long as the base each call took; not a difference,
not a time, and not the inverse.
    kept / kept → kept - kept
    kept / kept[..., [base], :] → kept[..., [base], :] / kept || kept
the base is row `base`, not always the first.
    [base] → [0]
"""

exercise = write(in_turns, CASES, MISTAKES, oracle=call_by_call)
