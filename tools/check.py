"""Prove notebooks in seconds: their form, the rules of a chapter, and every number they print.

python -m tools.check book/numpy/02-softmax.ipynb
"""

import sys
import tempfile
from pathlib import Path

from tools.command import ending
from tools.prove import PYTEST, PYTHON, step
from tools.reproducible import settings


def steps(paths):
    """The commands that prove these notebooks and nothing else."""
    rules = " or ".join(Path(path).stem for path in paths)
    return {
        "lint": (PYTHON, "-m", "ruff", "check", *paths),
        "format": (PYTHON, "-m", "ruff", "format", "--check", *paths),
        "form": (PYTHON, "-m", "tools.notebooks", "--check", *paths),
        "rules and numbers": (*PYTEST, "-n", "0", "-k", rules, "tests/test_chapters.py", *paths),
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
    sys.exit(f"FAILED: {', '.join(failed)}" if failed else None)


if __name__ == "__main__":
    with ending("Stopped before all was checked."):
        main(sys.argv[1:])
