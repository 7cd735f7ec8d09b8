"""A check answers at once: what the first wrong answer costs, in calls of it and of Python."""

import subprocess
import sys

import pytest

from attnbook import exercises
from attnbook.exercises.engine import diagnose, writes

WRITE = [e for e in exercises.every() if e.kind == "Write"]
ON_TENSORS = {  # chapters
    *("twins", "precision", "error_budget", "modules", "libraries", "fused", "flex_attention"),
    "triton",
}
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


FIRST_CHECKS = """
import os, sys
import torch
from attnbook import exercises
{more}
for name in {names}:
    if os.fork():  # each copy of this process is a fresh session
        os.wait()
        continue
    chapter, _, variable = name.partition(".")
    exercise, made = getattr(getattr(exercises, chapter), variable), [0]
    def count(frame, event, argument):
        made[0] += event in ("call", "c_call")
    sys.setprofile(count)
    exercise.verdict({answer})
    sys.setprofile(None)
    print(name, made[0], flush=True)
    os._exit(0)
"""
MOST = 10**7  # calls of Python, which makes some millions a second; the slowest has four million
SLOW = """
from attnbook.exercises.engine import attempt
attempt.SECONDS = 1000  # the limit of a check would end it on a machine that does much else
done = []
def slow(*arguments):
    while len(done) < 10**6:
        done.append(arguments)
"""


def first_checks(names, answer="exercise.mistakes[0].answer", more=""):
    """How many calls of Python the first check in a fresh session makes, those of torch too."""
    code = FIRST_CHECKS.format(names=names, answer=answer, more=more)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    made = dict(line.split() for line in run.stdout.splitlines())
    assert list(made) == names, run.stderr
    return {name: int(calls) for name, calls in made.items()}


@pytest.mark.parametrize("exercise", WRITE, ids=lambda e: e.name)
def test_the_first_check_of_a_wrong_answer_makes_few_calls(exercise, monkeypatch):
    made = []

    def counted(*arguments, **options):
        made.append(arguments)
        return attempt(*arguments, **options)

    attempt = writes.attempt
    monkeypatch.setattr(writes, "attempt", counted)
    monkeypatch.setattr(exercise, "_results", {})
    exercise.verdict(lambda *arguments: None)
    exercise.verdict(exercise.mistakes[-1].answer)
    assert 0 < len(made) < CALLS


@pytest.mark.parametrize("exercise", WRITE, ids=lambda e: e.name)
def test_a_cause_that_nobody_listed_is_sought_in_few_calls(exercise, monkeypatch):
    made = []

    def counted(*arguments, **options):
        made.append(arguments)
        return attempt(*arguments, **options)

    attempt = diagnose.attempt
    monkeypatch.setattr(diagnose, "attempt", counted)
    monkeypatch.delitem(vars(exercise), "slips", raising=False)  # as for the first wrong answer
    assert exercise.verdict(lambda *arguments: None).state == "wrong"
    assert len(made) < CALLS
    assert made or exercise.written


@pytest.mark.everywhere
def test_the_first_check_makes_ten_million_calls_of_python_at_most():
    names = [e.name for e in WRITE if e.name.partition(".")[0] in ON_TENSORS]
    assert {name.partition(".")[0] for name in names} == ON_TENSORS
    made = first_checks(names)
    assert {name: calls for name, calls in made.items() if calls >= MOST} == {}


def test_calls_of_a_slow_answer_are_counted():
    made = first_checks(["twins.causal_mask"], answer="slow", more=SLOW)["twins.causal_mask"]
    assert made > 2 * 10**6  # which the answer makes; the rest of the check makes fewer


def test_no_check_asks_each_kind_of_device():
    run = [sys.executable, "-c", NO_DEVICE_IS_ASKED_FOR]
    done = subprocess.run(run, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
