"""An answer that does not end, asks for input, or returns too much ends with a sentence."""

import contextlib
import os
import signal
import sys
import time

import numpy as np
import pytest
from double import DOUBLE, text

from attnbook import exercises
from attnbook.exercises.engine import attempt, sandbox


def compute(seconds):
    """Keep the CPU busy: how long that takes by the clock depends on what else it does."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_an_answer_that_never_ends_is_stopped(monkeypatch):
    def endless(x):
        while True:
            try:
                print("still here")
            except Exception:
                pass

    monkeypatch.setattr(attempt, "SECONDS", 0.5)
    assert "did not finish: the check stopped after 0.5 seconds of computing, in" in text(endless)


class Endless(tuple):
    def __iter__(self):
        while True:
            yield 0.0


def test_results_that_never_end_are_stopped(monkeypatch):
    monkeypatch.setattr(attempt, "SECONDS", 0.2)
    told = text(lambda x: Endless((x, x)))
    assert "did not finish: the check stopped after 0.2 seconds of computing, in call 1" in told


def test_an_answer_that_swallows_the_interrupt_is_told(monkeypatch):
    def patient(x):
        with contextlib.suppress(BaseException):
            time.sleep(100)
        return 2 * x

    monkeypatch.setattr(attempt, "WAITING", 0.5)
    assert "did not finish: the check stopped after 0.5 seconds, in call 1" in text(patient)


def test_the_working_directory_stays():
    def elsewhere(x):
        os.chdir("/")
        return 2 * x

    before = os.getcwd()
    assert "Correct" in text(elsewhere)
    assert os.getcwd() == before


def test_many_slow_calls_have_one_limit(monkeypatch):
    calls = []
    monkeypatch.setattr(attempt, "SECONDS", 2)
    assert "in call 2 of 3" in text(lambda x: calls.append(x) or compute(1.2) or 2 * x)
    assert len(calls) == 2


def test_what_else_the_machine_does_takes_nothing_of_the_limit(monkeypatch):
    monkeypatch.setattr(attempt, "SECONDS", 0.1)
    assert DOUBLE.verdict(lambda x: time.sleep(0.2) or 2 * x).state == "right"


def test_an_answer_that_swallows_one_interrupt_gets_another(monkeypatch):
    def patient():
        with contextlib.suppress(BaseException):
            time.sleep(100)
        slept.append(1)
        time.sleep(100)
        slept.append(2)

    slept = []
    monkeypatch.setattr(attempt, "WAITING", 0.1)
    assert isinstance(attempt.attempt(patient, {}).error, attempt.TookTooLong)
    assert slept == [1]


@pytest.mark.parametrize("left", [0, -1])
def test_a_call_that_begins_when_no_time_is_left_ends_at_once(left):
    outcome = attempt.attempt(lambda: compute(1) or "done", {}, seconds=left)
    assert isinstance(outcome.error, attempt.TookTooLong)


@pytest.mark.parametrize("number", [signal.SIGALRM, signal.SIGPROF])
def test_the_alarm_that_was_set_before_is_set_again(number):
    before = signal.signal(number, signal.SIG_IGN)
    try:
        text(lambda x: 2 * x)
        assert signal.getsignal(number) is signal.SIG_IGN
    finally:
        signal.signal(number, before)


def test_a_session_in_which_numpy_raises_refuses_no_right_answer():
    with np.errstate(all="raise"):
        assert DOUBLE.verdict(lambda x: 2 * x + 0 / (x / 0)).state == "right"


def test_what_a_right_answer_prints_and_warns_is_swallowed(capfd):
    def chatty(x):
        print("x" * 10_000, file=sys.stderr)
        return 2 * x / np.ones(1) if (x / 0).size else x

    assert DOUBLE.verdict(chatty).state == "right"
    assert capfd.readouterr() == ("", "")


def test_a_question_to_the_reader_is_told():
    assert "your function asks for input()" in text(lambda x: x * float(input("by? ")))


def test_a_huge_view_is_refused_before_it_is_copied():
    told = text(lambda x: np.broadcast_to(x[:1], (10**5, 10**5)))
    assert "the shape is (100000, 100000), which is 1e+10 numbers: far too many" in told
    huge = np.broadcast_to(1.0, (10**5, 10**5))
    told = exercises.online.merge_all.verdict(lambda outs, lses: (huge, huge)).text
    assert "the shape is (100000, 100000), which is 1e+10 numbers: far too many" in told
    with pytest.raises(sandbox.Unfit):
        attempt.refuse_huge((attempt.NUMBERS + 1,))
    attempt.refuse_huge((attempt.NUMBERS,))


@pytest.mark.parametrize("answers", [(), (abs, abs), (3, abs)], ids=len)
def test_no_answer_and_two_are_told(answers):
    assert "the check wants your function itself, but got" in DOUBLE.verdict(*answers).text
