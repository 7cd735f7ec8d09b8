"""Prove a change: of notebooks all that they print, of others a minute of the nearest tests.

python -m tools check book/numpy/softmax.ipynb code/attnbook/linear.py
"""

import sys
import tempfile
from itertools import chain
from pathlib import Path

from tools.command import ending
from tools.nearest_tests import OF_EXERCISES, cases_of, is_test, nearest_to
from tools.prove import PYTEST, PYTHON, step
from tools.reproducible import settings

ALONE = *PYTEST, "-n", "0"
WITHIN = *PYTEST, "-x", "-p", "tools.pytest_budget"
OF_CHAPTERS = "tests/test_chapters.py", "tests/test_tools_ways.py"
FIRST_PAGE = "the_first_page_and_the_map"


def steps(paths):
    """The commands that prove these files and nothing else."""
    found = {}
    if linted := [path for path in paths if path.endswith((".py", ".ipynb"))]:
        found["lint"] = (PYTHON, "-m", "ruff", "check", *linted)
        found["format"] = (PYTHON, "-m", "ruff", "format", "--check", *linted)
    if notebooks := [path for path in paths if path.endswith(".ipynb")]:
        found["form"] = (PYTHON, "-m", "tools", "notebooks", "--check", *notebooks)
    if cases := {path: names for path in paths if (names := cases_of(path))}:
        name = "rules, exercises and numbers" if notebooks else "exercises"
        found[name] = (*ALONE, *_of_cases(cases, notebooks))
    if tests := [path for path in paths if is_test(path)]:
        found["tests"] = (*ALONE, "--everywhere", *tests)
    if near := _of_others([path for path in paths if path not in [*cases, *tests]], tests):
        found[f"nearest tests: {' '.join(near)}"] = (*(WITHIN if near[1:] else ALONE), *near)
    return found


def _of_cases(cases, notebooks):
    rules, first_page = (OF_CHAPTERS, [FIRST_PAGE]) if notebooks else ((), [])
    wanted = " or ".join([*chain(*cases.values()), *first_page])
    return "-k", wanted, *rules, *OF_EXERCISES, *notebooks


def _of_others(paths, tests):
    """Their own doctests, and the tests nearest to them that do not run anyway."""
    doctests = [path for path in paths if path.startswith("code/") and path.endswith(".py")]
    return doctests + [test for test in nearest_to(paths) if test not in tests]


def main(paths):
    if not paths:
        sys.exit("Say which file, as in: make check FILE=book/numpy/softmax.ipynb")
    paths = [Path(path).as_posix() for path in paths]
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
