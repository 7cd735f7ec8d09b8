"""The summary of `make test` shows every failure and every skip, and what did not run at all.

What is marked `everywhere` waits for `make test ALL=1`, and is counted as waiting.
"""

import subprocess

import pytest

from tools import check, prove
from tools.reproducible import ROOT
from tools.results import EXPECTED, LEFT_OUT, Result, by_kind, table

pytest_plugins = "pytester"

WHOLE = """<testsuites><testsuite>
<testcase classname="tests.test_masks" name="test_a" time="0.5"/>
<testcase classname="tests.test_masks" name="test_b" time="0.5"/>
<testcase classname="tests.site.test_pages" name="test_c" time="1"/>
<testcase classname="code.attnbook.masks" name="masks.causal_mask" time="0"/>
<testcase classname="book.numpy.softmax.ipynb" name="Cell 0" time="0"/>
</testsuite></testsuites>"""


@pytest.fixture
def rows(tmp_path):
    def read(*replaced):
        file = tmp_path / "junit.xml"
        file.write_text(WHOLE.replace(*replaced) if replaced else WHOLE, encoding="utf-8")
        return {result.step.strip(): result for result in by_kind(file)}

    return read


def test_cases_are_counted_by_kind(rows):
    counts = {step: (row.passed, row.ok) for step, row in rows().items()}
    assert counts == {
        "browser tests": (1, True),
        "tests": (2, True),
        "doctests": (1, True),
        "notebook cells": (1, True),
    }


@pytest.mark.parametrize(
    "outcome", ["<failure/>", "<error/>", '<skipped message="no reason"/>', "<skipped/>"]
)
def test_a_failure_an_error_and_a_skip_fail_their_kind_only(rows, outcome):
    found = rows('"Cell 0" time="0"/>', f'"Cell 0" time="0">{outcome}</testcase>')
    assert [step for step, row in found.items() if not row.ok] == ["notebook cells"]


def test_a_skip_beside_a_test_that_passes_fails_as_well(rows):
    row = rows('"test_a" time="0.5"/>', '"test_a" time="1"><skipped/></testcase>')["tests"]
    assert row.passed == 1 and not row.ok


def test_a_skip_for_what_the_machine_has_not_is_no_failure_but_is_listed(rows):
    reason = f'"test_a" time="1"><skipped>masks.py:7: {EXPECTED}GPU</skipped></testcase>'
    row = rows('"test_a" time="0.5"/>', reason)["tests"]
    assert row.ok
    assert list(table([row]))[-1] == f"skipped: tests.test_masks test_a: masks.py:7: {EXPECTED}GPU"


def test_what_was_not_asked_for_is_no_failure_and_is_counted_in_one_line(rows):
    reason = f'time="0.5"><skipped>masks.py:7: {LEFT_OUT}</skipped></testcase>'
    row = rows('"test_a" time="0.5"/>', f'"test_a" {reason}')["tests"]
    assert (row.ok, row.passed, row.skipped, row.left_out) == (True, 1, [], 1)
    assert list(table([row]))[-1] == f"left out: 1 of the tests: {LEFT_OUT}"
    assert "left out" not in "".join(table([rows()["tests"]]))


def test_a_kind_of_which_nothing_ran_fails(rows):
    assert not rows("tests.site", "tests")["browser tests"].ok


def test_a_test_that_can_not_be_imported_fails(rows):
    broken = 'classname="" name="tests.test_masks" time="0"><error/></testcase>'
    assert not rows('classname="tests.test_masks" name="test_a" time="0.5"/>', broken)["tests"].ok


def test_a_step_fails_with_its_command(tmp_path):
    assert prove.step("right", ["true"], None).ok
    assert not prove.step("wrong", ["false"], None).ok


@pytest.mark.parametrize("broken", ["lint", "site"])
def test_one_failed_step_fails_the_whole_and_is_named_in_the_last_line(monkeypatch, capsys, broken):
    results = [Result(step, 1.0, ok=step != broken) for step in ("lint", "site", "pytest")]
    monkeypatch.setattr(prove, "prove", lambda folder, *options: results)
    with pytest.raises(SystemExit) as end:
        prove.main()
    assert end.value.code
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines if "FAILED " in line] == [[broken, "FAILED"]]
    assert lines[-1].startswith(f"FAILED: {broken}, in ")


def test_the_whole_passes_where_every_step_does(monkeypatch, capsys):
    monkeypatch.setattr(prove, "prove", lambda folder, *options: [Result("tests", 1.0, passed=7)])
    with pytest.raises(SystemExit) as end:
        prove.main()
    assert not end.value.code
    assert "All 7 checks passed" in capsys.readouterr().out


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
    command = ["env", "-u", "MAKEFLAGS", "-u", "ALL", "make", "-n", "test", *given]  # as by hand
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert told.returncode == 0 and ("--everywhere" in told.stdout) == asked


def test_what_make_asks_for_reaches_pytest(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(prove, "step", lambda name, command, environ: asked.append(command))
    for options in ((), ("--everywhere",)):
        prove.run_pytest({}, tmp_path, *options)
    assert ["--everywhere" in command for command in asked] == [False, True]


def test_who_checks_a_file_of_tests_means_all_of_them():
    *_, command = check.steps(["tests/test_kernels_compiled.py"]).values()
    assert "--everywhere" in command
    *_, command = check.steps(["tests/compiled_kernels.py"]).values()
    assert "--everywhere" not in command
