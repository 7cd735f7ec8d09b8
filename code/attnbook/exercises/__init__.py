"""The book's exercises: check an answer, ask for a hint, read the solution, see the progress.

Each exercise is an object, named after its chapter and itself::

    exercises.masks.causal_mask.check(causal_mask)
    exercises.masks.causal_mask.hint()
    exercises.masks.causal_mask.solution()
    exercises.progress()
"""

from importlib import import_module

from attnbook.exercises import record
from attnbook.exercises.exercise import Exercise
from attnbook.show import Markdown

CHAPTERS = (
    "weighted_average",
    "softmax",
    "temperature",
    "masks",
    "museum",
    "dot_product",
    "additive",
    "three_ways",
    "twins",
    "precision",
    "modules",
    "libraries",
)


def __getattr__(name):
    """Import a chapter's exercises when they are first used: some chapters need PyTorch."""
    if name in CHAPTERS:
        return import_module(f"attnbook.exercises.{name}")
    raise AttributeError(f"exercises has no chapter {name!r}; it has {', '.join(CHAPTERS)}")


def every():
    """All exercises, in the order of the book."""
    return [exercise for chapter in CHAPTERS for exercise in _of(chapter)]


def find(name):
    """The exercise called `name`, such as "masks.causal_mask". Raises KeyError if there is none."""
    chapter = name.partition(".")[0]
    named = {e.name: e for e in (_of(chapter) if chapter in CHAPTERS else [])}
    if name not in named:
        raise KeyError(f"there is no exercise {name!r}")
    return named[name]


def _of(chapter):
    module = import_module(f"attnbook.exercises.{chapter}")
    return [value for value in vars(module).values() if isinstance(value, Exercise)]


def progress():
    """A table of all exercises: which are solved, and after how many tries."""
    kept = record.load()
    rows = [_row(e, kept.get(e.name, {})) for e in every()]
    solved = sum("solved" in kept.get(e.name, {}) for e in every())
    head = "| exercise | kind | tries | solved |\n|---|---|---:|---|\n"
    return Markdown(f"{head}{''.join(rows)}\n{solved} of {len(rows)} solved.")


def _row(exercise, entry):
    tries, solved = entry.get("tries", 0), entry.get("solved", "")
    return f"| {exercise.name} | {exercise.kind} | {tries} | {solved} |\n"
