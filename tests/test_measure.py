"""What measures: turns, ratios, memory, shares, and where a figure comes from."""

import contextlib
import functools
import hashlib
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import time
import types

import numpy as np
import pytest
import torch

from attnbook import measure
from attnbook.measure import __main__ as command
from attnbook.measure import attention, provenance
from attnbook.measure.record import RESULTS
from attnbook.measure.time import ONE_THREAD


def test_calls_take_turns_and_the_first_round_does_not_count():
    order, ticks = [], iter(range(100))
    calls = {name: lambda name=name: order.append(name) for name in "ab"}
    times = measure.rounds(calls, n=2, clock=lambda: next(ticks) ** 2)
    assert order == list("ababab")
    # The clock shows 0, 1, 4, 9 in the first round, 16, 25, 36, 49 in the second, and so on.
    assert times == {"a": [9, 17], "b": [13, 21]}


def test_a_ratio_is_the_median_over_rounds_and_not_a_ratio_of_medians():
    times = {"base": [1.0, 10.0, 2.0], "other": [3.0, 10.0, 8.0]}
    assert measure.ratios(times, to="base") == {"base": 1.0, "other": 3.0}  # medians: 8 / 2


def test_the_clock_stands_still_while_nothing_is_computed():
    assert inspect.signature(measure.rounds).parameters["clock"].default is time.process_time


@pytest.fixture
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def test_one_thread_gives_the_threads_back_after_an_error(two_threads):
    with pytest.raises(KeyError), measure.one_thread():
        assert torch.get_num_threads() == 1
        raise KeyError
    assert torch.get_num_threads() == 2


def two_in_turn():
    for _ in range(2):
        torch.empty(1000, dtype=torch.float64)


def two_at_once():
    first = torch.empty(1000, dtype=torch.float64)
    return first, torch.empty(1000, dtype=torch.float64)


@pytest.mark.parametrize(("call", "n"), [(two_in_turn, 8000), (two_at_once, 16000)])
def test_memory_is_what_is_held_at_once_to_the_byte(call, n):
    kept = torch.empty(5000)
    assert measure.peak_memory(call) == n
    assert len(kept) == 5000


@pytest.mark.parametrize(
    ("call", "n"),
    [
        (lambda: [np.empty(10**6) for _ in range(2)], 16e6),
        (lambda: [np.empty(10**6).shape for _ in range(2)], 8e6),
    ],
)
def test_memory_of_arrays_is_what_is_held_at_once(call, n):
    kept = np.empty(10**6)
    assert n <= measure.peak_array_memory(call) < n + 10_000
    assert len(kept) == 10**6


def test_what_is_made_once_and_kept_is_no_part_of_the_memory_of_arrays():
    @functools.cache
    def table():
        return np.empty(10**6)

    assert measure.peak_array_memory(table) < 10_000


def test_the_pages_of_a_new_array_are_counted_and_those_of_an_old_one_are_not():
    pytest.importorskip("resource")
    kept = torch.ones(2**24)  # 64 MiB, too much for the C library to keep when it is freed
    new = measure.new_pages(lambda: torch.ones(2**24))
    old = min(measure.new_pages(lambda: kept.fill_(2)) for _ in range(3))
    assert new >= 2**26 / 2**21, "even if a page were as large as 2 MiB"
    assert old < new / 4


def test_a_share_is_that_of_an_operations_own_time_the_largest_first(monkeypatch):
    @contextlib.contextmanager
    def profiled():
        seen = {"aten::add": 1, "aten::mm": 3}
        events = [types.SimpleNamespace(key=k, self_cpu_time_total=t) for k, t in seen.items()]
        yield types.SimpleNamespace(key_averages=lambda: events)

    monkeypatch.setattr(measure.time, "profiled", profiled)
    found = measure.operations(lambda: None)
    assert list(found.items()) == [("mm", 0.75), ("add", 0.25)]


def test_the_operations_of_a_call_are_those_that_it_asks_for():
    a = torch.randn(300, 300)
    assert {"mm", "exp"} <= set(measure.operations(lambda: (a @ a).exp()))


