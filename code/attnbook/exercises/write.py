"""Exercises in which the reader writes a function."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from attnbook.exercises.attempt import Outcome, TookTooLong, Unfit, attempt
from attnbook.exercises.compare import difference, first_difference, show
from attnbook.exercises.exercise import OPEN, Exercise, wrong
from attnbook.operation import describe


class Case(NamedTuple):
    """Arguments to try, by name. A stress case is extreme: it may fail for a second reason."""

    arguments: dict
    stress: bool = False


def case(**arguments):
    """An ordinary input. Cases are listed smallest first: the first that fails is shown."""
    return Case(arguments)


def stress(**arguments):
    """An extreme input: huge scores, float16, integers, nothing visible."""
    return Case(arguments, stress=True)


@dataclass(kw_only=True, repr=False)
class Write(Exercise):
    """The reader's function must agree with the solution on every case, arguments left alone."""

    cases: tuple
    exact_zeros: bool = False
    kind = "Write"

    def verdict(self, answer):
        """Run the answer on every case and name what is wrong with it."""
        if answer is ...:
            return OPEN
        if not callable(answer):
            return wrong(f"the check wants your function itself, but got {describe(answer)}.")
        outcomes = self._run(answer)
        if isinstance(outcomes[0].error, NotImplementedError):
            return OPEN
        faults = list(map(self._fault, self._wanted, outcomes))
        if not any(faults):
            return self._again(answer, outcomes)
        first = next(i for i, fault in enumerate(faults) if fault)
        for known, results in zip(self.misconceptions, self._known, strict=True):
            if (shown := self._recognise(results, outcomes, faults)) is not None:
                return self._report(known.sentence, shown, outcomes[shown])
        return self._report(faults[first], first, outcomes[first])

    def _again(self, answer, outcomes):
        """Call a right answer once more, with arguments that cannot be written to."""
        for index, wanted in enumerate(self._wanted):
            outcome = attempt(self.through(answer), self.cases[index].arguments, writable=False)
            if "read-only" in outcome.message:
                return self._report("your function writes into its argument.", index, outcome)
            if fault := self._fault(wanted, outcome):
                return self._report(f"called again with this input, {fault}", index, outcome)
        overwritten = next((i for i, o in enumerate(outcomes) if o.overwritten), None)
        if overwritten is not None:
            sentence = "a later call changed the array that was returned here; return a new one."
            return self._report(sentence, overwritten, Outcome(outcomes[overwritten].returned))
        return self._right()

    @cached_property
    def _wanted(self):
        return self._run(self.solution_of)

    @cached_property
    def _known(self):
        return [self._run(m.wrong) for m in self.misconceptions]

    def _run(self, function):
        outcomes = []
        for c in self.cases:
            outcomes.append(attempt(self.through(function), c.arguments))
            if isinstance(outcomes[-1].error, TookTooLong):
                break
        return outcomes

    def _fault(self, wanted, outcome):
        """What is wrong with one outcome, or None."""
        if isinstance(outcome.error, TookTooLong):
            return f"your function did not finish: {outcome.error}"
        if isinstance(outcome.error, Unfit):
            return str(outcome.error)
        if outcome.raised:
            return f"your function raised {outcome.message}"
        found = difference(wanted.value, outcome.value, self.exact_zeros)
        if not found and outcome.changed:
            return f"your function changed its argument {outcome.changed[0]}; work on a new array"
        return found

    def _recognise(self, known, outcomes, faults):
        """The smallest case on which the answer makes this known mistake, or None.

        It is that mistake if it gives the same wrong result wherever the mistake shows, and is
        right elsewhere. If an ordinary case shows it, stress cases may fail for a second reason.
        """
        if len(known) != len(outcomes):
            return None
        shows, second_reason = [], False
        for i, (wanted, result) in enumerate(zip(self._wanted, known, strict=True)):
            shown = self._fault(wanted, result)
            if shown and self._same(wanted, result, outcomes[i]):
                shows.append(i)
            elif faults[i] and self.cases[i].stress:
                second_reason = True
            elif faults[i] or shown:
                return None
        ordinary = any(not self.cases[i].stress for i in shows)
        return shows[0] if ordinary or (shows and not second_reason) else None

    def _same(self, wanted, known, outcome):
        if known.raised or outcome.raised:
            return known.message == outcome.message
        only_dtype = difference(wanted.value, known.value, self.exact_zeros, False) is None
        same = difference(known.value, outcome.value, dtype_matters=only_dtype) is None
        return same and set(known.changed) <= set(outcome.changed)

    def _report(self, sentence, index, outcome):
        wanted = self._wanted[index].value
        inputs = "\n".join(
            map(_assignment, *zip(*self.cases[index].arguments.items(), strict=True))
        )
        if outcome.raised:
            return wrong(sentence, where=outcome.where or None, input=inputs)
        place = first_difference(wanted, outcome.value)
        return wrong(
            sentence, input=inputs, expected=show(wanted), got=show(outcome.value), first=place
        )


def _assignment(name, value):
    margin = "\n" + " " * (len(name) + 3)
    return f"{name} = " + show(value).replace("\n", margin)
