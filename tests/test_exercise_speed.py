"""A check answers at once: what the first wrong answer costs, in calls of it and of Python."""

import subprocess
import sys

import pytest

from attnbook import exercises
from attnbook.exercises.engine import write

WRITE = [e for e in exercises.every() if e.kind == "Write"]
ON_TENSORS = [
    e.name
    for e in WRITE
    if e.name.startswith(("twins", "precision", "modules", "libraries", "fused", "triton"))
]
CALLS = 2500  # of the answer

NO_DEVICE_IS_ASKED_FOR = """
import torch
def asked(*arguments):
    raise AssertionError("to ask each kind of device takes seconds")
torch.seed = torch.cuda.is_available = torch.cuda.device_count = torch.xpu.device_count = asked
from attnbook import exercises
softmax = exercises.twins.softmax
assert softmax.verdict(softmax.answer).state == "right"
assert softmax.verdict(softmax.mistakes[0].answer).state == "wrong"
"""


FIRST_CHECK = """
import sys
from attnbook import exercises
from attnbook.exercises.engine import write
{more}
exercise, made = exercises.{name}, [0]
def count(frame, event, argument):
    made[0] += event in ("call", "c_call")
sys.setprofile(count)
exercise.verdict({answer})
sys.setprofile(None)
print(made[0])
"""
MOST = 10**7  # calls of Python, which makes some millions a second; the slowest has four million
SLOW = """
def slow(*arguments):
    for each in range(10**7):
        len(arguments)
"""


def first_check(name, answer="exercise.mistakes[0].answer", more=""):
    """How many calls of Python the first check in a fresh session makes, those of torch too."""
    code = FIRST_CHECK.format(name=name, answer=answer, more=more)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return int(run.stdout.split()[-1])


@pytest.mark.parametrize("exercise", WRITE, ids=lambda e: e.name)
def test_the_first_check_of_a_wrong_answer_makes_few_calls(exercise, monkeypatch):
    made = []

    def counted(*arguments, **options):
        made.append(arguments)
        return attempt(*arguments, **options)

    attempt = write.attempt
    monkeypatch.setattr(write, "attempt", counted)
    monkeypatch.setattr(exercise, "_results", {})
    exercise.verdict(lambda *arguments: None)
    exercise.verdict(exercise.mistakes[-1].answer)
    assert 0 < len(made) < CALLS


@pytest.mark.parametrize("name", ON_TENSORS)
def test_the_first_check_makes_ten_million_calls_of_python_at_most(name):
    assert first_check(name) < MOST


def test_a_first_check_that_makes_more_is_found():
    assert first_check("twins.causal_mask", answer="slow", more=SLOW) > MOST


def test_no_check_asks_each_kind_of_device():
    run = [sys.executable, "-c", NO_DEVICE_IS_ASKED_FOR]
    done = subprocess.run(run, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
