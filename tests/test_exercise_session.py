"""An answer that does not end, or that changes the session, ends with a sentence."""

import builtins
import contextlib
import ctypes
import faulthandler
import itertools
import math
import os
import signal
import sys
import threading
import time
import types
from dataclasses import replace

import numpy as np
import pytest
import torch
from double import DOUBLE, text

from attnbook import exercises
from attnbook.exercises.engine import attempt, record, rehearsal, surroundings, write


def test_an_answer_that_never_ends_is_stopped(monkeypatch):
    def endless(x):
        while True:
            try:
                print("still here")
            except Exception:
                pass

    monkeypatch.setattr(attempt, "SECONDS", 0.5)
    assert "did not finish" in text(endless)


@pytest.mark.parametrize("then", [lambda x: 2 * x, lambda x: None])
def test_an_answer_that_swallows_the_interrupt_is_stopped(monkeypatch, then):
    def endless(x):
        out = None
        while out is None:
            try:
                time.sleep(0.01)
            except BaseException:
                out = then(x)
        return out

    monkeypatch.setattr(attempt, "SECONDS", 0.5)
    assert "did not finish" in text(endless)


@pytest.mark.skipif(sys.platform != "linux", reason="no process can be copied safely")
@pytest.mark.parametrize(
    "endless", [lambda x: sum(iter(int, 1)), lambda x: max(itertools.repeat(1))], ids=("sum", "max")
)
def test_a_loop_inside_c_is_stopped_and_the_call_is_told(monkeypatch, endless):
    monkeypatch.setattr(attempt, "SECONDS", 0.5)
    told = text(lambda x: endless(x) if x.ndim == 2 else 2 * x)
    assert "did not finish: the check stopped after 0.5 seconds, in call 3 of 3" in told
    assert "float64 array of shape (2, 40)" in told


def test_many_slow_calls_have_one_limit_and_say_how_far_they_are(monkeypatch, capsys):
    monkeypatch.setattr(attempt, "SECONDS", 1.5)
    monkeypatch.setattr(rehearsal, "NOTICE", 0.5)
    assert "in call 2 of 3" in text(lambda x: time.sleep(0.8) or 2 * x)
    if sys.platform == "linux":
        assert "(Still running: 0 of 3 inputs in 0.5 seconds.)" in capsys.readouterr().out


def test_a_stub_is_told_nothing_of_time_on_a_slow_machine(monkeypatch, capsys):
    def stub(x):
        raise NotImplementedError

    monkeypatch.setattr(rehearsal, "NOTICE", 0.3)
    exercise = replace(DOUBLE, solution_of=lambda x: time.sleep(0.5) or 2 * x)
    assert exercise.verdict(stub).state == "open"
    assert capsys.readouterr().out == ""


@pytest.mark.skipif(sys.platform != "linux", reason="no process can be copied safely")
def test_an_answer_that_is_half_a_stub_cannot_hang_behind_it(monkeypatch):
    def half(x):
        if x.ndim == 1:
            raise NotImplementedError
        return max(itertools.repeat(1))

    monkeypatch.setattr(attempt, "SECONDS", 0.5)
    assert "did not finish: the check stopped after 0.5 seconds, in call 3 of 3" in text(half)


def test_a_limit_holds_without_a_copy_of_the_process(monkeypatch):
    monkeypatch.setattr(attempt, "SECONDS", 0.3)
    monkeypatch.setattr(write, "stuck_at", lambda calls, seconds: None)
    assert "did not finish" in text(lambda x: time.sleep(100))
    monkeypatch.setattr(attempt, "SECONDS", 2)
    calls = []
    assert "in call 2 of 3" in text(lambda x: calls.append(x) or time.sleep(1.2) or 2 * x)
    assert len(calls) == 2


def test_an_answer_that_swallows_one_interrupt_gets_another():
    def patient():
        with contextlib.suppress(BaseException):
            time.sleep(100)
        slept.append(1)
        time.sleep(100)
        slept.append(2)

    slept = []
    assert isinstance(attempt.attempt(patient, {}, seconds=0.1).error, attempt.TookTooLong)
    assert slept == [1]


@pytest.mark.parametrize("left", [0, -1])
def test_a_call_that_begins_when_no_time_is_left_ends_at_once(left):
    outcome = attempt.attempt(lambda: time.sleep(1) or "done", {}, seconds=left)
    assert isinstance(outcome.error, attempt.TookTooLong)


def test_a_copy_in_which_a_known_call_hangs_proves_nothing():
    hang = threading.Event().wait
    assert rehearsal.stuck_at([hang, hang], 0.2) is None
    assert rehearsal.stuck_at([int, int], 10) is None
    if sys.platform == "linux":
        assert rehearsal.stuck_at([int, int, hang], 0.5) == (2, False)


