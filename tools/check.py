"""Prove notebooks in seconds: form, rules, exercises, and every number they print.

python -m tools.check book/numpy/02-softmax.ipynb
"""

import sys
import tempfile
from pathlib import Path

from tools.command import ending
from tools.prove import PYTEST, PYTHON, step
from tools.reproducible import settings

EXERCISES = "tests/test_exercises.py"


def steps(paths):
    """The commands that prove these notebooks and nothing else."""
    names = [Path(path).stem for path in paths]
    exercises = [f"{name.partition('-')[2].replace('-', '_')}." for name in names]
    tests = (*("-k", " or ".join(names + exercises)), "tests/test_chapters.py", EXERCISES)
    return {
        "lint": (PYTHON, "-m", "ruff", "check", *paths),
        "format": (PYTHON, "-m", "ruff", "format", "--check", *paths),
        "form": (PYTHON, "-m", "tools.notebooks", "--check", *paths),
        "rules, exercises and numbers": (*PYTEST, "-n", "0", *tests, *paths),
    }


def main(paths):
    if not paths:
        sys.exit("Say which notebook, as in: make check NB=book/numpy/02-softmax.ipynb")
    if missing := [path for path in paths if not Path(path).is_file()]:
        sys.exit(f"There is no notebook {missing[0]}")
    with tempfile.TemporaryDirectory() as folder:
        environ = settings(folder)
        results = [step(name, command, environ) for name, command in steps(paths).items()]
    failed = [result.step for result in results if not result.ok]
    if failed:
        sys.exit(f"FAILED: {', '.join(failed)}")
    print("Proved, but for links, citations and equations: `make book` proves those.")


if __name__ == "__main__":
    with ending("Stopped before all was checked."):
        main(sys.argv[1:])
