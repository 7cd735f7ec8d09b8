"""Exercises in which the reader writes a function."""

import time
from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import NamedTuple

from attnbook.arguments import describe
from attnbook.exercises.engine import attempt as limits
from attnbook.exercises.engine.attempt import Outcome, TookTooLong, attempt, first_called
from attnbook.exercises.engine.compare import Fault, difference, first_difference, show, told_apart
from attnbook.exercises.engine.diagnose import facts, slips
from attnbook.exercises.engine.exercise import OPEN, Exercise, Verdict, aligned, not_yet
from attnbook.exercises.engine.sandbox import Unfit
from attnbook.show import source_text

UNDEFINED = "if a cell above defines it, run that cell first (on a page: Run or Check below it)"
BORROWED = "Correct. But it was the package's own `{}` that answered: now write it yourself."


class Case(NamedTuple):
    """Arguments to try, by name. A stress case is extreme: it may fail for a second reason."""

    arguments: dict
    stress: bool = False
    gives: object = None


def case(gives=None, **arguments):
    """An ordinary input. Cases are listed smallest first: the first that fails is shown.

    What it `gives` is stated where it can be had without the solution: worked out by hand.
    """
    return Case(arguments, gives=gives)


def stress(gives=None, **arguments):
    """An extreme input: huge scores, float16, integers, nothing visible."""
    return Case(arguments, stress=True, gives=gives)


class Evidence(NamedTuple):
    """The cases in which an answer shows a known mistake, and whether nothing contradicts."""

    shows: list
    ordinary: int
    certain: bool


