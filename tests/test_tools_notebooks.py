"""Notebooks are run to the same bytes each time, and kept in one form that nbval can compare."""

import copy
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest

from tools import notebooks, prove
from tools.notebook_form import METADATA, normalise, parse


def code(source, outputs=(), count=None, tags=(), **fields):
    metadata = {"tags": list(tags)} if tags else {}
    cell = {"cell_type": "code", "metadata": metadata, "source": source}
    return cell | {"outputs": list(outputs), "execution_count": count} | fields


def stream(text, name="stdout"):
    return {"output_type": "stream", "name": name, "text": text}


def shown(kind, text):
    output = {"output_type": "display_data", "metadata": {}, "data": {kind: text}}
    return code("x", [output], 2)


ERROR = {"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": ["no"]}
TEXT = {"cell_type": "markdown", "metadata": {}, "source": "# A title", "id": "title"}


def raw(*cells):
    return {"cells": list(cells), "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}


def write(path, *cells):
    path.write_text(json.dumps(raw(*copy.deepcopy(cells))), encoding="utf-8")
    return path


def ids(path):
    return [cell.id for cell in nbformat.read(path, as_version=4).cells]


def outputs(path, place):
    return nbformat.read(path, as_version=4).cells[place].outputs


CELLS = (
    TEXT,
    code("print(1)\nprint(2)", id="mine"),
    code("import uuid"),
    code("uuid.uuid4()", tags=["nbval-ignore-output"], id="timed"),
    code("import uuid"),
    code("2", id="mine"),
)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = write(tmp_path_factory.mktemp("book") / "tiny.ipynb", *CELLS)
    assert notebooks.run(path, fresh=False) == []
    return path


def test_the_outputs_are_written_in_the_form_that_the_check_wants(path):
    assert outputs(path, 1)[0].text == "1\n2\n"
    assert notebooks.check(path) == []


def test_running_twice_changes_nothing(path):
    before = path.read_bytes()
    assert notebooks.run(path, fresh=False) == []
    assert path.read_bytes() == before


def test_ids_are_kept_and_new_ones_are_unique_and_no_accident(path, tmp_path):
    kept = ids(path)
    assert kept[:2] + kept[3:4] == ["title", "mine", "timed"]
    assert len(set(kept)) == 6
    again = write(tmp_path / "again.ipynb", *CELLS)
    again.write_text(normalise(parse(again.read_text())))
    assert ids(again) == kept


def test_fresh_times_are_taken_when_asked_for(path):
    before = outputs(path, 3)
    assert notebooks.run(path, fresh=True) == []
    assert outputs(path, 3) != before


def test_strict_nbval_with_our_flags_finds_one_changed_number(path, tmp_path):
    right, wrong = tmp_path / "right.ipynb", tmp_path / "wrong.ipynb"
    text = path.read_text(encoding="utf-8")
    right.write_text(text, encoding="utf-8")
    wrong.write_text(text.replace('"2\\n"', '"3\\n"'), encoding="utf-8")
    done = subprocess.run([*prove.PYTEST, "-n0", right, wrong], capture_output=True, text=True)
    assert "1 failed, 9 passed" in done.stdout
    assert "wrong.ipynb::Cell 0" in done.stdout


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("1 / 0", "division by zero"),
        ("import warnings\nwarnings.warn('careful')", "careful"),
    ],
)
def test_an_error_or_a_warning_stops_the_run_names_its_cell_and_writes_nothing(
    tmp_path, source, problem
):
    path = write(tmp_path / "bad.ipynb", code("1"), code(source, id="culprit"))
    before = path.read_bytes()
    found = notebooks.run(path, fresh=False)
    assert "culprit" in found[0]
    assert problem in found[0]
    assert path.read_bytes() == before


# What says that it runs, and then does nothing for some seconds.
SLEEPER = "import os; open('{}', 'w').write(str(os.getpid())); import time; time.sleep({})"
MOMENTS = {
    "a kernel starts": {"argv": [sys.executable, "-c", SLEEPER], "display_name": "No kernel"},
    "a cell runs": {},
}


