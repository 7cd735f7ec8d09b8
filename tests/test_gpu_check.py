"""`make gpu-check`, with steps that need no GPU: order, logs, limits of time, status."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.check import command as gpu_check

ROOT = Path(__file__).parents[1]


def says(text, status=0):
    return [sys.executable, "-c", f"import sys; print({text!r}); sys.exit({status})"]


@pytest.fixture
def steps(tmp_path, monkeypatch):
    """Steps that say something and end well, which a test may replace."""
    monkeypatch.setenv("OUT", str(tmp_path))
    monkeypatch.setattr(gpu_check, "READY", ("-c", ""))
    monkeypatch.setattr(gpu_check.inspection, "commands", lambda python: {})
    monkeypatch.setattr(gpu_check, "warm", lambda python: [says("warm one"), says("warm two")])
    monkeypatch.setattr(gpu_check, "agreement", lambda python, tests: says("they agree"))
    monkeypatch.setattr(gpu_check, "racing", lambda python, out, minutes, only: says("they race"))
    return monkeypatch


def status(**given):
    with pytest.raises(SystemExit) as ended:
        gpu_check.main(**given)
    return ended.value.code


def test_agreement_comes_before_the_race_and_both_are_kept(steps, tmp_path, capsys):
    assert not status()
    said = capsys.readouterr().out
    assert said.index("they agree") < said.index("they race") < said.index("=== summary")
    logs = {log.stem: sorted(log.read_text().split("\n"))[1:] for log in tmp_path.glob("*.log")}
    assert logs == {
        "agreement": ["they agree"],
        "race": ["they race"],
        "warm": ["warm one", "warm two"],
    }


@pytest.mark.parametrize("wrong", ["agreement", "racing"])
def test_what_fails_does_not_stop_the_rest_and_shows_in_the_status(steps, capsys, wrong):
    steps.setattr(gpu_check, wrong, lambda *given: says("it failed", 1))
    assert status() == 1
    said = capsys.readouterr().out
    assert ("they race" in said) == (wrong == "agreement")
    assert ("they agree" in said) == (wrong == "racing")
    assert said.count("FAILED, status 1") == 1


def test_a_step_that_is_late_is_ended_with_all_that_it_started(steps, tmp_path, capsys):
    mark = tmp_path / "alive"
    child = f"import time; time.sleep(4); open({str(mark)!r}, 'w')"
    slow = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    steps.setattr(gpu_check, "AGREEMENT", 1)
    steps.setattr(gpu_check, "agreement", lambda python, tests: [sys.executable, "-c", slow])
    assert status() == 1
    assert "agreement           FAILED, status 124" in (said := capsys.readouterr().out)
    assert "they race" in said
    time.sleep(4)
    assert not mark.exists()


def test_what_only_compiles_is_not_waited_for_long(steps):
    """Else this would never end."""
    steps.setattr(gpu_check, "warm", lambda python: [[sys.executable, "-c", "while True: pass"]])
    assert not status(minutes=0.2)


def test_the_tests_of_agreement_are_found_and_wait_for_a_gpu(tmp_path):
    without = {"CUDA_VISIBLE_DEVICES": "", "TEST_LOG": str(tmp_path / "notes")}
    done = subprocess.run(
        [*gpu_check.agreement(sys.executable), "-n", "0"],
        capture_output=True,
        text=True,
        env=gpu_check.surroundings() | without,
    )
    assert "this machine has no GPU" in done.stdout and done.returncode in (0, 5), done.stdout


def test_a_machine_without_a_gpu_is_told_so_in_one_sentence(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.check"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"CUDA_VISIBLE_DEVICES": "", "OUT": str(tmp_path / "out")},
    )
    assert done.returncode == 1 and not (tmp_path / "out").exists()
    assert done.stderr == "gpu-check needs a GPU: PyTorch finds none\n" and not done.stdout


def test_make_hands_over_commit_and_minutes_and_makes_no_environment():
    run = ["make", "-n", "-C", str(ROOT), "gpu-check", "COMMIT=abc1234", "MINUTES=5"]
    said = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    line = "ATTNBOOK_COMMIT=abc1234 sh tools/python -m benchmarks.check 5"
    assert line in said and ".venv" not in said and "environment" not in said
