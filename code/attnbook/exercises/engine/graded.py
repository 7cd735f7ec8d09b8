"""Run one learner's notebook, and write what its exercises come to: the process behind `grade`.

    python -m attnbook.exercises.engine.graded NOTEBOOK SECONDS

Each line of stdout is an exercise's name, its state and what was said, or a cell that raised, as
JSON; what the notebook prints goes nowhere. Lines are written at once, so that whatever ends the
process later, what was judged before it counts.
"""

import contextlib
import ctypes
import json
import os
import re
import resource
import sys

NEW_USER, NEW_NETWORK = 0x10000000, 0x40000000  # of Linux's unshare
MEMORY = 4 << 30  # bytes that it may write to
MAGIC = re.compile(r"^\s*[%!].*$", re.MULTILINE)


def limit(seconds):
    """Take from this process time, memory and, where Linux allows it, the network."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    with contextlib.suppress(ValueError, OSError):  # macOS knows of no such limit
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    if sys.platform == "linux":
        kinds = NEW_NETWORK | (NEW_USER if os.geteuid() else 0)
        ctypes.CDLL(None).unshare(kinds)


def cells(path):
    """The code of a notebook, cell by cell, without the lines that only Jupyter knows."""
    with open(path, encoding="utf-8") as file:
        notebook = json.load(file)
    code = (cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    return [MAGIC.sub("", "".join(cell["source"])) for cell in code]


def main(path, seconds):
    limit(int(seconds))
    sources = cells(path)
    report = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)

    from attnbook.exercises.engine.exercise import Exercise

    def tell(**said):
        print(json.dumps(said), file=report)

    def check(exercise, *answer):
        verdict = exercise.verdict(*answer)
        tell(exercise=exercise.name, state=verdict.state, said=verdict.text)

    Exercise.check = check
    names = {"__name__": "__main__"}
    for number, source in enumerate(sources, 1):
        try:
            exec(compile(source, f"cell {number}", "exec"), names)
        except BaseException as error:  # a cell that fails is the learner's; the others count
            tell(cell=number, error=f"{type(error).__name__}: {error}"[:200])
    tell(ended=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