@pytest.mark.skipif(sys.platform != "linux", reason="no process can be copied safely")
@pytest.mark.parametrize(
    "end",
    [lambda: os._exit(0), lambda: os.kill(os.getpid(), signal.SIGKILL), lambda: _broken_address()],
    ids=("exit", "kill", "address"),
)
def test_an_answer_that_ends_its_process_is_told_and_not_run(end):
    told = text(lambda x: end() if x.ndim == 2 else 2 * x)
    assert "your function ended the process it ran in" in told and "in call 3 of 3" in told
    assert "What it printed there is lost." in told


def _broken_address():
    faulthandler.disable()  # pytest's report of the end would stand among what the tests print
    ctypes.string_at(0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no processes")
def test_an_answer_that_copies_its_process_is_refused_before_it_does():
    fork = os.fork
    told = text(lambda x: os.fork() and 2 * x)
    assert "your function starts another process; an answer needs none" in told
    assert os.fork is fork


def test_the_alarm_that_was_set_before_is_set_again():
    before = signal.signal(signal.SIGALRM, signal.SIG_IGN)
    try:
        text(lambda x: 2 * x)
        assert signal.getsignal(signal.SIGALRM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGALRM, before)


def _exp(x):
    np.exp = np.sin
    return 2 * x


def _generator(x):
    np.random.default_rng = None
    return 2 * x


def _precision(x):
    np.set_printoptions(precision=1)
    return 2 * x


def _recursion(x):
    sys.setrecursionlimit(sys.getrecursionlimit() + 1)
    return 2 * x


def _builtin(x):
    builtins.sum = math.pi = None
    return 2 * x


def _softmax(x):
    torch.softmax = torch.nn.functional.softmax = torch.linalg.norm = None
    return 2 * x


CHANGES = {
    "torch.softmax": _softmax,
    "numpy.exp": _exp,
    "numpy.random.default_rng": _generator,
    "NumPy's print options": _precision,
    "Python's recursion limit": _recursion,
    "builtins.sum": _builtin,
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_changed_for_the_session_is_named_and_put_back(name):
    before = np.exp, np.random.default_rng, np.get_printoptions(), sys.getrecursionlimit(), sum
    pi = math.pi
    assert f"your function changed {name} for the whole session" in text(CHANGES[name])
    assert before == (
        np.exp,
        np.random.default_rng,
        np.get_printoptions(),
        sys.getrecursionlimit(),
        builtins.sum,
    )
    assert math.pi == pi


def test_functions_of_pytorch_are_put_back():
    before = torch.softmax, torch.nn.functional.softmax, torch.linalg.norm
    text(_softmax)
    assert before == (torch.softmax, torch.nn.functional.softmax, torch.linalg.norm)


def test_a_stub_that_changes_the_session_is_still_a_stub():
    def stub(x):
        np.set_printoptions(precision=1)
        raise NotImplementedError

    assert DOUBLE.verdict(stub).state == "open"
    assert np.get_printoptions()["precision"] != 1


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


def test_the_end_of_the_session_is_told_and_prevented(monkeypatch):
    shell = types.SimpleNamespace(ended=False)
    ipython = types.SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", ipython)

    class Shell:
        def ask_exit(self):
            shell.ended = True

    shell = Shell()
    shell.ended = False
    assert "calls exit() or quit()" in text(lambda x: shell.ask_exit())
    assert not shell.ended and "ask_exit" not in vars(shell)
    shell.ask_exit()
    assert shell.ended


def test_an_answer_that_calls_its_own_check_is_told(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(record, "path", lambda: tmp_path / "progress.json")

    def recursive(x):
        DOUBLE.check(recursive)
        return 2 * x

    DOUBLE.check(recursive)
    assert "your function calls a check" in capsys.readouterr().out


def test_a_huge_view_is_refused_before_it_is_copied():
    told = text(lambda x: np.broadcast_to(x[:1], (10**5, 10**5)))
    assert "the shape is (100000, 100000), which is 1e+10 numbers: far too many" in told
    huge = np.broadcast_to(1.0, (10**5, 10**5))
    told = exercises.online.merge_all.verdict(lambda outs, lses: (huge, huge)).text
    assert "the shape is (100000, 100000), which is 1e+10 numbers: far too many" in told
    with pytest.raises(surroundings.Unfit):
        attempt.refuse_huge((attempt.NUMBERS + 1,))
    attempt.refuse_huge((attempt.NUMBERS,))


@pytest.mark.parametrize("answers", [(), (abs, abs), (3, abs)], ids=len)
def test_no_answer_and_two_are_told(answers):
    assert "the check wants your function itself, but got" in DOUBLE.verdict(*answers).text