def test_shares_are_over_as_many_calls_as_asked_for():
    calls = []
    measure.operations(lambda: calls.append(torch.ones(2)), n=3)
    assert len(calls) == 3


def test_the_environment_says_where_a_figure_comes_from():
    found = measure.environment()
    assert found["processor"] and found["torch"] == torch.__version__
    assert re.fullmatch(r"[0-9a-f]{7,}\+?|none", found["commit"])
    assert time.strptime(found["date"], "%Y-%m-%d")


def git(folder, *command):
    author = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    run = ["git", "-C", str(folder), *author, *command]
    return subprocess.run(run, capture_output=True, text=True, check=True).stdout.strip()


def test_the_commit_is_that_of_the_package_with_a_plus_if_it_was_changed(tmp_path, monkeypatch):
    monkeypatch.setattr(provenance, "__file__", str(tmp_path / "provenance.py"))
    assert measure.environment()["commit"] == "none"
    git(tmp_path, "init", "-q")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "first")
    commit = git(tmp_path, "rev-parse", "--short", "HEAD")
    assert measure.environment()["commit"] == commit
    (tmp_path / "new").touch()
    assert measure.environment()["commit"] == commit + "+"
    monkeypatch.setenv("PATH", "")
    assert measure.environment()["commit"] == "none"


@pytest.fixture
def one_thread_in_numpy(monkeypatch):
    for name, n in ONE_THREAD.items():
        monkeypatch.setenv(name, n)


def test_the_command_writes_what_it_measured(
    two_threads, one_thread_in_numpy, tmp_path, monkeypatch
):
    modes = []

    def rows(case, n, n_rounds):
        modes.append((torch.get_num_threads(), torch.is_grad_enabled()))
        return [attention.Row(case, n, "SDPA", 1.0, 2.0, 3.0)]

    monkeypatch.setattr(command, "case_rows", rows)
    monkeypatch.setattr(command, "where_it_goes", lambda: {"a form": {"mm": 0.5}})
    monkeypatch.setattr(command, "long_memory", lambda: {"a form": 64.0})
    monkeypatch.setattr("sys.argv", ["measure", str(tmp_path / "found.json")])
    command.main()
    found = json.loads((tmp_path / "found.json").read_text())
    cases = {(row["case"], row["n"]) for row in found["rows"]}
    assert cases == {(c, n) for c in attention.CASES for n in attention.lengths(c)}
    assert len(found["rows"]) == len(cases) == len(modes)
    assert found["operations at n = 1024"] == {"a form": {"mm": 0.5}}
    assert found["peak MiB at n = 8192"] == {"a form": 64.0}
    assert set(modes) == {(1, False)}


@pytest.mark.parametrize("given", [{}, {"OPENBLAS_NUM_THREADS": "2"}])
def test_the_command_starts_again_where_numpy_may_take_more_threads(monkeypatch, given):
    for name in ONE_THREAD:
        monkeypatch.delenv(name, raising=False)
    for name, n in given.items():
        monkeypatch.setenv(name, n)
    started = []
    monkeypatch.setattr(command, "measured", lambda: pytest.fail("measured on several threads"))
    monkeypatch.setattr(subprocess, "call", lambda run, env: started.append((run, env)) or 3)
    monkeypatch.setattr("sys.argv", ["measure", "found.json"])
    with pytest.raises(SystemExit, match="3"):
        command.main()
    ((run, env),) = started
    assert run[1:] == ["-m", "attnbook.measure", "found.json"]
    assert env == os.environ | ONE_THREAD


THREADS = """
import os, numpy
x = numpy.ones((700, 700)); x @ x
print(len(os.listdir("/proc/self/task")))
"""


def threads(**more):
    run = [sys.executable, "-c", THREADS]
    env = {name: n for name, n in os.environ.items() if name not in ONE_THREAD} | more
    return int(subprocess.run(run, capture_output=True, text=True, env=env, check=True).stdout)


def test_numpy_multiplies_on_one_thread_where_it_is_asked_to():
    if not os.path.isdir("/proc/self/task"):
        pytest.skip("this machine has no /proc/self/task")
    assert threads(**ONE_THREAD) == 1
    if len(os.sched_getaffinity(0)) > 1:
        assert threads() > 1


