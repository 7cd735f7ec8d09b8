"""The command of the race: turns, and a file that grows, resumes, and refuses what is not its."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from made_up_gpu import RATES, WHERE, MadeUp

from attnbook.measure import roofline
from attnbook.measure.record import RACE_ENVIRONMENT
from benchmarks.race import cases, command, race, record, turns

ROOT = Path(__file__).parents[1]


def test_calls_take_turns_and_the_first_rounds_do_not_count():
    order = []
    calls = {name: lambda name=name: order.append(name) for name in "ab"}
    late = [(9.0, 0.0)] * 2 * turns.WARM + [(i, 0.1) for i in range(100)]
    found = turns.turns(calls, MadeUp(late), seconds=0)
    assert order == list("ab") * (turns.WARM + turns.FEWEST)
    assert found["a"].seconds == list(range(0, 22, 2))
    assert found["b"].seconds == list(range(1, 22, 2))
    assert found["a"].host == 0.1


@pytest.mark.parametrize(("seconds", "n"), [(0, 11), (0.048, 20), (9, 51)])
def test_there_are_as_many_rounds_as_fit(seconds, n):
    """Each call takes 2 ms of the GPU and 0.4 ms of the host."""
    found = turns.turns({"a": lambda: None}, MadeUp(), seconds)
    assert len(found["a"].seconds) == n


def test_the_gpu_is_held_for_as_long_as_the_host_needed_and_half_as_long_again():
    machine = MadeUp()
    turns.turns({"a": lambda: None}, machine, 0)
    assert [round(hold, 6) for _, hold in machine.log] == [0] + [0.0006] * (turns.WARM + 10)


def test_spread_and_ratio_are_over_rounds():
    one, two = turns.Timing([1, 2, 3, 4, 5], 0), turns.Timing([1, 4, 3, 8, 20], 0)
    assert (one.median, one.spread) == (3, pytest.approx(2 / 3))
    assert turns.ratio(two, one) == 2
    assert turns.turns({}, MadeUp()) == {}


@pytest.fixture
def short(monkeypatch):
    """Three cases, and rows that take no time."""
    three = cases.cases()[:3]
    asked = []

    def rows(case, forms, machine, ceilings, seconds, broken, running):
        asked.append((case.id, broken))
        return [{"case": case.id, "form": "ours", "milliseconds": 1.0, "spread": 0.1, "share": 0.5,
                 "TFLOP/s": 1.0, "times what is kept": 1.0}]  # fmt: skip

    monkeypatch.setattr(command.of, "cases", lambda: three)
    monkeypatch.setattr(race, "rows", rows)
    return types(asked=asked, cases=three)


def types(**given):
    return type("Short", (), given)


def run(*given, where=WHERE):
    return command.run(
        command._arguments([str(x) for x in given]), MadeUp(), lambda m: RATES, where
    )


def test_the_file_grows_and_a_second_run_measures_only_what_is_left(short, tmp_path, capsys):
    file = tmp_path / "a.json"
    assert run(file, "--only", short.cases[0].id) == 0
    assert [row["case"] for row in json.loads(file.read_text())["rows"]] == [short.cases[0].id]
    assert run(file) == 0
    assert [case for case, _ in short.asked] == [case.id for case in short.cases]
    found = json.loads(file.read_text())
    assert [row["run"] for row in found["rows"]] == [0, 1, 1] and found["ceilings"] == [RATES] * 2
    assert found["environment"] == WHERE and found["settings"]["dtype"] == "bfloat16"
    told = MadeUp().condition()
    assert found["conditions"] == [{"case": case.id} | told for case in short.cases]
    assert run(file) == 0 and len(short.asked) == 3
    assert "3 of 3 cases" in capsys.readouterr().out
    assert run(file, "--replace") == 0 and len(short.asked) == 6


def test_a_file_is_never_half_written(tmp_path, monkeypatch):
    kept = record.Record(tmp_path / "a.json", {"environment": WHERE, "settings": 1, "cases": []})
    kept.begin(RATES)
    before = kept.file.read_text()
    monkeypatch.setattr(record.os, "replace", lambda *files: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        kept.add([{"case": "x"}])
    assert kept.file.read_text() == before


@pytest.mark.parametrize("key", RACE_ENVIRONMENT)
def test_another_machines_or_commits_file_is_not_written_to(short, tmp_path, capsys, key):
    file = tmp_path / "a.json"
    run(file, "--only", short.cases[0].id)
    before = file.read_text()
    assert run(file, where=WHERE | {key: "other"}) == 1
    assert file.read_text() == before and len(short.asked) == 1
    said = capsys.readouterr().out
    assert f"{key} {WHERE[key]}, not other" in said and "--replace" in said


def test_the_record_that_is_kept_is_gone_on_with_if_it_is_of_the_same(
    short, tmp_path, capsys, monkeypatch
):
    kept = tmp_path / "kept.json"
    monkeypatch.setattr(command, "default_file", lambda gpu: kept)
    run("--only", short.cases[0].id)
    before = kept.read_text()
    (tmp_path / "out").mkdir()
    assert run(tmp_path / "out", "--earlier") == 0 and (tmp_path / "out/kept.json").exists()
    assert len(short.asked) == 3 and kept.read_text() == before
    assert run(tmp_path / "b.json", "--earlier", where=WHERE | {"commit": "def"}) == 0
    assert len(short.asked) == 6 and kept.read_text() == before
    assert "commit abc1234, not def: all is measured again" in capsys.readouterr().out
    kept.unlink()
    assert run(tmp_path / "c.json", "--earlier") == 0 and len(short.asked) == 9


@pytest.mark.parametrize("key", ["date", "processor"])
def test_another_day_goes_on(short, tmp_path, key):
    file = tmp_path / "a.json"
    run(file, "--only", short.cases[0].id)
    assert run(file, where=WHERE | {key: "other"}) == 0 and len(short.asked) == 3


def test_a_file_of_something_else_or_of_other_settings_is_refused(short, tmp_path, monkeypatch):
    file = tmp_path / "a.json"
    file.write_text(json.dumps({"command": "python -m attnbook.measure"}))
    assert run(file) == 1 and not short.asked
    file.unlink()
    run(file, "--only", short.cases[0].id)
    monkeypatch.setitem(command.SETTINGS, "seed", 1)
    assert run(file) == 1 and len(short.asked) == 1


def test_no_case_begins_when_the_minutes_are_over(short, tmp_path, monkeypatch, capsys):
    clock = iter([0, 0, 119, 121, 122])
    monkeypatch.setattr(command.time, "monotonic", lambda: next(clock))
    assert run(tmp_path / "a.json", "--minutes", 2) == 0
    assert len(short.asked) == 2
    assert "2 minutes are over" in (said := capsys.readouterr().out)
    assert "Made Up 9000: 3 of 3 cases to measure" in said and "[2/3, 119 s]" in said
    assert "2 of 3 cases" in said and "goes on with the rest" in said


def test_memory_that_runs_out_ends_the_case_and_not_the_race(short, tmp_path, monkeypatch):
    def full(case, *given):
        raise torch.OutOfMemoryError("CUDA out of memory.\nTried to allocate")

    monkeypatch.setattr(race, "rows", full)
    assert run(tmp_path / "a.json") == 1
    rows = json.loads((tmp_path / "a.json").read_text())["rows"]
    assert [row["refused"] for row in rows] == ["OutOfMemoryError: CUDA out of memory."] * 3


def test_a_machine_without_a_gpu_is_told_so_in_one_sentence():
    if torch.cuda.is_available():
        pytest.skip("this machine has no lack of a GPU")
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.race", "nothing.json"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT / "code"), "PATH": ""},
    )
    assert (done.returncode, done.stdout, done.stderr.strip()) == (1, "", command.NO_GPU)
    assert not (ROOT / "nothing.json").exists()


def test_on_a_gpu_it_races_or_only_compiles(monkeypatch):
    asked = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(command, "Gpu", lambda: "the GPU")
    monkeypatch.setattr(command, "forms", lambda folder: f"forms of {folder}")
    monkeypatch.setattr(command, "environment", lambda: {"gpu": "Made Up"})
    monkeypatch.setattr(command, "source", lambda: "0123")
    monkeypatch.setattr(command, "warm", lambda *given: asked.append(given))
    monkeypatch.setattr(command, "run", lambda args, *given: asked.append((args.file, *given)) or 7)
    command.main(["--warm", "2/5", "--peers", "there"])
    assert asked == [(2, 5, "forms of there", "the GPU")]
    with pytest.raises(SystemExit, match="7"):
        command.main(["a.json"])
    where = {"gpu": "Made Up", "source": "0123"}
    assert asked[1] == (Path("a.json"), "the GPU", command.rates, where)


def test_the_ceilings_are_those_of_bfloat16_to_four_digits(monkeypatch):
    def ceilings(dtype, device, n):
        assert (dtype, device, n) == (torch.bfloat16, "cpu", turns.FEWEST)
        return roofline.Ceilings(123456.0, 2.0, 3.00009)

    monkeypatch.setattr(command, "ceilings", ceilings)
    assert command.rates(MadeUp()) == {"flops": 123500.0, "exps": 2.0, "bytes": 3.0}


def test_each_way_has_its_forms_and_the_seconds_that_are_asked_for(short, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(command, "forms", lambda folder, way: (folder, way))
    whole = race.rows
    monkeypatch.setattr(race, "rows", lambda *given: asked.append(given) or whole(*given))
    run(tmp_path / "a.json", "--seconds", 3, "--peers", "there")
    for case, (found, every, machine, rates, seconds, broken, _) in zip(
        short.cases, asked, strict=True
    ):
        assert (found, every) == (case, (Path("there"), case.way)) and rates == RATES
        assert machine.log == ["forget"] * 3 and (seconds, broken) == (3, {})
