"""`make check` proves one file; kernels never share a socket; a list of faults is not cut."""

import subprocess
import sys

import pytest
from jupyter_client import KernelManager

from tools import check, kernels, nearest_tests, prove, pytest_budget
from tools.nearest_tests import MOST, cases_of, nearest, nearest_to

NOTEBOOK = "book/numpy/weighted-average.ipynb"
EXERCISES = "code/attnbook/exercises/chapters"


def test_each_step_looks_at_the_named_notebooks_only():
    for name, command in check.steps([NOTEBOOK]).items():
        assert command[-1] == NOTEBOOK, name


@pytest.mark.parametrize(
    ("path", "test"),
    [
        ("code/attnbook/masks.py", "tests/test_masks.py"),  # of more than twenty that use masks
        ("code/attnbook/kernels/forward.py", "tests/test_kernels.py"),
        ("code/attnbook/pytorch/heads.py", "tests/test_heads.py"),
        ("code/attnbook/measure/results/processor.json", "tests/test_measure.py"),
        ("book/_ext/book_sharing.py", "tests/site/test_build_sharing.py"),
        ("_toc.yml", "tests/test_chapters.py"),
        ("tests/clocks.py", "tests/test_no_clock_decides.py"),
        ("tools/check.py", "tests/test_tools_check.py"),
    ],
)
def test_a_file_is_proved_by_the_tests_nearest_to_it(path, test):
    tests = nearest_to([path])
    assert tests[0] == test and len(tests) <= MOST
    *_, command = check.steps([path]).values()
    assert command[-len(tests) :] == tuple(tests) and NOTEBOOK not in command


@pytest.mark.parametrize("path", ["book/index.md", "book/_static/map.svg"])
def test_what_a_tool_writes_is_proved_by_its_tests(path):
    assert "tests/test_tools_ways.py" in nearest_to([path])


def test_the_site_is_asked_only_once_it_is_built(monkeypatch, tmp_path):
    for built in (True, False):
        page = tmp_path / "index.html"
        page.touch() if built else page.unlink()
        monkeypatch.setattr(nearest_tests, "SITE", page)
        asked = nearest("book/index.md")
        assert any(test.startswith("tests/site/") for test in asked) == built


def test_what_no_test_speaks_of_is_proved_by_those_of_its_importers():
    path = "code/attnbook/exercises/engine/draw.py"
    assert nearest(path) == []
    assert "tests/test_solutions.py" in nearest_to([path])


def test_an_exercise_is_proved_by_its_own_cases_and_a_family_by_those_of_its_exercises():
    assert cases_of(f"{EXERCISES}/masks/causal_mask.py") == ["masks.causal_mask"]
    assert cases_of(f"{EXERCISES}/masks/__init__.py") == ["masks."]
    family = "code/attnbook/exercises/families/triangles.py"
    assert "masks.causal_mask" in cases_of(family)


def test_several_files_are_proved_together_and_no_test_runs_twice():
    tests = ["tests/test_masks.py", "tests/test_linear.py"]
    modules = [f"code/attnbook/{name}.py" for name in ("masks", "linear", "positions")]
    exercise = f"{EXERCISES}/weighted_average/by_hand.py"
    *_, cases, whole, near = check.steps([NOTEBOOK, exercise, *tests, *modules]).values()
    assert cases.count("tests/test_exercises.py") == 1 and NOTEBOOK in cases
    assert whole[-2:] == tuple(tests)
    assert set(modules) <= set(near) and not set(tests) & set(near)
    first = [nearest_to([module])[0] for module in modules]
    assert nearest_to(modules)[:3] == first


def test_where_no_test_is_known_the_whole_suite_is_asked_for(tmp_path):
    unknown = tmp_path / "".join(["un", "known.txt"])
    unknown.touch()
    with pytest.raises(SystemExit, match=f"No test speaks of {unknown}: `make test`"):
        check.main([str(unknown)])


def test_after_a_minute_a_test_is_skipped_and_before_it_is_not(monkeypatch):
    monkeypatch.setattr(pytest_budget, "used", lambda: pytest_budget.SECONDS - 1)
    pytest_budget.pytest_runtest_setup(None)
    monkeypatch.setattr(pytest_budget, "used", lambda: pytest_budget.SECONDS + 1)
    with pytest.raises(pytest.skip.Exception, match="`make test` runs it"):
        pytest_budget.pytest_runtest_setup(None)


def test_the_first_that_fails_ends_a_check(tmp_path):
    test = tmp_path / "test_two.py"
    test.write_text("def test_one():\n    assert 0\n\n\ndef test_two():\n    assert 0\n")
    command = [*check.WITHIN, "-n", "0", "-c", "pyproject.toml", test]
    said = subprocess.run(command, capture_output=True, text=True).stdout
    assert "1 failed" in said and "2 failed" not in said


def test_the_rules_and_exercises_are_asked_of_the_named_notebook_only():
    *command, _ = check.steps([NOTEBOOK])["rules, exercises and numbers"]
    command = [*command, "--collect-only"]
    said = subprocess.run(command, capture_output=True, text=True).stdout
    for test, name in [
        ("keeps_the_rule", "weighted-average.ipynb"),
        ("_exercise", "weighted_average"),
        ("a_slip_in", "weighted_average"),
        ("up_to_date", "test_tools_ways.py"),
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
