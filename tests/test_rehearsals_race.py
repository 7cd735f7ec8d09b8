"""The race rehearsed on a made-up GPU: whatever one form does, all that was done before is kept.

Each rehearsal is a process of its own (`rehearsed_race.py`), as it is on a GPU, and goes on in a
second one where the first came to an end. All are forked from one that has imported what they need.
"""

import json
import multiprocessing
import os
import signal
import tempfile
from multiprocessing import forkserver
from pathlib import Path

import pytest
from made_up_gpu import RATES, WHERE, MadeUp, plain
from rehearsed_race import CASES, FORMS, speaking

from benchmarks.race import command, race, record, turns

HERE = Path(__file__).parent
FIRST, SECOND, THIRD = (case.id for case in CASES)
LATE = "it was not done after 1 s"
ENDED = "its process was ended while it ran"
ILLEGAL = "RuntimeError: CUDA error: an illegal memory access was encountered"


@pytest.fixture(scope="module", autouse=True)
def imported():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([str(HERE.parent / "code"), str(HERE)]))
        forkserver.set_forkserver_preload(["rehearsed_race"])
        forkserver.ensure_running()


def rehearsed(fault, file, form="peer"):
    """The status of one process, and what it says."""
    given = [fault, form, str(file), "--late", "1", "--seconds", "0.001"]
    with tempfile.NamedTemporaryFile() as says:
        start = multiprocessing.get_context("forkserver").Process
        process = start(target=speaking, args=(says.name, *given))
        process.start()
        process.join(100)  # where nothing else ends what hangs
        process.kill()
        return process.exitcode, Path(says.name).read_text()


def kept(file):
    """Case and form → why it has no time; None where it has one."""
    rows = json.loads(file.read_text())["rows"]
    return {(row["case"], row["form"]): row.get("refused") for row in rows}


ENDS = [
    ("hangs, later", 2, LATE),
    ("hangs, and holds Python's lock", -signal.SIGALRM, ENDED),
    ("is killed, later", -signal.SIGKILL, ENDED),
    ("breaks the GPU", 2, ILLEGAL),
    ("breaks the GPU, later", 2, ILLEGAL),
]


@pytest.mark.parametrize(("fault", "status", "why"), ENDS)
def test_what_ends_the_process_is_named_and_left_out_of_the_next(tmp_path, fault, status, why):
    file = tmp_path / "a.json"
    found, said = rehearsed(fault, file)
    assert found == status, said
    assert kept(file) == {(FIRST, form): None for form in FORMS}
    assert (why == ENDED) == (tmp_path / "a.running").exists()
    assert ("rehearsed_race.py" in said) == ("hangs" in fault)  # where it hung
    found, said = rehearsed(fault, file)
    assert found == 0, said
    reasons = {(SECOND, "peer"): why, (THIRD, "peer"): f"in the case {SECOND}: {why}"}
    every = [(case.id, form) for case in CASES for form in FORMS]
    assert kept(file) == dict.fromkeys(every) | reasons
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.json"]
    if why == ENDED:
        assert f"{SECOND}, peer: the process before was ended while it ran" in said


REASONS = [
    ("fails", "RuntimeError: no kernel"),
    ("is out of memory", "OutOfMemoryError: CUDA out of memory."),
    ("is out of memory, later", "OutOfMemoryError: CUDA out of memory."),
    ("disagrees", "its error, whole, is 0.5; expected at most 0.03, what rounding makes"),
]


@pytest.mark.parametrize(("fault", "why"), REASONS)
def test_what_fails_leaves_the_other_forms_their_times(tmp_path, fault, why):
    """The process goes on; its status says whether it was ours."""
    file, form = tmp_path / "a.json", "peer" if fault == "fails" else "ours"
    status, said = rehearsed(fault, file, form)
    assert status == (form == "ours"), said
    every = [(case.id, form) for case in CASES for form in FORMS]
    assert kept(file) == dict.fromkeys(every) | {(SECOND, form): why}
    assert (f"OURS FAILED {SECOND}: ours: {why}" in said) == (form == "ours")


