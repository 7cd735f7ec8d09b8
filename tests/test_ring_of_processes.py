"""Ranks as processes, started by torchrun: agreement, bytes, and what becomes of a rank in need."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import pytest
from ring_cases import CASES, WORK

from attnbook.distributed import (
    Machine,
    Work,
    head_parallel_bytes,
    launch,
    ring_backward_bytes,
    ring_bytes,
    ring_seconds,
    timed,
    trials,
)
from attnbook.distributed.ring import Ring

RANKS = 1, 2, 4
TRIALS = "-m", "attnbook.distributed"
EPSILON = 1e-14  # float64 has 2e-16, and each number here is a few hundred roundings


@cache
def found(n_ranks):
    return json.loads(launch(n_ranks, Path(__file__).with_name("ring_cases.py")))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("n_ranks", RANKS)
def test_processes_give_what_one_gives(n_ranks, case):
    forward, backward, _, _ = found(n_ranks)[case]
    assert forward < EPSILON and backward < EPSILON


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("n_ranks", RANKS)
def test_bytes_are_exactly_those_predicted(n_ranks, case):
    *_, there, back = found(n_ranks)[case]
    predict = {"heads": (head_parallel_bytes,) * 2}.get(
        case.split()[0], (ring_bytes, ring_backward_bytes)
    )
    assert [there, back] == [f(WORK, n_ranks) for f in predict]


def test_the_formula_is_the_sum_over_steps():
    one = 2 * 2 * 4 * (48 // 4) * 6 * 8  # keys and values, B, h_kv, n / w, d, bytes
    assert ring_bytes(WORK, 4) == 3 * one
    assert ring_backward_bytes(WORK, 4) == 3 * one + 4 * one


@pytest.mark.parametrize("n_ranks", RANKS)
def test_short_floats_travel_short_and_their_gradients_in_float32(n_ranks):
    steps, sent = found(n_ranks)["half"]
    short = WORK._replace(itemsize=2)
    assert sent == ring_bytes(short, n_ranks) + ring_backward_bytes(short, n_ranks)
    assert (
        steps < 2
    )  # rounded once: half a step of bfloat16, 1/256, of the largest; inputs are exact


@pytest.mark.parametrize("n_ranks", RANKS)
def test_a_group_of_processes_has_a_ring_of_its_own(n_ranks):
    assert found(n_ranks)["two rings"] < EPSILON


@pytest.mark.parametrize("n_ranks", (2, 4))
def test_a_wrong_ring_is_seen_to_be_wrong(n_ranks):
    assert found(n_ranks)["wrong"] > 1e-3


@pytest.mark.parametrize("n_ranks", (2, 4))
def test_as_many_bytes_leave_through_the_machines_connections(n_ranks):
    ratio = found(n_ranks)["on the wire"]
    if ratio is None:
        pytest.skip("this machine has no TCP_INFO")
    assert 1 <= ratio < 1.01  # headers, and the barrier before and after


def test_ranks_that_send_different_numbers_are_found(monkeypatch):
    monkeypatch.setattr(trials, "compare", lambda *_: ((0.0, 0.0), [0, 0]))
    assert trials.agree_among(Ring())["ring forward"] == (True, 0, 0)
    monkeypatch.setattr(
        trials, "max_over_ranks", lambda ring, number: max(number, 1)
    )  # another sent 1
    assert trials.agree_among(Ring())["ring forward"] == (False, None, 0)


def test_times_are_predicted_from_what_the_same_run_measured():
    found = timed(2)
    assert set(found.seconds) == {512, 1024, 2048}
    machine = Machine(found.flops, found.bandwidth)
    predicted = [ring_seconds(Work(n, 4, 4, 64, 4), 2, machine) for n in found.seconds]
    assert [said for said, _ in found.seconds.values()] == predicted


@pytest.mark.parametrize("kind", ("end", "hang"))
def test_a_rank_in_need_stops_all_with_a_sentence(kind):
    with pytest.raises(RuntimeError, match="the run of 3 ranks has failed") as caught:
        launch(3, *TRIALS, "--seconds", 3, "fault", kind, 1)
    lines = str(caught.value).splitlines()[1:]
    assert untrue(lines) == [] and {"0", "2"} <= {rank for rank, _ in stops(lines)}
    assert ("rank 1 ended, and did not say why" in lines) == (kind == "end")


def stops(lines):
    return [line.removeprefix("rank ").split(" stops: ") for line in lines if " stops: " in line]


def untrue(lines):
    """The lines that name a rank which was not lost before: which is lost first, nobody knows."""
    lost, found = {"1"}, []
    for rank, said in stops(lines):
        named = set(re.findall(r"rank (\d)", said))
        waits = said.endswith("it hangs, or waits for one that does")
        if not (named & lost or waits or said == "it was told to"):
            found.append(f"rank {rank} stops: {said}")
        lost.add(rank)
    return found


def test_a_line_that_names_the_wrong_rank_is_found():
    first, second = "rank 0 stops: rank 2 has ended", "rank 2 stops: rank 1 has ended"
    assert untrue([first, second]) == [first] and untrue([second, first]) == []
    assert untrue(["rank 2 stops: ValueError: q"]) == ["rank 2 stops: ValueError: q"]


LAUNCH = "from attnbook.distributed import launch; launch(2, *{!r}, 'fault', 'hang', 1)"
TORCHRUN = """
import os
from attnbook.distributed.processes import command
run = command(2, *{!r}, "fault", "hang", "1")
os.execv(run[0], run)
"""


@pytest.mark.parametrize(
    ("code", "number", "told"),
    [
        (LAUNCH, 3, signal.SIGINT),  # Ctrl-C, or the button of a notebook
        (LAUNCH, 3, signal.SIGKILL),  # a kernel that is restarted
        (TORCHRUN, 2, signal.SIGKILL),  # and torchrun itself, which can tell nobody
    ],
    ids=["interrupted", "killed", "torchrun killed"],
)
def test_no_process_is_left_behind(code, number, told):
    run = [sys.executable, "-c", code.format(TRIALS)]
    mine = subprocess.Popen(run, stderr=subprocess.DEVNULL, start_new_session=True)
    left = []
    try:
        until(ready(left, mine.pid, number) for _ in pause(300))
        mine.send_signal(told)
        mine.wait(timeout=300)
        until(not any(map(alive, left)) for _ in pause(300))
    finally:
        for pid in filter(alive, [mine.pid, *left]):
            os.kill(pid, signal.SIGKILL)


def ready(left, pid, number):
    """Whether all have been started and the ranks have joined: by then each has many threads."""
    left[:] = below(pid)
    ranks = left[-2:]
    return len(left) == number and all(map(joined, ranks))


def joined(pid):
    names = [task.read_text().strip() for task in Path(f"/proc/{pid}/task").glob("*/comm")]
    return any("gloo" in name for name in names)


def test_a_run_that_takes_too_long_is_ended():
    with pytest.raises(TimeoutError, match="the run of 2 ranks took longer than 1 s"):
        launch(2, *TRIALS, "fault", "hang", 1, seconds=1)


def until(events):
    assert any(events)


def pause(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        yield time.sleep(0.1)


def below(pid):
    """The processes that a process has started, and those that they have."""
    if not Path("/proc").is_dir():
        pytest.skip("this machine has no /proc")
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text()
        except OSError:
            continue
        parents[int(stat.parent.name)] = int(text.rpartition(")")[2].split()[1])
    children = [child for child, parent in parents.items() if parent == pid]
    return children + [x for child in children for x in below(child)]


def alive(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
