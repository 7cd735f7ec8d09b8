"""Prove a change: of notebooks all that they print, of others a minute of the nearest tests.

python -m tools check book/numpy/softmax.ipynb code/attnbook/linear.py
"""

import sys
import tempfile
from pathlib import Path

from tools.command import ending
from tools.nearest_tests import OF_EXERCISES, arguments_for
from tools.prove import PYTEST, PYTHON, step
from tools.reproducible import settings

ALONE = *PYTEST, "-n", "0"
WITHIN = *PYTEST, "-x", "-p", "tools.pytest_budget"


def steps(paths):
    """The commands that prove these files and nothing else."""
    found = {}
    if linted := [path for path in paths if path.endswith((".py", ".ipynb"))]:
        found["lint"] = (PYTHON, "-m", "ruff", "check", *linted)
        found["format"] = (PYTHON, "-m", "ruff", "format", "--check", *linted)
    if notebooks := [path for path in paths if path.endswith(".ipynb")]:
        found["form"] = (PYTHON, "-m", "tools", "notebooks", "--check", *notebooks)
        found["rules, exercises and numbers"] = (*ALONE, *_of_chapters(notebooks))
    for path in paths:
        if path not in notebooks:
            if not (tests := arguments_for(path)):
                sys.exit(f"No test speaks of {path}: `make test` proves it.")
            pytest = ALONE if len(tests) == 1 or "-k" in tests else WITHIN
            options = ["--everywhere"] if tests == [path] else []
            found[f"tests of {path}: {' '.join(tests)}"] = (*pytest, *options, *tests)
    return found


def _of_chapters(notebooks):
    names = [Path(path).name for path in notebooks]
    exercises = [f"{Path(path).stem.replace('-', '_')}." for path in notebooks]
    wanted = " or ".join(names + exercises)
    return "-k", wanted, "tests/test_chapters.py", *OF_EXERCISES, *notebooks


def main(paths):
    if not paths:
        sys.exit("Say which file, as in: make check FILE=book/numpy/softmax.ipynb")
    if missing := [path for path in paths if not Path(path).is_file()]:
        sys.exit(f"There is no file {missing[0]}")
    with tempfile.TemporaryDirectory() as folder:
        environ = settings(folder)
        results = [step(name, command, environ) for name, command in steps(paths).items()]
    failed = [result.step for result in results if not result.ok]
    if failed:
        sys.exit(f"FAILED: {', '.join(failed)}")
    if any(path.endswith(".ipynb") for path in paths):
        print("No check compares the numbers in text, captions and alternative text: read them.")
        print("Proved, but for links, citations and equations: `make book` proves those.")
    else:
        print("Passed the tests nearest to it; what else it touches, `make test` proves.")


if __name__ == "__main__":
    with ending("Stopped before all was checked."):
        main(sys.argv[1:])
