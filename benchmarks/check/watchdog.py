"""For tests that may hang or break a GPU: each is written down before it runs, and has a minute.

A plugin of pytest: `-p benchmarks.check.watchdog`. TEST_LOG names the file in which this run notes
them. What the other files of its folder say has begun is not begun again: so the same command, with
another file, goes on behind a test that ended its process.
"""

import os
from pathlib import Path

import pytest

from benchmarks.check import outcomes
from benchmarks.race.watch import AGAIN, LATE, watched

FIRST = "test_both_ways_back_agree"  # the product that crosses shared memory: the likeliest fault
SECONDS = float(os.environ.get("TEST_SECONDS", LATE))
STDERR = os.dup(2)  # pytest takes the other one


def file():
    return Path(os.environ["TEST_LOG"])


def note(word, test):
    outcomes.note(file(), word, test)


def alive():
    """Whether the GPU still works: after a wrong access nothing in this process does."""
    import torch

    try:
        if torch.cuda.is_initialized():
            torch.cuda.synchronize()
    except RuntimeError:
        return False
    return True


def pytest_collection_modifyitems(config, items):
    before = [each for each in file().parent.iterdir() if each != file()]
    done = set(outcomes.after("begun", before))
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in done])
    items[:] = [item for item in items if item.nodeid not in done]
    items.sort(key=lambda item: FIRST not in item.nodeid)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    note("begun", item.nodeid)
    with watched(lambda: note("failed", item.nodeid), SECONDS, STDERR):
        result = yield
        if not alive():
            note("failed", item.nodeid)
            os.write(STDERR, f"{item.nodeid}: the GPU is dead for this process\n".encode())
            os._exit(AGAIN)
    note("ended", item.nodeid)
    return result


def pytest_runtest_logreport(report):
    if report.failed:
        note("failed", report.nodeid)
