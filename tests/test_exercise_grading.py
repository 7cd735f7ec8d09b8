"""Learners' notebooks are graded: whatever is in one, it gets a result, and so do the others."""

import json
import os
import subprocess
import sys

import nbformat
import pytest

from attnbook.exercises.engine import graded
from attnbook.exercises.engine.grade import grade, told
from tools.reproducible import ROOT

IMPORTS = "import numpy as np\nfrom attnbook import exercises"
RIGHT = (
    "def causal_mask(n_q, n_k):\n    return np.tri(n_q, n_k, n_k - n_q, dtype=bool)\n"
    "exercises.masks.causal_mask.check(causal_mask)"
)
WRONG = RIGHT.replace("n_k - n_q", "0")
OPEN = "scores = ...\nexercises.masks.added.check(scores)"


@pytest.fixture
def notebook(tmp_path):
    def write(*sources, name="learner.ipynb"):
        cells = [nbformat.v4.new_code_cell(source) for source in (IMPORTS, *sources)]
        path = tmp_path / name
        nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
        return path

    return write


def states(graded):
    names = ("masks.causal_mask", "masks.added", "masks.tree_mask")
    return [graded.exercises[name]["state"] for name in names]


def test_each_exercise_gets_its_state_and_what_the_check_said(notebook):
    found = grade(notebook("%matplotlib inline\nprint('x' * 10**6)", RIGHT, OPEN))
    assert states(found) == ["right", "open", "not judged"]
    assert (found.right, found.errors, found.ended) == (1, {}, "")
    wrong = grade(notebook(WRONG))
    assert states(wrong) == ["wrong", "not judged", "not judged"]
    assert "masks.causal_mask" in told(wrong) and "anchored at the top left" in told(wrong)


def test_the_best_of_several_answers_counts_and_a_cell_that_raises_stops_nothing(notebook):
    found = grade(notebook("1 / 0", WRONG, RIGHT, WRONG, "raise SystemExit"))
    assert states(found)[0] == "right"
    assert found.errors == {2: "ZeroDivisionError: division by zero", 6: "SystemExit: "}


HOSTILE = {
    "while True: pass": "it computed for too long",
    "import signal; signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass": "killed",
    "import os; os._exit(0)": "its process ended",
    "import os, signal; os.kill(os.getpid(), signal.SIGKILL)": "it was killed",
}


@pytest.mark.parametrize(("source", "said"), HOSTILE.items())
def test_what_was_judged_before_a_hostile_cell_counts(source, said, notebook):
    found = grade(notebook(RIGHT, source, WRONG), computing=4)
    assert states(found)[0] == "right"
    assert said in found.ended


def test_a_notebook_that_waits_is_stopped(notebook):
    found = grade(notebook("import time; time.sleep(10**6)"), waiting=2)
    assert found.ended == "it was stopped after 2 seconds"


def test_memory_and_network_are_limited(notebook):
    greedy = "x = [np.empty(10**8) for _ in range(100)]"
    calling = "import socket; socket.create_connection(('127.0.0.1', 9), 5)"
    found = grade(notebook(greedy, calling, RIGHT))
    assert "MemoryError" in found.errors[2] or "Unable to allocate" in found.errors[2]
    assert "Error" in found.errors[3]
    assert states(found)[0] == "right"


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"cells": 3}', '{"cells": [{}]}', "\0"])
def test_a_file_that_is_no_notebook_says_so(text, tmp_path):
    (tmp_path / "broken.ipynb").write_text(text, encoding="utf-8")
    assert "it is not a notebook" in told(grade(tmp_path / "broken.ipynb"))
    assert "it is not a notebook" in told(grade(tmp_path / "missing.ipynb"))


def test_the_command_grades_all_and_writes_them(notebook, tmp_path):
    (tmp_path / "broken.ipynb").write_text("[", encoding="utf-8")
    paths = [notebook(RIGHT), tmp_path / "broken.ipynb", notebook(WRONG, name="other.ipynb")]
    command = [
        sys.executable,
        "-m",
        "attnbook.exercises",
        "grade",
        *paths,
        "--json",
        tmp_path / "x",
    ]
    environ = os.environ | {"PYTHONPATH": str(ROOT / "code")}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environ)
    assert [line.split(": ")[1][:4] for line in done.stdout.splitlines() if line[0] != " "] == [
        *("1 of", "0 of", "0 of")
    ]
    written = json.loads((tmp_path / "x").read_text(encoding="utf-8"))
    found = [each["exercises"].get("masks.causal_mask", {}).get("state") for each in written]
    assert found == ["right", None, "wrong"]


def test_lines_that_only_jupyter_knows_are_left_out(notebook):
    assert graded.cells(notebook("%timeit x\n!ls\ny = 1 % 2"))[1] == "\n\ny = 1 % 2"
