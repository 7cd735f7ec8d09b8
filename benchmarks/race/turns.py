"""Calls that take turns on a machine, round after round."""

import statistics
from contextlib import nullcontext
from typing import NamedTuple

WARM = 3  # rounds that do not count: what is compiled or chosen on the first call is no part
FEWEST, MOST = 11, 51  # rounds that count
SECONDS = 2.0  # of the GPU for a case, unless that is fewer rounds than the fewest


class Timing(NamedTuple):
    """The times of one call over the rounds, in seconds of the GPU, and of the host for one."""

    seconds: list
    host: float

    @property
    def median(self):
        return statistics.median(self.seconds)

    @property
    def spread(self):
        """The distance between the quartiles, as a share of the median."""
        low, _, high = statistics.quantiles(self.seconds, n=4, method="inclusive")
        return (high - low) / self.median


def turns(calls, machine, seconds=SECONDS, attempt=nullcontext):
    """Call each once a round, as many rounds as fit into so many seconds.

    Takes a dict of functions without arguments; each is called within `attempt` of its name.
    Returns a `Timing` of each, by name.
    """
    if not calls:
        return {}
    hold = dict.fromkeys(calls, 0.0)

    def each():
        took = {}
        for name, call in calls.items():
            with attempt(name):
                took[name] = machine.time(call, hold[name])
        return took

    for _ in range(WARM):
        took = each()
        hold |= {name: 1.5 * host for name, (_, host) in took.items()}
    once = sum(gpu + host for gpu, host in took.values())
    rounds = [each() for _ in range(min(max(FEWEST, int(seconds / once)), MOST))]
    found = {name: zip(*(took[name] for took in rounds), strict=True) for name in calls}
    return {name: Timing(list(gpu), statistics.median(host)) for name, (gpu, host) in found.items()}


def ratio(timing, to):
    """How many times as long one took as another in the same round: the median over rounds."""
    return statistics.median(a / b for a, b in zip(timing.seconds, to.seconds, strict=True))
