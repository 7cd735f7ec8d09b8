"""`make check` proves one notebook; kernels never share a socket; a list of faults is not cut."""

import subprocess
import sys

import pytest
from jupyter_client import KernelManager

from tools import check, kernels, prove
from tools.concerned import concerned_by

NOTEBOOK = "book/numpy/01-weighted-average.ipynb"


def test_each_step_looks_at_the_named_notebooks_only():
    for name, command in check.steps([NOTEBOOK]).items():
        assert command[-1] == NOTEBOOK, name


@pytest.mark.parametrize(
    ("path", "tests"),
    [
        ("code/attnbook/semantics.py", ["tests/test_semantics.py"]),
        ("code/attnbook/kernels/forward.py", ["tests/test_kernels.py"]),
        ("tests/clocks.py", ["tests/test_no_clock_decides.py"]),
        ("tests/test_masks.py", ["tests/test_masks.py"]),
        ("tools/check.py", ["tests/test_tools_check.py"]),
    ],
)
def test_code_is_proved_by_the_tests_that_import_it_or_are_named_after_it(path, tests):
    *_, command = check.steps([path]).values()
    assert command[-len(tests) :] == tuple(tests) and NOTEBOOK not in command


def test_an_exercise_is_proved_by_its_own_cases():
    path = "code/attnbook/exercises/chapters/masks/causal_mask.py"
    assert concerned_by(path)[-2:] == ["-k", "masks.causal_mask"]


@pytest.mark.parametrize("path", ["book/_ext/book_boxes.py", "code/attnbook/pytorch/heads.py"])
def test_where_no_test_is_known_the_whole_suite_is_asked_for(path):
    with pytest.raises(SystemExit, match=f"No test imports {path}: `make test`"):
        check.main([path])


def test_the_rules_and_exercises_are_asked_of_the_named_notebook_only():
    *command, _ = check.steps([NOTEBOOK])["rules, exercises and numbers"]
    command = [*command, "--collect-only"]
    said = subprocess.run(command, capture_output=True, text=True).stdout
    for test, name in [
        ("keeps_the_rule", "01-weighted-average"),
        ("_exercise", "weighted_average"),
        ("a_slip_in", "weighted_average"),
    ]:
        asked = [line for line in said.splitlines() if test in line]
        assert asked
        assert all(name in line for line in asked)


@pytest.mark.parametrize(("paths", "sentence"), [([], "Say which"), (["no.ipynb"], "no.ipynb")])
def test_a_file_that_is_not_named_or_not_there_is_asked_for(paths, sentence):
    with pytest.raises(SystemExit, match=sentence):
        check.main(paths)


@pytest.fixture
def steps(monkeypatch):
    """What `make check` runs, replaced by commands that succeed or fail."""

    def replace(*commands):
        monkeypatch.setattr(check, "steps", lambda paths: dict(zip("ab", commands, strict=True)))

    return replace


def test_one_failed_step_fails_the_check(steps, capsys):
    steps(["true"], ["true"])
    check.main([NOTEBOOK])
    assert capsys.readouterr().out.endswith("equations: `make book` proves those.\n")
    steps(["false"], ["true"])
    with pytest.raises(SystemExit) as end:
        check.main([NOTEBOOK])
    assert end.value.code


def test_kernels_speak_over_sockets_and_never_over_ports_that_another_may_take():
    assert kernels.SPEECH["transport"] == "ipc"
    assert "tools.kernels" in prove.PYTEST
    manager = kernels.nbval.kernel.KernelManager()
    assert isinstance(manager, KernelManager)
    assert manager.ip.startswith(kernels.FOLDER)


def test_a_folder_too_deep_for_a_socket_has_ports():
    assert kernels.speech("/tmp/" + "x" * 100) == {"transport": "tcp"}


def test_a_list_of_faults_is_shown_whole(tmp_path):
    test = tmp_path / "test_faults.py"
    test.write_text("def test_none():\n    assert [f'fault {i}' for i in range(60)] == []\n")
    command = [sys.executable, "-m", "pytest", "-c", "pyproject.toml", "-p", "no:cacheprovider"]
    said = subprocess.run([*command, test], capture_output=True, text=True).stdout
    assert "fault 59" in said.replace("[f'fault {i}'", "")
