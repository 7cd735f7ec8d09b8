"""Known mistakes in an answer of several parts, alone and two at a time."""

from itertools import combinations

from attnbook.exercises.engine.exercise import Mistake


def mistakes_in_parts(right, mistakes):
    """Misconceptions from `mistakes`, tuples of a place in `right`, a wrong part and a sentence.

    Of two mistakes the first is named: a reader mends one at a time.
    """
    pairs = ((a, b) for a, b in combinations(mistakes, 2) if a[0] != b[0])
    return [_misconception(right, *made) for made in (*zip(mistakes, strict=True), *pairs)]


def _misconception(right, *made):
    answer = list(right)
    for place, part, _ in made:
        answer[place] = part
    return Mistake(answer, min(made, key=lambda mistake: mistake[0])[2])