@dataclass(kw_only=True, repr=False)
class Write(Exercise):
    """The reader's function must agree with the solution on every case, arguments left alone.

    They agree within rounding or, where the exercise is on rounding, `to_the_bit`. `results` names
    several, and `counts` says what those are that the check has counted. `refused` may refuse, by a
    verdict, an answer that agrees, called with it and with arguments. `ours` are functions of the
    package that do the same job: an answer that calls one is right, and hears so. The solution
    itself is judged by what cases give and by an `oracle`, a function of the arguments that
    computes the result in another way.
    """

    cases: tuple
    exact_zeros: bool = False
    to_the_bit: bool = False
    results: tuple = ()
    counts: dict = field(default_factory=dict)
    refused: Callable[[Callable, dict], Verdict | None] | None = None
    oracle: Callable | None = None
    ours: tuple = ()
    kind = "Write"
    _results: dict = field(default_factory=dict, init=False)

    def __post_init__(self):
        if not self.cases:
            raise ValueError(f"{self.name} has no cases, so every answer would be right")

    def header(self):
        """Kind, difficulty and time, and how many lines the solution has."""
        return f"{super().header()} · {_lines(self.parts()[0])}"

    def parts(self):
        """The functions of the solution; its kernel first, where the reader writes one."""
        return (self.written, self.answer) if self.written else (self.answer,)

    def verdict(self, *answers):
        """Run the answer on every case and name what is wrong with it."""
        if any(a is ... for a in answers):
            return OPEN
        if len(answers) != 1 or not callable(answers[0]):
            got = ", ".join(map(describe, answers)) or "nothing"
            return not_yet(f"the check wants your function itself, but got {got}.")
        answer = answers[0]
        if isinstance(self.answer, type) and isinstance(answer, self.answer.__bases__):
            name = type(answer).__name__
            return not_yet(f"the check wants the class {name} itself, but got a module made of it.")
        outcomes = self._run(answer)
        if _is_stub(outcomes[0].error):
            return OPEN
        faults = list(map(self.fault, self.wanted, outcomes, range(len(outcomes))))
        if not any(faults):
            return self._again(answer, outcomes)
        if (cause := self._cause(outcomes, faults)) is not None:
            known, index = cause
            return self._report(self.mistakes[known].sentence, index, outcomes[index])
        first = next(i for i, fault in enumerate(faults) if fault)
        told = "".join(f"; {fact}" for fact in facts(self, answer, outcomes, faults))
        fault = self._of_a_count(faults[first], self.wanted[first], outcomes[first])
        return self._report(fault + told, first, outcomes[first])

    def _of_a_count(self, fault, wanted, outcome):
        """The fault, in the words of the count if that is what differs."""
        if fault.differs != "values" or fault.result not in self.counts:
            return fault
        want, got = (getattr(self._named(each.value), fault.result) for each in (wanted, outcome))
        return f"{self.counts[fault.result]}: {got}; needed: {want}"

    def _again(self, answer, outcomes):
        """Call a right answer once more, with arguments that cannot be written to."""
        again = self._run(answer, writable=False)
        for index, (wanted, outcome) in enumerate(zip(self.wanted, again, strict=False)):
            if "read-only" in outcome.message:
                return self._report("your function writes into its argument.", index, outcome)
            if fault := self.fault(wanted, outcome, index):
                return self._report(f"called again with this input, {fault}", index, outcome)
        overwritten = next((i for i, o in enumerate(outcomes) if o.overwritten), None)
        if overwritten is not None:
            sentence = "a later call changed the array that was returned here; return a new one."
            return self._report(sentence, overwritten, Outcome(outcomes[overwritten].returned))
        arguments = self.cases[0].arguments
        if refusal := self.refused and self.refused(answer, arguments):
            return refusal
        if self.ours and (name := first_called(self.through(answer), arguments, self.ours)):
            return Verdict("right", BORROWED.format(name))
        printed = next((text for o in outcomes if (text := o.output.printed.text())), "")
        return self._right(*aligned(printed=printed))

    @cached_property
    def wanted(self):
        """What the solution does in each case."""
        solution = self.through(self.answer)  # without a limit: a first import may take long
        outcomes = [attempt(solution, c.arguments, seconds=1e6) for c in self.cases]
        for outcome in outcomes:
            outcome.value = self._named(outcome.value)
        return outcomes

    slips = cached_property(slips)

    def _named(self, results):
        """Several results with their names, where they have such and are as many."""
        if not self.results or type(results) is not tuple or len(results) != len(self.results):
            return results
        return namedtuple("Results", self.results)(*results)

    def difference(self, want, got, dtype_matters=True):
        return difference(want, got, self.exact_zeros, dtype_matters, self.to_the_bit)

    def mistake_outcome(self, number, index):
        """What a known mistake does in one case, and what is wrong with that."""
        if (number, index) not in self._results:
            version = self.through(self.mistakes[number].answer)
            outcome = attempt(version, self.cases[index].arguments)
            self._results[number, index] = outcome, self.fault(self.wanted[index], outcome, index)
        return self._results[number, index]

    def _run(self, function, writable=True):
        outcomes, end = [], time.process_time() + limits.SECONDS
        for c in self.cases:
            left = end - time.process_time()
            outcomes.append(attempt(self.through(function), c.arguments, writable, left))
            if isinstance(outcomes[-1].error, TookTooLong):
                break
        return outcomes

    def fault(self, wanted, outcome, index):
        """The `Fault` of the outcome in one case, or None."""
        if isinstance(outcome.error, TookTooLong):
            stopped = f"after {outcome.error}, in call {index + 1} of {len(self.cases)}"
            return Fault(f"your function did not finish: the check stopped {stopped}.")
        if isinstance(outcome.error, Unfit):
            return Fault(outcome.error)
        if outcome.raised:
            return Fault(f"your function raised {outcome.message}")
        fault = self.difference(wanted.value, outcome.value)
        if not fault and outcome.changed:
            fault = f"your function changed its argument {outcome.changed[0]}; work on a new array"
            return Fault(fault)
        return fault

    def _cause(self, outcomes, faults):
        """The known mistake that the answer makes and the smallest case that shows it, or None.

        It is that mistake if it gives the same wrong result wherever the mistake shows, and is
        right elsewhere. If an ordinary case shows it, stress cases may fail for a second reason,
        and others by the dtype alone.
        A mistake that shows in half of the ordinary cases may also do worse than the answer in
        stress cases, if no other mistake explains the answer as well.
        """
        likely = {}
        for number, known in enumerate(self.mistakes):
            evidence = self.evidence(partial(self.mistake_outcome, number), outcomes, faults)
            if evidence is None:
                continue
            if evidence.certain:
                return number, evidence.shows[0]
            if 2 * evidence.ordinary >= sum(not c.stress for c in self.cases):
                likely.setdefault(known.sentence, (number, evidence.shows[0]))
        return next(iter(likely.values())) if len(likely) == 1 else None

    def evidence(self, known_in, outcomes, faults):
        """What speaks for a known mistake; None if an ordinary case speaks against it."""
        shows, unlike, second_reason = [], False, False
        for i in sorted(range(len(outcomes)), key=lambda i: (self.cases[i].stress, not faults[i])):
            (known, shown), wanted, stress = known_in(i), self.wanted[i], self.cases[i].stress
            if shown and self._same(wanted, known, outcomes[i]):
                shows.append(i)
            elif faults[i] and (stress or self._second_reason(wanted, outcomes[i], known, shown)):
                second_reason = True
            elif (faults[i] or shown) and not stress:
                return None
            elif shown:
                unlike = True
        ordinary = sum(not self.cases[i].stress for i in shows)
        certain = shows and not unlike and (ordinary or not second_reason)
        return Evidence(sorted(shows), ordinary, bool(certain))

    def _second_reason(self, wanted, outcome, known, shown):
        """Whether it is the dtype alone that is wrong, and no mistake that shows in more speaks."""
        only_dtype = self._only_dtype(wanted, outcome)
        return only_dtype and (not shown or self._only_dtype(wanted, known))

    def _only_dtype(self, wanted, outcome):
        in_place = outcome.raised or outcome.changed
        return not in_place and self.difference(wanted.value, outcome.value, False) is None

    def _same(self, wanted, known, outcome):
        if known.raised or outcome.raised:
            return _words(known.message) == _words(outcome.message)
        only_dtype = self.difference(wanted.value, known.value, False) is None
        values = known.value, outcome.value
        try:
            other = difference(*values, dtype_matters=only_dtype, to_the_bit=self.to_the_bit)
        except ValueError:  # a slip may return a list of arrays that make no array together
            return False
        return not other and set(known.changed) <= set(outcome.changed)

    def _report(self, sentence, index, outcome):
        wanted, got = _where_gradients_differ(self.wanted[index].value, self._named(outcome.value))
        inputs = "\n".join(
            map(_assignment, *zip(*self.cases[index].arguments.items(), strict=True))
        )
        output = {name: getattr(outcome.output, name).text() for name in ("printed", "warned")}
        if outcome.raised:
            help = UNDEFINED if type(outcome.error) is NameError else ""
            return not_yet(sentence, where=outcome.where, help=help, input=inputs, **output)
        first, (expected, got) = first_difference(wanted, got), told_apart(wanted, got)
        return not_yet(sentence, input=inputs, expected=expected, got=got, first=first, **output)


def _where_gradients_differ(wanted, got):
    """Of several results, gradients among them, the first that is wrong; else both as they are.

    A gradient says nothing while what it is a gradient of is wrong.
    """
    names = getattr(wanted, "_fields", ())
    several = any(name.startswith("grad") for name in names)
    if not several or getattr(got, "_fields", None) != names:
        return wanted, got
    pairs = zip(wanted, got, strict=True)
    return next((pair for pair in pairs if difference(*pair)), (wanted, got))


def _lines(function):
    lines = source_text(function).split("\n")
    heads = "def ", "class "
    body = lines[1 + next(i for i, line in enumerate(lines) if line.startswith(heads)) :]
    number = sum(bool(line.strip()) for line in body)
    return f"{number} line" if number == 1 else f"{number} lines"


def _is_stub(error):
    """Whether a function raised what a stub raises; PyTorch's own error of this type has words."""
    return type(error) is NotImplementedError and not error.args


def _words(message):
    """The words of an error without their order, in which a & b and b & a differ."""
    return sorted(message.split())


def _assignment(name, value):
    margin = "\n" + " " * (len(name) + 3)
    return f"{name} = " + show(value).replace("\n", margin)
