"""The book's exercises: check an answer, ask for a hint, read the solution, see the progress.

Each exercise is an object, named after its chapter and itself::

    exercises.masks.causal_mask.check(causal_mask)
    exercises.masks.causal_mask.hint()
    exercises.masks.causal_mask.solution()
    exercises.progress()
    exercises.progress("masks")

The pages of the book keep a record, too; a file takes what was solved from one to the other::

    exercises.import_progress("progress.json")
    exercises.export_progress("progress.json")
"""

import json
from importlib import import_module
from pathlib import Path

from attnbook.exercises.engine import record
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
    "past_the_trained_length",
    "gradients",
    "online",
    "flash_attention",
    "linear",
    "twins",
    "precision",
    "error_budget",
    "modules",
    "libraries",
    "alignment",
    "weights",
    "transformer",
    "teach",
    "circuit",
    "cache",
    "cost",
    "roofline",
    "fused",
    "flex_attention",
    "triton",
    "machine_code",
    "many_gpus",
)


def __getattr__(name):
    """A chapter, whose exercises are imported when they are first used: some need PyTorch."""
    if name in CHAPTERS:
        return Chapter(name)
    raise AttributeError(f"exercises has no chapter {name!r}; it has {', '.join(CHAPTERS)}")


def __dir__():
    return [*globals(), *CHAPTERS]


class Chapter:
    """The exercises of one chapter, each an attribute."""

    def __init__(self, name):
        self.name = name

    def __getattr__(self, name):
        if name not in names_in(self.name):
            known = ", ".join(names_in(self.name))
            raise AttributeError(f"{self.name} has no exercise {name!r}; it has {known}")
        return import_module(f"{__name__}.chapters.{self.name}.{name}").exercise

    def __dir__(self):
        return names_in(self.name)


def every():
    """All exercises, in the order of the book."""
    return list(map(find, names()))


def find(name):
    """The exercise called `name`, such as "masks.causal_mask". Raises KeyError if there is none."""
    if name not in names():
        raise KeyError(f"there is no exercise {name!r}")
    chapter, _, own = name.partition(".")
    return getattr(Chapter(chapter), own)


def names(chapters=CHAPTERS):
    """The names of all exercises, in order; no exercise is imported, since some need PyTorch."""
    return [f"{chapter}.{name}" for chapter in chapters for name in names_in(chapter)]


def names_in(chapter):
    return list(import_module(f"{__name__}.chapters.{chapter}").EXERCISES)


def progress(chapter=None):
    """A table of all exercises, or a chapter's: which are solved, and after how many tries.

    Raises ValueError if there is no such chapter.
    """
    if chapter is not None and chapter not in CHAPTERS:
        raise ValueError(f"chapter is {chapter!r}; expected one of {', '.join(CHAPTERS)}")
    records = record.load()
    chosen = CHAPTERS if chapter is None else [chapter]
    entries = {name: records.get(name, {}) for name in names(chosen)}
    solved = sum("solved" in entry for entry in entries.values())
    rows = (
        f"| {name} | {entry.get('tries', 0)} | {entry.get('solved', '')} |\n"
        for name, entry in entries.items()
    )
    head = "| exercise | tries | solved |\n|---|---:|---|\n"
    return Markdown(f"{head}{''.join(rows)}\n{solved} of {len(entries)} solved.")


def export_progress(path):
    """Write which exercises are tried and solved to a file, which a page of the book can take."""
    Path(path).write_text(json.dumps(record.load(), indent=1), encoding="utf-8")


def import_progress(path):
    """Add what a page of the book, or `export_progress`, has written: solved there is solved here.

    Raises ValueError if the file holds no record of exercises; nothing is changed then.
    """
    try:
        found = record.parsed(Path(path).read_text(encoding="utf-8"))
    except ValueError as wrong:
        said = f"path is {str(path)!r}: expected a record of exercises, {wrong}"
        raise ValueError(said) from None
    record.join({name: found[name] for name in found if name in names()})
