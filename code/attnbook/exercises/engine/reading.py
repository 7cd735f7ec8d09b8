"""An exercise as one module: its docstring has the words, its code the answer, a text the mistakes.

    '''The logarithm of the weights · medium · 10 min

    Hints
    1. Take the logarithm of the quotient by hand first.
    2. Keep the last axis.

    Why
    The weight itself is never formed, so it cannot underflow.

    Notice
    For (0, -1000) the second logarithm is still exact.
    '''

Its place among the exercises of the chapter is that of its name in `EXERCISES`, in the
`__init__.py` of its folder. A mistake is a sentence, and below it, indented, stands a line for each
answer that hears it: for a Write a change of the answer (see `edits`); for a Predict the wrong
answer, or `at 2: value` for a wrong part of the right one; for a Break an input that breaks
nothing, and `if`, when the sentence is true of an input. Lines that begin alike, up to their last
arrow or colon, may be written as one, with || between their ends::

    this is another logarithm: exp goes with np.log.
        np.log( → np.log2( || np.log10(
"""

import inspect
import re
import textwrap
from itertools import chain

from attnbook.exercises.engine.breaks import Break, Miss
from attnbook.exercises.engine.edits import value, versions
from attnbook.exercises.engine.exercise import Mistake
from attnbook.exercises.engine.predicts import Predict
from attnbook.exercises.engine.writes import Write

TITLE = re.compile(r"(.+) · (easy|medium|hard) · (\d+) min")
HEADING = re.compile(r"^(Hints|Why|Notice)\n", re.MULTILINE)
PART = re.compile(r"at (\d+): (.+)")
HINT = re.compile(r"^\d\. ", re.MULTILINE)
BEGINNING = re.compile(r"at \d+: |= |is |.* [→⇒] |")
MISTAKE = re.compile(r"((?:^\S.*\n)+)((?:^ +.*\n)+)", re.MULTILINE)


def write(answer, cases, mistakes, *, drafts=(), written=None, also=(), **settings):
    """A Write. Mistakes are changes of the answer, or of drafts: answers of a less careful reader.

    A line of them is applied to the answer and to every draft, wherever it fits.
    Where the reader writes a kernel, too, it is `written`: a change may be made in it as well.
    `also` are mistakes that several exercises share: pairs of a wrong version and its sentence.
    """

    right = (written, answer) if written else answer

    def known():
        for sentence, lines in read_mistakes(mistakes):
            for line in lines:
                for wrong in versions(line, right, *drafts):
                    yield Mistake(wrong, sentence, line)
        yield from (Mistake(*pair) for pair in also)

    settings |= {"known": known, "cases": tuple(cases), "written": written}
    return Write(answer=answer, **read_words(answer), **settings)


def predict(answer, mistakes, **settings):
    """A Predict. Below a sentence stand wrong answers."""

    def known():
        for sentence, lines in read_mistakes(mistakes):
            for line in lines:
                at = PART.match(line)
                wrong = _with_part(answer(), *at.groups(), answer) if at else value(line, answer)
                yield Mistake(wrong, sentence, line)

    return Predict(answer=answer, known=known, **read_words(answer), **settings)


def _with_part(right, index, part, answer):
    parts = list(right)
    parts[int(index)] = value(part, answer)
    return parts


def break_it(answer, mistakes, *, broken, right, **settings):
    """A Break. Below a sentence stands an input that breaks nothing, and `if` the sentence fits."""
    names = ", ".join(inspect.signature(right).parameters)

    def known():
        for sentence, (line, rule) in read_mistakes(mistakes):
            applies = value(f"lambda {names}: {rule.removeprefix('if ')}", answer)
            yield Miss(_several(value(line, answer)), applies, sentence)

    settings |= {"broken": broken, "right": right, "known": known}
    return Break(answer=answer, **read_words(answer), **settings)


def read_words(answer):
    """What the docstring of the answer's module says, as arguments of an exercise."""
    module = inspect.getmodule(answer)
    first, *parts = HEADING.split(textwrap.dedent(module.__doc__).strip() + "\n")
    title, level, minutes = TITLE.fullmatch(first.strip()).groups()
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    return {
        "name": ".".join(module.__name__.split(".")[-2:]),
        "title": title,
        "level": level,
        "minutes": int(minutes),
        "hints": tuple(map(_flat, HINT.split(sections["Hints"])[1:])),
        "explanation": _flat(sections["Why"]),
        "notice": _flat(sections["Notice"]),
    }


def read_mistakes(text):
    """The sentences of a text, each with the lines that stand below it."""
    mistakes = MISTAKE.findall(textwrap.dedent(text).strip() + "\n")
    return [(_flat(s), [*chain(*map(_lines, below.splitlines()))]) for s, below in mistakes]


def _lines(line):
    """The lines that are written as one, with || between their ends."""
    first, *ends = line.strip().split(" || ")
    return [first, *(BEGINNING.match(first)[0] + end for end in ends)]


def _several(answer):
    return answer if isinstance(answer, tuple) else (answer,)


def _flat(text):
    """The text with its lines joined, paragraph by paragraph."""
    return "\n\n".join(" ".join(part.split()) for part in text.strip().split("\n\n"))
