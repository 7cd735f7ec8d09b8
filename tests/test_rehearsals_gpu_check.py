"""`gpu-check` rehearsed as a whole on a made-up GPU: what each fault leaves behind.

Agreement is that of `rehearsed_agreement.py`, the race that of `rehearsed_race.py`.
"""

import json
import sys
import time
from pathlib import Path

import pytest
from made_up_gpu import WHERE
from rehearsed_race import CASES, FORMS

from benchmarks.check import command as gpu_check
from benchmarks.check import inspection

HERE = Path(__file__).parent
SAYS = [sys.executable, "-c", "print('none')"]
TEST = "tests/rehearsed_agreement.py::test_with_another_assembler"
WHOLE = gpu_check.agreement


@pytest.fixture
def stand_ins(tmp_path, monkeypatch):
    """No step needs a GPU; `fault` chooses what goes wrong in the race."""
    monkeypatch.setenv("OUT", str(tmp_path / "out"))
    monkeypatch.setenv("TEST_SECONDS", "4")
    monkeypatch.setattr(gpu_check, "READY", ("-c", ""))
    monkeypatch.setattr(gpu_check, "warm", lambda python: [SAYS])
    monkeypatch.setattr(gpu_check, "AGREEMENT", 300)
    monkeypatch.setattr(inspection, "commands", lambda python: {"memcheck": SAYS})
    monkeypatch.setattr(gpu_check, "agreement", lambda python, tests: SAYS)
    real = gpu_check.racing

    def racing(fault, form="peer"):
        start = [sys.executable, str(HERE / "rehearsed_race.py"), fault, form]
        short = ["--late", "1", "--seconds", "0"]
        monkeypatch.setattr(gpu_check, "racing", lambda *given: [*start, *real(*given)[3:], *short])

    return racing


def checked(minutes=20):
    with pytest.raises(SystemExit) as ended:
        gpu_check.main(minutes)
    return bool(ended.value.code)


def record(folder):
    (file,) = folder.glob("*.json")
    return json.loads(file.read_text())


@pytest.mark.parametrize("fault", ["hangs", "is killed, later"])
def test_the_race_goes_on_after_a_peer_that_hangs_or_is_killed(stand_ins, tmp_path, fault):
    stand_ins(fault)
    assert not checked()
    rows = record(tmp_path / "out")["rows"]
    assert [(row["case"], row["form"]) for row in rows] == [
        (case.id, form) for case in CASES for form in FORMS
    ]
    assert [row["form"] for row in rows if "refused" in row] == ["peer", "peer"]
    assert (tmp_path / "out" / "race.log").read_text().count("this is process") == 2
    assert not list((tmp_path / "out").glob("*.running"))


@pytest.mark.everywhere
def test_what_fails_is_tried_again_with_another_assembler(stand_ins, tmp_path, monkeypatch, capsys):
    """Both answers are kept: the test passes then, and ours is still wrong."""
    other = tmp_path / "ptxas"
    other.write_text("#!/bin/sh\necho release 99.9, V99.9.1\n")
    other.chmod(0o755)
    monkeypatch.setenv("SECOND_PTXAS", str(other))
    stand_ins("disagrees", "ours")
    asked = []
    real = gpu_check.agreed

    def agreed(python, out, folder, environ, seconds, tests=(), name="agreement"):
        asked.append((name, list(tests), environ.get("TRITON_PTXAS_PATH")))
        return real(python, out, folder, environ, seconds, tests or [TEST], name)

    monkeypatch.setattr(gpu_check, "agreement", WHOLE)
    monkeypatch.setattr(gpu_check, "agreed", agreed)
    assert checked()
    said = capsys.readouterr().out
    assert asked == [("agreement", [], None), ("agreement-again", [TEST], str(other))]
    assert f"with the assembler 99.9.1: {other}" in said
    log = (tmp_path / "out" / "agreement.log").read_text()
    again = (tmp_path / "out" / "agreement-again.log").read_text()
    assert "1 failed" in log and "1 passed" in again
    first, second = record(tmp_path / "out"), record(tmp_path / "out" / "again")
    assert first["environment"]["ptxas"] == WHERE["ptxas"]
    assert {row["case"] for row in second["rows"]} == {CASES[1].id}
    for line in (
        "agreement           FAILED",
        "race                FAILED",
        "agreement-again     ok",
        "race again          FAILED",
        "memcheck            ok",
        f"FAILED {TEST}",
    ):
        assert line in said
    assert len([file for file in (tmp_path / "out").rglob("*") if file.is_file()]) <= 8


def test_where_there_is_no_other_assembler_that_is_said(stand_ins, monkeypatch, capsys):
    monkeypatch.setattr(gpu_check.assembler, "another", lambda: None)
    stand_ins("fails", "ours")
    assert checked() and "There is no other assembler" in capsys.readouterr().out


def has_ended(process):
    """Whether a process is gone, or waits for somebody to ask how it ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_a_process_that_leaves_others_behind_is_not_waited_for(tmp_path):
    """They hold its output open, as processes do that only watch or compile."""
    child = "import time; time.sleep(1000)"
    code = f"import os, subprocess, sys; x = subprocess.Popen([sys.executable, '-c', {child!r}]); "
    run = [sys.executable, "-c", code + "print(x.pid, flush=True); os._exit(2)"]
    assert gpu_check.step(run, tmp_path / "a.log", gpu_check.surroundings(), 1000) == 2
    left = int((tmp_path / "a.log").read_text())
    for _ in range(6000):  # it is told to end, and does so when its turn comes
        if has_ended(left):
            break
        time.sleep(0.01)
    assert has_ended(left)


def test_what_runs_when_the_time_is_over_is_named_and_not_broken(tmp_path, monkeypatch, capsys):
    (out := tmp_path / "out").mkdir()
    (out / "a.running").write_text('["a case", "peer"]')
    sleeps = [sys.executable, "-c", "import time; time.sleep(1000)"]
    monkeypatch.setattr(gpu_check, "racing", lambda *given: sleeps)
    assert gpu_check.raced("py", out, gpu_check.surroundings(), lambda: -14.0) == 124
    assert 'while this ran: ["a case", "peer"]' in capsys.readouterr().out
    assert not (out / "a.running").exists()


def test_each_tool_that_is_there_has_a_command(tmp_path, monkeypatch):
    monkeypatch.setattr(inspection, "tool", lambda name: None)
    assert inspection.commands("py") == {}
    monkeypatch.setattr(inspection, "tool", lambda name: f"here/{name}")
    found = inspection.commands("py")
    assert list(found) == ["memcheck", "counters"]
    assert all("benchmarks.check.inspection" in command for command in found.values())
    assert "--clock-control" in found["counters"]  # the clocks are left alone
