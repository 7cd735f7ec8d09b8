"""`make gpu-check`, with steps that need no GPU: order, logs, limits of time, status.

Then its steps one at a time: commands, surroundings, the minutes of each.
"""

import os
import re
import signal
import subprocess
import sys
import time
import types
from pathlib import Path

import pytest

from benchmarks.check import command as gpu_check
from benchmarks.race import command

ROOT = Path(__file__).parents[1]


def runs(code):
    return [sys.executable, "-c", "import os, subprocess, sys, time; " + code]


def says(text, status=0):
    return runs(f"print({text!r}); sys.exit({status})")


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


def status(*given):
    with pytest.raises(SystemExit) as ended:
        gpu_check.main(*given)
    return ended.value.code


def test_agreement_comes_before_the_race_and_both_are_kept(steps, tmp_path, capsys):
    assert not status()
    said = capsys.readouterr().out
    assert said.index("they agree") < said.index("they race") < said.index("=== summary")
    words = re.compile("they agree|they race|warm one|warm two")  # two speak at once: no lines
    logs = {log.stem: sorted(words.findall(log.read_text())) for log in tmp_path.glob("*.log")}
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
    child = runs(f"time.sleep(4); open({str(mark)!r}, 'w')")
    steps.setattr(gpu_check, "AGREEMENT", 1)
    steps.setattr(gpu_check, "agreement", lambda python, tests: runs(f"subprocess.run({child})"))
    assert status() == 1
    assert "agreement           FAILED, status 124" in (said := capsys.readouterr().out)
    assert "they race" in said
    time.sleep(4)
    assert not mark.exists()


def test_what_only_compiles_is_not_waited_for_long(steps):
    """Else this would never end."""
    steps.setattr(gpu_check, "warm", lambda python: [runs("\nwhile True: pass")])
    assert not status(0.2)


@pytest.mark.everywhere  # it collects them all anew
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


def test_what_is_imported_is_here_and_what_was_set_stays(monkeypatch):
    monkeypatch.setenv("KEPT", "too")
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    for name in ("TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR"):  # which PyTorch sets, too
        monkeypatch.delenv(name, raising=False)
    found = gpu_check.surroundings()
    places = [str(ROOT / "code"), str(ROOT / "tests"), str(ROOT)]
    assert found["PYTHONPATH"].split(os.pathsep) == places
    assert (found["PYTHONUNBUFFERED"], found["KEPT"]) == ("1", "too")
    assert found["TRITON_CACHE_DIR"] == str(ROOT / "gpu-check/cache/triton")
    assert found["TORCHINDUCTOR_CACHE_DIR"] == str(ROOT / "gpu-check/cache/torchinductor")
    assert found["KINETO_LOG_LEVEL"] == "99"
    monkeypatch.setenv("TRITON_CACHE_DIR", "there")
    assert gpu_check.surroundings()["TRITON_CACHE_DIR"] == "there"
    assert os.environ["PYTHONPATH"] == "elsewhere"


@pytest.mark.parametrize(("cores", "n"), [(None, 1), (1, 1), (2, 1), (5, 2), (16, 8), (64, 8)])
def test_every_other_core_compiles_and_tests(monkeypatch, cores, n):
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    assert [race_of(run).warm for run in gpu_check.warm("py")] == [f"{i}/{n}" for i in range(n)]
    monkeypatch.setattr(gpu_check.importlib.util, "find_spec", {"xdist": 1}.get)
    assert after("-n", gpu_check.agreement("py")) == str(n)
    monkeypatch.setattr(gpu_check.importlib.util, "find_spec", {}.get)
    assert "-n" not in gpu_check.agreement("py")


def test_agreement_is_asked_of_its_tests_with_no_settings_of_ours():
    run = gpu_check.agreement("py")
    assert run[0] == "py" and run[-1] == str(ROOT / "tests/test_kernels_gpu.py")
    assert after("-c", run) == os.devnull
    assert gpu_check.agreement("py", ["one", "two"])[-2:] == ["one", "two"]


@pytest.mark.parametrize(("minutes", "said"), [(3.2145, 3.21), (0.05, 0.1), (-1, 0.1)])
def test_the_race_goes_on_with_what_is_kept_for_the_minutes_that_are_left(minutes, said):
    race = race_of(gpu_check.racing("py", Path("out"), minutes))
    assert (race.file, race.minutes, race.earlier) == (Path("out"), said, True)
    only = race_of(gpu_check.racing("py", Path("out"), minutes, ["one case", "another"]))
    assert only.only == ["one case", "another"]


def race_of(run):
    """What the race understands of a command."""
    assert run[:3] == ["py", "-m", "benchmarks.race"]
    return command._arguments(run[3:])


def after(option, run):
    return run[run.index(option) + 1]


def test_what_a_step_says_is_shown_and_kept_behind_what_was_there(tmp_path, capsys):
    log = tmp_path / "some.log"
    log.write_text("before\n")
    code = "print(os.environ['X'], os.getcwd()); sys.stderr.write('told\\n'); sys.exit(3)"
    found = gpu_check.step(runs(code), log, os.environ | {"X": "1"}, 60)
    said = capsys.readouterr().out
    assert found == 3 and f"1 {ROOT}\n" in said and "told\n" in said
    assert "\n=== some\n" in said and "some: status 3 after" in said
    assert log.read_text().startswith("before\n") and "told\n" in log.read_text()


