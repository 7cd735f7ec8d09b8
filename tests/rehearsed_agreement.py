"""Tests of which some hang, end their process or break a GPU: no part of the suite, by its name."""

import os
import signal
import time

import pytest

from benchmarks.check import watchdog


def test_first():
    pass


def test_that_hangs():
    time.sleep(1000)


def test_that_fails():
    raise AssertionError("wrong numbers")


@pytest.mark.parametrize("way", ["one", "two"])
def test_both_ways_back_agree(way):
    pass


def test_that_is_killed():
    os.kill(os.getpid(), signal.SIGKILL)


def test_after_which_the_gpu_is_dead(monkeypatch):
    watchdog.alive = lambda: False


def test_with_another_assembler():
    assert os.environ.get("TRITON_PTXAS_PATH"), "this one needs another assembler"


def test_last():
    pass
