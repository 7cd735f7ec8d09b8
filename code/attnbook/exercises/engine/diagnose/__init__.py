"""What a wrong answer hears where nobody has listed its cause: how results differ, and where."""

import re
from functools import cache, partial

import numpy as np

from attnbook.exercises.engine.attempt import attempt
from attnbook.exercises.engine.compare import NUMBERS, difference
from attnbook.exercises.engine.diagnose.arguments import mixed, returned, substitutes, unused
from attnbook.exercises.engine.diagnose.cases import division
from attnbook.exercises.engine.diagnose.relations import (
    first_wrong,
    in_order,
    relation,
    right_results,
)
from attnbook.exercises.engine.diagnose.slips import mistaken

OF_NUMBERS = "values", "shape"  # what differs of a result that is an array, as it should


def facts(*seen):
    """What is seen of an answer, in words: of its outcomes, and of what is wrong with each.

    Nothing, where looking fails: the verdict is worth more than a word on it.
    """
    try:
        return _facts(*seen)
    except Exception:
        return []


def _facts(exercise, answer, outcomes, faults):
    if len(outcomes) < len(exercise.cases):
        return []
    if _differs_again(exercise, answer, outcomes, faults):
        return ["two calls with the same input differ: is something random?"]
    if _constant(exercise, outcomes):
        return ["it is the same for every input"]
    arguments = [c.arguments for c in exercise.cases]
    if said := returned(arguments, [o.value for o in outcomes]):
        return [said]
    if (what := _same_as(exercise, outcomes, faults)) is not None:
        return [f"the solution does the same {what}"]
    failing = [i for i, fault in enumerate(faults) if fault]
    failing = [i for i in failing if not exercise.cases[i].stress] or failing
    found = [division(exercise.cases, faults)]
    if all(faults[i].differs in OF_NUMBERS for i in failing):
        pairs = [(exercise.wanted[i].value, outcomes[i].value) for i in failing]
        if said := in_order(pairs):
            return [said]
        found = [relation(pairs), *found]
        if not any(found):
            found = [_experiment(exercise, answer, [exercise.cases[i].arguments for i in failing])]
        found.append(right_results(pairs))
    return [fact for fact in found if fact]


def _differs_again(exercise, answer, outcomes, faults):
    """Whether a wrong result is another one when the answer is called again."""
    for case, outcome, fault in zip(exercise.cases, outcomes, faults, strict=True):
        if fault and fault.differs in OF_NUMBERS:
            again = attempt(exercise.through(answer), case.arguments, seconds=1)
            other = difference(outcome.value, again.value)
            if other and other.differs == "values":
                return True
    return False


def _constant(exercise, outcomes):
    """Whether the answer returns one thing, and no NaN, where the solution returns several."""
    wanted, got = ([o.value for o in each] for each in (exercise.wanted, outcomes))
    numbers = not any(o.raised for o in outcomes) and not _nan(got[0])
    return numbers and _alike(got) and not _alike(wanted)


def _alike(values):
    """Whether all are arrays of one shape, or numbers, and the same."""
    first, *others = values
    numbers = isinstance(first, (np.ndarray, *NUMBERS)) and np.size(first)
    return bool(numbers) and all(np.array_equal(first, x) for x in others)


def _same_as(exercise, outcomes, faults):
    """With which other arguments, or which slip, the solution does the same; None if with none."""
    for words, other in () if exercise.written else exercise.slips:
        evidence = exercise.evidence(other, outcomes, faults)
        if evidence is not None and evidence.certain and _tells(outcomes, evidence.shows):
            return words
    return None


def _tells(outcomes, indices):
    """Whether any is a number, or an error that speaks of one: others, and NaN, are all alike."""
    return any(
        re.search(r"\d", outcomes[i].message) if outcomes[i].raised else not _nan(outcomes[i].value)
        for i in indices
    )


def _nan(value):
    """Whether an array holds nothing else."""
    floats = isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size
    return bool(floats) and bool(np.isnan(value).all())


def slips(exercise):
    """Words, and a function: what the solution with that slip does in a case, and what is wrong.

    It depends on no answer, so each case is tried once.
    """

    def seen(function, change, i):
        outcome = attempt(function, change(exercise.cases[i].arguments), seconds=1)
        return outcome, exercise.fault(exercise.wanted[i], outcome, i)

    return [(words, cache(partial(seen, *slip))) for words, *slip in _slips(exercise)]


def _slips(exercise):
    """Words, a function and a change of its arguments: what the solution would be with a slip."""
    solution = exercise.through(exercise.answer)
    for words, change in substitutes(exercise.cases[0].arguments):
        yield f"with {words}", solution, change
    for words, slip in mistaken(exercise.answer):
        yield words, exercise.through(slip), dict


def _experiment(exercise, answer, several):
    """What is seen when arguments are changed, one by one, in the largest case or in any."""
    largest = max(several, key=lambda args: sum(map(np.size, args.values())))

    def result(function, args):
        return attempt(exercise.through(function), args).value

    first = first_wrong(result(exercise.answer, largest), result(answer, largest))
    both = [lambda args, f=f: first(result(f, args)) for f in (answer, exercise.answer)]
    every = [c.arguments for c in exercise.cases]
    return unused(*both, largest, every) or mixed(*both, several)