@pytest.mark.parametrize("seconds", [0.5, 0, -9])
def test_a_step_that_is_late_has_the_status_124(tmp_path, capsys, seconds):
    log = tmp_path / "some.log"
    assert gpu_check.step(runs("time.sleep(60)"), log, os.environ, seconds) == 124
    assert "status 124" in capsys.readouterr().out


def test_a_process_that_is_done_is_not_ended_and_one_that_is_not_is(tmp_path):
    with open(tmp_path / "log", "ab") as log:
        one = gpu_check.started(runs("print('done', flush=True)"), os.environ, log)
        gpu_check.finish(one, 60)
        two = gpu_check.started(runs("time.sleep(60)"), os.environ, log)
        assert os.getpgid(two.pid) == two.pid != os.getpgid(0)
        gpu_check.finish(two, -1)
    assert (one.returncode, two.returncode) == (0, -signal.SIGKILL)
    assert (tmp_path / "log").read_text() == "done\n"
    gpu_check.end(one)  # who is gone already is no error


@pytest.fixture
def clock(monkeypatch, tmp_path):
    """A check of which each step takes as long as a test says; what it is given, in order."""
    seen = types.SimpleNamespace(now=0.0, took=[], asked=[], statuses=[])

    def step(command, log, environ, seconds):
        seen.asked.append((command, log.name, seconds))
        seen.now += seen.took.pop(0)
        return seen.statuses.pop(0)

    def started(command, environ, log):
        seen.asked.append((command, environ["TORCHINDUCTOR_COMPILE_THREADS"], log.name))
        return "process"

    asks = types.SimpleNamespace(returncode=0)
    monkeypatch.setattr(gpu_check.time, "monotonic", lambda: seen.now)
    monkeypatch.setattr(gpu_check.subprocess, "run", lambda *given, **named: asks)
    monkeypatch.setattr(gpu_check, "warm", lambda python: ["warm"])
    monkeypatch.setattr(gpu_check, "agreement", lambda python, tests: "agree")
    race = lambda python, out, minutes, only: ("race", out, minutes)  # noqa: E731
    monkeypatch.setattr(gpu_check, "racing", race)
    monkeypatch.setattr(gpu_check.inspection, "commands", lambda python: {})
    monkeypatch.setattr(gpu_check, "step", step)
    monkeypatch.setattr(gpu_check, "started", started)
    monkeypatch.setattr(gpu_check, "finish", lambda process, wait: seen.asked.append(wait))
    monkeypatch.setenv("OUT", str(tmp_path / "a" / "b"))
    return seen


def test_the_minutes_are_shared_out(clock, tmp_path, capsys):
    """Ten minutes, of which agreement takes 100 seconds: the race has what is left but 15."""
    clock.took, clock.statuses = [100, 50], [0, 0]
    out = tmp_path / "a" / "b"
    assert not status(10)
    warm, agree, wait, race = clock.asked
    assert warm == ("warm", "2", str(out / "warm.log")) and out.is_dir()
    assert agree == ("agree", "agreement.log", 200) and wait == 60
    assert race == (("race", out, (500 - 15) / 60), "race.log", 500 + 15)
    assert "=== summary, 2.5 minutes, logs in b/" in (said := capsys.readouterr().out)
    assert "agreement           ok" in said and "race                ok" in said
    clock.took, clock.statuses = [100, 50], [0, 1]
    assert status(3) and clock.asked[6] == 80 / 4  # a quarter of what is left
    assert gpu_check.MINUTES == 8  # as the pages say
    assert "race                FAILED, status 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("took", "statuses", "races", "failed"),
    [
        ([1, 1, 1], [0, 2, 0], 2, False),
        ([1] * 12, [0] + [2] * 11, 9, True),  # eight times more, and no more
        ([1, 1, 1], [0, -9, 0], 2, False),
        ([1, 30, 1], [0, 2, 0], 1, True),  # 29 seconds are left
        ([1, 29, 1], [0, 2, 0], 2, False),
        ([1, 1, 1], [0, 1, 0], 1, True),
    ],
)
def test_a_race_that_a_peer_broke_goes_on_while_there_is_time(clock, took, statuses, races, failed):
    clock.took, clock.statuses = took, statuses
    assert bool(status(1)) == failed
    assert sum(each[1] == "race.log" for each in clock.asked if isinstance(each, tuple)) == races


def test_records_are_here_if_nobody_says_where(clock, monkeypatch, tmp_path):
    monkeypatch.setattr(gpu_check, "ROOT", tmp_path)
    monkeypatch.setenv("OUT", "")
    for _ in range(2):  # a folder that is there already is no error
        clock.took, clock.statuses = [1, 1], [0, 0]
        assert not status(1)
    assert (tmp_path / "gpu-check" / "warm.log").exists()
    assert clock.asked[-1][0][1] == tmp_path / "gpu-check"
