"""A check answers at once: what the first wrong answer costs, counted in calls."""

import subprocess
import sys

import pytest

from attnbook import exercises
from attnbook.exercises import write

WRITE = [e for e in exercises.every() if e.kind == "Write"]
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


def test_no_check_asks_each_kind_of_device():
    run = [sys.executable, "-c", NO_DEVICE_IS_ASKED_FOR]
    done = subprocess.run(run, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
