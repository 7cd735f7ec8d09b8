"""Every outcome of a program that draws at random, with its exact probability."""

from collections import Counter


class _Undecided(Exception):
    """A program asks for a draw behind those that were decided."""


def outcomes(program) -> dict:
    """Each result that a program may have, and its probability.

        P(result) = Σ over all ways to it  Π over the draws on the way  p(drawn)

    `program(draw)` calls draw(p) with a vector of probabilities, gets an index, and returns what a
    dict can have as a key. It is run once for each way, and once for each draw on it, so all that
    it changes it must have made itself.

    >>> from torch import tensor
    >>> sums = outcomes(lambda draw: draw(tensor([0.25, 0.75])) + draw(tensor([0.5, 0.5])))
    >>> sorted(sums.items())
    [(0, 0.125), (1, 0.5), (2, 0.375)]
    """
    found, ways = Counter(), [((), 1.0)]
    while ways:
        decided, probability = ways.pop()
        try:
            found[program(_replayed(decided))] += probability
        except _Undecided as open_draw:
            branches = enumerate(open_draw.args[0].tolist())
            ways += [((*decided, i), probability * p) for i, p in branches if p > 0]
    return dict(found)


def _replayed(decided):
    """A draw that repeats what was decided, and stops the program at the next one."""
    rest = iter(decided)

    def draw(p):
        for index in rest:
            return index
        raise _Undecided(p)

    return draw
