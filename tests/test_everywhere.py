"""What is marked `everywhere` waits for `make test ALL=1`, and the summary says how much waits."""

import subprocess

import pytest

from tools import check, prove
from tools.reproducible import ROOT
from tools.results import by_kind

pytest_plugins = "pytester"

TWO = """
import pytest
def test_here(): pass
@pytest.mark.everywhere
def test_there(): pass
"""


@pytest.mark.parametrize(("options", "counts"), [((), (1, 1)), (("--everywhere",), (2, 0))])
def test_marked_tests_wait_for_the_flag_and_are_counted(request, pytester, options, counts):
    pytester.makepyprojecttoml("[tool.pytest.ini_options]\nmarkers = ['everywhere']")
    pytester.makepyfile(TWO)
    ours = request.config.pluginmanager.get_plugin(str(ROOT / "tests/conftest.py"))
    pytester.inline_run("--junitxml=junit.xml", *options, plugins=[ours])
    found = {row.step.strip(): row for row in by_kind("junit.xml")}["tests"]
    assert (found.passed, found.left_out, found.skipped) == (*counts, [])


@pytest.mark.parametrize(("given", "asked"), [((), False), (("ALL=1",), True)])
def test_make_asks_for_them_with_all(given, asked):
    told = subprocess.run(["make", "-n", "test", *given], cwd=ROOT, capture_output=True, text=True)
    assert told.returncode == 0 and ("--everywhere" in told.stdout) == asked


def test_what_make_asks_for_reaches_pytest(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(prove, "step", lambda name, command, environ: asked.append(command))
    for options in ((), ("--everywhere",)):
        prove.run_pytest({}, tmp_path, *options)
    assert ["--everywhere" in command for command in asked] == [False, True]


def test_who_checks_a_file_of_tests_means_all_of_them():
    *_, command = check.steps(["tests/test_kernels_compiled_elsewhere.py"]).values()
    assert "--everywhere" in command
    *_, command = check.steps(["tests/compiled_kernels.py"]).values()
    assert "--everywhere" not in command