def is_alive(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("moment", MOMENTS)
def test_ctrl_c_ends_the_run_in_one_sentence_and_changes_nothing(tmp_path, moment):
    runs = tmp_path / "runs"
    path = write(tmp_path / "long.ipynb", code(SLEEPER.format(runs, 99)))
    if spec := copy.deepcopy(MOMENTS[moment]):
        spec["argv"][-1] = SLEEPER.format(runs, 9)
        folder = tmp_path / "kernels/python3"
        folder.mkdir(parents=True)
        (folder / "kernel.json").write_text(json.dumps(spec | {"language": "python"}))
    before = path.read_bytes()
    run = subprocess.Popen(
        [sys.executable, "-m", "tools", "rerun", path],
        env=os.environ | {"JUPYTER_PATH": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    while not (runs.exists() and runs.read_text()):
        assert run.poll() is None
        time.sleep(0.1)
    run.send_signal(signal.SIGINT)
    said = run.communicate(timeout=60)[0]
    done = "Stopped: the notebooks named above, but for the last, are done."
    assert said == f"{path}\n\n{done}\n"
    assert path.read_bytes() == before
    kernel = int(runs.read_text())
    assert any(not is_alive(kernel) or time.sleep(0.1) for _ in range(600))


def test_the_copies_that_lab_keeps_are_no_notebooks_of_the_book(tmp_path, monkeypatch):
    names = ["numpy/a", "numpy/.ipynb_checkpoints/a-checkpoint", ".ipynb_checkpoints/b-checkpoint"]
    for path in [tmp_path / f"book/{name}.ipynb" for name in names]:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    monkeypatch.chdir(tmp_path)
    assert notebooks.chapters() == [Path("book/numpy/a.ipynb")]


FINE = (
    TEXT,
    code("1 + 1", count=1, id="a"),
    code("print(2)", [stream("2\n")], 2, id="b"),
    code("1 / 0", [ERROR], 3, ["raises-exception"], id="c"),
    shown("text/html", "<table><td>once = 1</td></table>") | {"execution_count": 4, "id": "d"},
)
WRONG = {
    "it is empty": code("", count=2),
    "its execution count is None, it should be 2": code("x = 1"),
    "its execution count is 7, it should be 2": code("x = 1", count=7),
    "it is tagged nbval-ignore-output but has no output": code(
        "x", count=2, tags=["nbval-ignore-output"]
    ),
    "it is tagged raises-exception but shows no error": code(
        "x", count=2, tags=["raises-exception"]
    ),
    "it shows an error but is not tagged raises-exception": code("x", [ERROR], 2),
    "it has an NBVAL comment": code("# NBVAL_IGNORE_OUTPUT\nx", count=2),
    "it ends in a semicolon": code("plot(x);", count=2),
    "it writes to stderr: careful": code("x", [stream("careful\n", "stderr")], 2),
    "its output names a place on one machine: /home/": code("x", [stream("/home/me/x.py")], 2),
    "its output would run a script on the page: <script": shown("text/html", "<b>1</b><script>"),
    "its output would run a script on the page: javascript:": shown(
        "text/markdown", "[here](javascript:alert())"
    ),
    "its output would run a script on the page: <img src='' onerror=": shown(
        "text/html", "<img src='' onerror='alert()'>"
    ),
    "its output would run a script on the page: <g onload=": shown(
        "image/svg+xml", "<svg><g onload='alert()'/></svg>"
    ),
    "its output would run a script on the page: application/javascript": shown(
        "application/javascript", "alert()"
    ),
}
PLACES = ("/Users/", "/root/", "/tmp/", "/work/", "ipykernel_7", "site-packages")
WRONG |= {
    f"its output names a place on one machine: {place}": code("x", [stream(f"at {place}x")], 2)
    for place in PLACES
}


def formed(path, *cells):
    path.write_text(normalise(parse(json.dumps(raw(*copy.deepcopy(cells))))), encoding="utf-8")
    return path


def test_a_notebook_in_form_has_no_problem(tmp_path):
    assert notebooks.check(formed(tmp_path / "fine.ipynb", *FINE)) == []


@pytest.mark.parametrize("problem", WRONG)
def test_the_check_refuses_each_malformed_cell_by_its_name(tmp_path, problem):
    cells = (TEXT, FINE[1], WRONG[problem] | {"id": "planted"})
    (found,) = notebooks.check(formed(tmp_path / "bad.ipynb", *cells))
    assert found.startswith("cell planted (")
    assert problem in found


def without_id(notebook):
    del notebook["cells"][1]["id"]


def twice_the_same_id(notebook):
    notebook["cells"][1]["id"] = "title"


def other_metadata(notebook):
    notebook["metadata"]["language_info"]["version"] = "3.11.7"


def timing(notebook):
    notebook["cells"][1]["metadata"]["execution"] = {"iopub.status.busy": "2026"}


def trailing_space(notebook):
    notebook["cells"][0]["source"] = ["# A title  "]


def broken_stream(notebook):
    notebook["cells"][2]["outputs"] = [stream("2"), stream("\n")]


@pytest.mark.parametrize(
    "change",
    [without_id, twice_the_same_id, other_metadata, timing, trailing_space, broken_stream],
)
def test_the_check_refuses_each_other_form(tmp_path, change):
    path = formed(tmp_path / "bad.ipynb", *FINE)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    change(notebook)
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert notebooks.check(path) == ["it is not in the form that `make notebooks` writes"]


@pytest.mark.parametrize("text", ["", "{", "{}", '{"cells": [{"cell_type": "odd"}]}'])
def test_the_check_refuses_what_is_no_notebook(tmp_path, text):
    path = tmp_path / "bad.ipynb"
    path.write_text(text)
    (found,) = notebooks.check(path)
    assert found.startswith("it is not a notebook")