def test_ours_is_left_out_of_one_case_only_and_has_failed_there(tmp_path):
    file = tmp_path / "a.json"
    assert rehearsed("hangs", file, "ours")[0] == 2
    status, said = rehearsed("hangs", file, "ours")
    assert status == 1 and f"OURS FAILED {SECOND}: ours: {LATE}" in said
    assert [at for at, why in kept(file).items() if why] == [(SECOND, "ours")]


@pytest.mark.parametrize(
    ("form", "more", "wrong"),
    [
        ("ours", {}, True),
        ("ours, second choice", {}, False),  # there may be none
        ("ours, second choice", {"error": 1}, True),
        ("ours, second choice", {"broken": True}, True),
        ("peer", {"error": 1, "broken": True}, False),
    ],
)
def test_a_form_of_ours_that_broke_or_does_not_agree_has_failed(form, more, wrong):
    assert bool(command._is_ours_and_wrong({"form": form, "refused": LATE} | more)) == wrong


def test_what_runs_is_written_down_before_it_runs(tmp_path):
    """In agreement, in each round of the clock, and when memory is measured."""
    case = CASES[0]
    kept = record.Record(tmp_path / "a.json", {"environment": WHERE, "settings": 1, "cases": []})
    kept.begin(RATES)
    seen = []

    def note(what):
        seen.append((what, *json.loads(kept.mark.read_text())))

    class Sees(MadeUp):
        def time(self, call, hold=0.0):
            note("time")
            return super().time(call, hold)

        def peak(self, call):
            note("peak")
            return super().peak(call)

    def form(case, x, machine):
        note("agree")
        return plain(case, x, machine)

    race.rows(case, {"peer": form}, Sees(), RATES, 0, {}, lambda name: kept.running(case, name))
    rounds = turns.WARM + turns.FEWEST
    assert [what for what, *_ in seen] == ["agree", *["time"] * rounds, "peak"]
    assert {tuple(mark) for _, *mark in seen} == {(case.id, "peer")}
    assert not kept.mark.exists()


def test_an_interrupt_and_a_mark_that_is_empty_break_nothing(tmp_path):
    kept = record.Record(tmp_path / "a.json", {"environment": WHERE, "settings": 1, "cases": []})
    with pytest.raises(KeyboardInterrupt), kept.running(CASES[0], "peer"):
        assert kept.mark.exists()
        raise KeyboardInterrupt
    assert not kept.mark.exists()
    kept.mark.write_text("")  # it was ended before it could write
    assert kept.after_an_end(CASES) is None and kept.broken(CASES[0]) == {}
    assert kept.after_an_end(CASES) is None
    kept.mark.write_text(json.dumps(["a case of another commit", "peer"]))
    assert kept.after_an_end(CASES) and kept.broken(CASES[0]) == {}


def test_a_case_that_fails_by_itself_is_lost_and_no_more(tmp_path, monkeypatch, capsys):
    """For instance where there is no memory for what all forms are judged by."""
    whole = race.exact

    def exact(case, x):
        if case == CASES[1]:
            raise RuntimeError("no room for the scores")
        return whole(case, x)

    monkeypatch.setattr(race, "exact", exact)
    monkeypatch.setattr(command.of, "cases", lambda: CASES)
    monkeypatch.setattr(command, "forms", lambda folder, way: {"ours": plain})
    args = command._arguments([str(tmp_path / "a.json"), "--only", "causal", "--seconds", "0"])
    assert command.run(args, MadeUp(), lambda machine: RATES, WHERE) == 1
    lost = "RuntimeError: no room for the scores"
    assert kept(tmp_path / "a.json") == {(SECOND, "ours"): lost, (THIRD, "ours"): None}
    assert "Traceback" in capsys.readouterr().out


def test_a_gpu_that_is_dead_before_any_form_asks_for_another_process(tmp_path, monkeypatch):
    def exact(case, x):
        raise RuntimeError("CUDA error: an illegal memory access was encountered")

    monkeypatch.setattr(race, "exact", exact)
    monkeypatch.setattr(command.of, "cases", lambda: CASES)
    machine = MadeUp()
    machine.alive = False
    args = command._arguments([str(tmp_path / "a.json")])
    with pytest.raises(SystemExit, match="2"):
        command.run(args, machine, lambda machine: RATES, WHERE)
    assert kept(tmp_path / "a.json") == {}
