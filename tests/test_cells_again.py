"""A cell runs again after all others: no later one takes a name that it reads."""

import os
import subprocess
import sys

import pytest
from cell_names import taken

from tools.reproducible import ROOT

NUMPY = ROOT / "book/numpy"
BACKWARDS = """
import json, sys
from pathlib import Path
cells = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["cells"]
cells = [cell for cell in cells if cell["cell_type"] == "code"]
names = {"__name__": "__main__"}
for number, cell in enumerate(cells + cells[::-1]):
    expected = "raises-exception" in cell["metadata"].get("tags", [])
    try:
        exec("".join(cell["source"]), names)
    except Exception as error:
        if not expected:
            sys.exit(f"{cell['id']}, run {1 + number // len(cells)}: {error!r}")
"""
TAKEN = {
    "a name that a later cell rebinds": ["x = 1", "print(x)", "x = 2"],
    "a name that the cell itself rebinds": ["x = 1", "x = x + 1"],
    "a sum that grows": ["x = 1", "x += 1"],
    "a loop's variable": ["n = 20", "print(n)", "for n in (1, 2):\n    pass"],
    "a context's": ["f = 1", "print(f)", "with open('a') as f:\n    pass"],
    "a name in a body": ["x = 1", "if True:\n    print(x)", "x = 2"],
    "an import": ["from a import f", "f()", "def f():\n    raise NotImplementedError"],
    "what a function reads": ["x = 1", "def f():\n    return x", "f()", "x = 2"],
    "what a function in a table reads": ["x = 1", "t = {'f': lambda: x}", "t['f']()", "x = 2"],
    "an exercise's answer": ["scores = [1]", "print(scores)", "scores, T = ..., ..."],
}
LEFT = {
    "bound before it is read": ["x = 1", "x = 2\nprint(x)", "x = 3"],
    "bound by a loop before": ["n = 1", "for n in (1, 2):\n    print(n)", "n = 3"],
    "a parameter and a local name": ["x = 1", "def f(x):\n    y = x\n    return y", "x = y = 2"],
    "a comprehension's": ["x = 1", "[x for x in (1, 2)]", "x = 2"],
    "an error's name": ["e = 1", "try:\n    pass\nexcept OSError as e:\n    print(e)", "e = 2"],
    "the same import": ["from a import f", "f()", "from a import f"],
    "read only where it is bound": ["x = 1\nprint(x)", "x = 2\nprint(x)"],
}


@pytest.mark.parametrize("case", TAKEN)
def test_a_name_that_is_taken_is_found(case):
    assert list(taken(TAKEN[case]))


@pytest.mark.parametrize("case", LEFT)
def test_what_a_cell_binds_itself_is_not_taken(case):
    assert list(taken(LEFT[case])) == []


def test_cell_name_and_taker_are_told():
    assert list(taken(["x = y = 1", "print(y)", "print(x)", "y = 2", "x = 2"])) == [
        (1, "y", 3),
        (2, "x", 4),
    ]


def backwards(path, folder):
    """What a notebook says of its first cell that fails, run whole and then from its last cell."""
    environment = os.environ | {"XDG_DATA_HOME": str(folder), "MPLBACKEND": "agg"}
    command = [sys.executable, "-c", BACKWARDS, str(path)]
    run = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=path.parent)
    return run.stderr.strip().split("\n")[-1] if run.returncode else ""


@pytest.mark.parametrize("name", ["masks", "online", "flash-attention"])
def test_every_cell_of_a_chapter_runs_again_after_the_last(name, tmp_path):
    assert backwards(NUMPY / f"{name}.ipynb", tmp_path) == ""


def test_a_chapter_in_which_a_cell_cannot_run_again_is_found(tmp_path):
    notebook = (NUMPY / "flash-attention.ipynb").read_text(encoding="utf-8")
    spoiled = tmp_path / "spoiled.ipynb"
    spoiled.write_text(
        notebook.replace("left, _ = online", "left, _ = flash, _ = online"), encoding="utf-8"
    )
    assert "run 2: TypeError(\"'numpy.ndarray' object is not callable" in backwards(
        spoiled, tmp_path
    )