def test_the_shares_of_small_operations_are_left_out(monkeypatch):
    shares = {"mm": 0.99, "sub": 0.01, "view": 0.009}
    monkeypatch.setattr(command, "operations", lambda call: call() is None or shares)
    kept = {"mm": 0.99, "sub": 0.01}
    assert command.where_it_goes(48) == dict.fromkeys(("ours, in blocks", "ours, readable"), kept)


@pytest.mark.parametrize("name", ["processor", "xeon"])
def test_the_recorded_measurement_has_every_length_of_its_cases(name):
    rows = measure.recorded(name)["rows"]
    found = {(row["case"], row["n"]) for row in rows}
    cases = {case for case, _ in found}
    assert {"plain", "causal", "padded"} <= cases
    assert found == {(case, n) for case in cases for n in attention.lengths(case)}
    assert all(set(row) == set(attention.Row._fields) for row in rows)


SHOWN = {  # each record by its hash, with the chapters that show it and say what is seen there
    "dates": ("528c806c07b3c3d5", "learning/alignment"),
    "dates-torch-2.14": ("a6358b5bd2fd4a39", "tests/test_models_record.py"),
    "lengths": ("88e7ea39cab21358", "gpu/roofline and numpy/flash-attention"),
    "lists": ("ecb3a96992f7bf9b", "learning/circuit"),
    "lists-torch-2.14": ("51160c3c28ddda98", "tests/test_models_lists_record.py"),
    "nvidia-h200": (
        "820d126c0dbffb69",
        "gpu/roofline, gpu/flex-attention, gpu/machine-code, the README and benchmarks/README.md",
    ),
    "processor": ("6d0590ceee0194b0", "gpu/fused"),
    "texts": ("8ac86e373c24f7e6", "learning/teach"),
    "texts-torch-2.14": ("cc08294f79722f79", "learning/teach"),
    "xeon": (
        "ebfc907fe3419d24",
        "gpu/fused, gpu/roofline, gpu/flex-attention, numpy/flash-attention, attnbook.tiled",
    ),
}


def changed(folder):
    """Which chapters to read again, since a record is no longer the one that they show."""
    found = {path.stem: path.read_bytes() for path in folder.glob("*.json")}
    hashes = {name: hashlib.sha256(record).hexdigest()[:16] for name, record in found.items()}
    held = {name: SHOWN.get(name, ("", "the chapter that shows it")) for name in SHOWN | hashes}
    return [
        f"{name} is now {hashes.get(name, 'gone')}: read {pages} again, then write that here"
        for name, (known, pages) in sorted(held.items())
        if hashes.get(name) != known
    ]


def test_no_record_changes_without_the_chapters_that_show_it():
    assert changed(RESULTS) == []


def test_a_changed_record_is_found_with_its_chapter(tmp_path):
    shutil.copytree(RESULTS, tmp_path, dirs_exist_ok=True)
    (tmp_path / "lengths.json").write_text("other figures")
    (tmp_path / "xeon.json").unlink()
    (tmp_path / "new.json").write_text("{}")
    said = changed(tmp_path)
    assert [line.split()[0] for line in said] == ["lengths", "new", "xeon"]
    assert "read gpu/roofline and numpy/flash-attention again" in said[0]
    assert "xeon is now gone" in said[2]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda found: found.pop("environment"), "processor lacks environment"),
        (lambda found: found.update(settings={}), "processor lacks settings"),
        (lambda found: found["environment"].update(commit="abc1234+"), "has the commit abc1234+"),
        (lambda found: found["environment"].pop("commit"), "has the commit none"),
    ],
)
def test_a_measurement_from_nowhere_is_refused(tmp_path, monkeypatch, change, said):
    found = measure.recorded("processor")
    change(found)
    (tmp_path / "processor.json").write_text(json.dumps(found))
    monkeypatch.setattr("attnbook.measure.record.RESULTS", tmp_path)
    with pytest.raises(ValueError, match=re.escape(said)):
        measure.recorded("processor")
