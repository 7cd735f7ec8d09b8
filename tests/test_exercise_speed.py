"""A check answers at once: what the first wrong answer costs, in calls and in processor time."""

import subprocess
import sys

import pytest

from attnbook import exercises
from attnbook.exercises import write

WRITE = [e for e in exercises.every() if e.kind == "Write"]
ON_TENSORS = [
    e.name
    for e in WRITE
    if e.name.startswith(("twins", "precision", "modules", "libraries", "fused", "triton"))
]
CALLS = 2500  # at a third of a millisecond, as for the slowest of them, less than a second

NO_DEVICE_IS_ASKED_FOR = """
import torch
def asked(*arguments):
    raise AssertionError("to ask each kind of device takes seconds")
torch.seed = torch.cuda.is_available = torch.cuda.device_count = torch.xpu.device_count = asked
from attnbook import exercises
softmax = exercises.twins.softmax
assert softmax.verdict(softmax.solution_of).state == "right"
assert softmax.verdict(softmax.misconceptions[0].wrong).state == "wrong"
"""


FIRST_CHECK = """
import os
from attnbook import exercises
{wait}
exercise = exercises.{name}
before = sum(os.times()[:4])
exercise.verdict({answer})
print(sum(os.times()[:4]) - before)
"""
SECONDS = 2  # of the processor, its copies' too: on a machine that does nothing else, of a clock
SLOW = """
import time
def slow(*arguments):
    end = time.process_time() + 0.1
    while time.process_time() < end:
        pass
"""


def first_check(name, answer="exercise.misconceptions[0].wrong", wait=""):
    """The processor seconds of the first check in a fresh session."""
    code = FIRST_CHECK.format(name=name, answer=answer, wait=wait)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(run.stdout.split()[-1])


@pytest.mark.parametrize("exercise", WRITE, ids=lambda e: e.name)
def test_the_first_check_of_a_wrong_answer_makes_few_calls(exercise, monkeypatch):
    made = []

    def counted(*arguments, **options):
        made.append(arguments)
        return attempt(*arguments, **options)

    attempt = write.attempt
    monkeypatch.setattr(write, "attempt", counted)
    monkeypatch.setattr(write, "stuck_at", lambda calls, seconds: None)
    monkeypatch.setattr(exercise, "_results", {})
    exercise.verdict(lambda *arguments: None)
    exercise.verdict(exercise.misconceptions[-1].wrong)
    assert 0 < len(made) < CALLS


@pytest.mark.parametrize("name", ON_TENSORS)
def test_the_first_check_takes_two_seconds_at_most(name):
    assert first_check(name) <= SECONDS


def test_a_first_check_that_takes_longer_is_found():
    assert first_check("twins.causal_mask", answer="slow", wait=SLOW) > SECONDS


def test_no_check_asks_each_kind_of_device():
    run = [sys.executable, "-c", NO_DEVICE_IS_ASKED_FOR]
    done = subprocess.run(run, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
