"""Agreement rehearsed: a test that hangs or ends its process names itself, and the rest goes on."""

import importlib.util
import sys
from pathlib import Path

import pytest

from benchmarks.check import command as gpu_check
from benchmarks.check import outcomes, watchdog

TESTS = "tests/rehearsed_agreement.py"
BROKEN = ["that_hangs", "that_fails", "that_is_killed", "after_which_the_gpu_is_dead"]
BROKEN = [f"{TESTS}::test_{name}" for name in [*BROKEN, "with_another_assembler"]]
EVERY = [*BROKEN, f"{TESTS}::test_first", f"{TESTS}::test_last"]
EVERY += [f"{TESTS}::test_both_ways_back_agree[{way}]" for way in ("one", "two")]


@pytest.mark.everywhere
@pytest.mark.parametrize("together", [False, True])
def test_every_test_runs_once_whatever_others_do(tmp_path, monkeypatch, capsys, together):
    """One after the other, where each end begins another process, and with pytest-xdist."""
    if not together:
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(gpu_check, "cores", lambda: 1)
    environ = gpu_check.surroundings() | {"TEST_SECONDS": "4"}
    (folder := tmp_path / "notes").mkdir()
    results, broken = gpu_check.agreed(sys.executable, tmp_path, folder, environ, 500, [TESTS])
    said = capsys.readouterr().out
    assert results == {"agreement": 1} and sorted(broken) == sorted(BROKEN), said
    files = sorted(folder.iterdir())
    begun = [line for file in files for line in file.read_text().splitlines() if "begun" in line]
    assert sorted(begun) == sorted(f"begun {test}" for test in EVERY)
    assert begun[0] == f"begun {EVERY[-2]}" and len(files) == (1 if together else 4)
    assert "in test_that_hangs" in said  # where it hung, by its own name
    assert "the GPU is dead for this process" in said
    log = (tmp_path / "agreement.log").read_text()
    assert all(test in log for test in EVERY)


def test_what_is_noted_is_read_again(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    for word, test in (("begun", "a"), ("ended", "a"), ("begun", "b"), ("failed", "b")):
        outcomes.note(one, word, test)
    for word, test in (("ended", "b"), ("begun", "c x::y"), ("begun", "a")):
        outcomes.note(two, word, test)
    assert outcomes.after("begun", [one, two]) == ["a", "b", "c x::y"]
    assert outcomes.broken([one, two]) == ["b", "c x::y"] and outcomes.broken([one]) == ["b"]


def test_the_gpu_is_asked_only_where_one_is_in_use(monkeypatch):
    import torch

    def fails():
        raise RuntimeError("CUDA error: an illegal memory access was encountered")

    monkeypatch.setattr(torch.cuda, "synchronize", fails)
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: False)
    assert watchdog.alive()
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    assert not watchdog.alive()


def test_the_test_that_comes_first_is_there():
    source = (Path(__file__).parent / "test_kernels_gpu.py").read_text(encoding="utf-8")
    assert f"def {watchdog.FIRST}(" in source
