"""The book's exercises: check an answer, ask for a hint, read the solution, see the progress.

Each exercise is an object, named after its chapter and itself::

    exercises.masks.causal_mask.check(causal_mask)
    exercises.masks.causal_mask.hint()
    exercises.masks.causal_mask.solution()
    exercises.progress()
    exercises.progress("masks")
"""

import ast
from importlib import import_module
from pathlib import Path

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
    "scale",
    "additive",
    "three_ways",
    "heads",
    "positions",
    "gradients",
    "online",
    "linear",
    "twins",
    "precision",
    "modules",
    "libraries",
    "cost",
    "fused",
    "triton",
    "machine_code",
    "many_gpus",
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


def names(chapters=CHAPTERS):
    """The names of all exercises, read from the chapters' source: some chapters need PyTorch."""
    return [f"{chapter}.{name}" for chapter in chapters for name in _names_in(chapter)]


def _names_in(chapter):
    source = (Path(__file__).parent / chapter / "__init__.py").read_text(encoding="utf-8")
    assigned = (node for node in ast.parse(source).body if isinstance(node, ast.Assign))
    return [node.targets[0].id for node in assigned]


def progress(chapter=None):
    """A table of all exercises, or a chapter's: which are solved, and after how many tries.

    Raises ValueError if there is no such chapter.
    """
    if chapter is not None and chapter not in CHAPTERS:
        raise ValueError(f"chapter is {chapter!r}; expected one of {', '.join(CHAPTERS)}")
    kept = record.load()
    chosen = CHAPTERS if chapter is None else [chapter]
    entries = {name: kept.get(name, {}) for name in names(chosen)}
    solved = sum("solved" in entry for entry in entries.values())
    rows = (
        f"| {name} | {entry.get('tries', 0)} | {entry.get('solved', '')} |\n"
        for name, entry in entries.items()
    )
    head = "| exercise | tries | solved |\n|---|---:|---|\n"
    return Markdown(f"{head}{''.join(rows)}\n{solved} of {len(entries)} solved.")
