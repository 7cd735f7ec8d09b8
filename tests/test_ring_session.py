"""How a run starts and ends: with programs in place of torchrun, and stand-ins for the signals."""

import os
import signal
import subprocess
import sys
import types

import pytest
import torch
import torch.distributed as dist

from attnbook.distributed import RankLost, Ring, launch, processes, session


@pytest.fixture
def program(monkeypatch):
    """Python code that runs instead of torchrun, and is given its arguments."""

    def put(code):
        run = sys.executable, "-c", "import os, sys; " + code
        monkeypatch.setattr(processes, "command", lambda n, *program: [*run, str(n), *program])

    return put


def test_ranks_meet_on_this_machine_alone():
    here = {"--rdzv-endpoint=127.0.0.1:0", "--local-addr=127.0.0.1"}
    assert here < set(processes.command(3, "-m", "some.module"))


def test_what_ranks_print_is_returned_and_each_computes_on_one_thread(program, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.setenv("KEPT", "too")
    names = "OMP_NUM_THREADS", "GLOO_SOCKET_IFNAME", session.STARTER, "KEPT"
    program(f"print(*sys.argv[1:], *map(os.environ.get, {names})); print('x', file=sys.stderr)")
    said = launch(2, "-m", "module", 3).split()
    assert said[:4] == ["2", "-m", "module", "3"]
    assert said[4] == "1" and said[5].startswith("lo") and said[6:] == ["1", "too"]


def test_what_a_rank_says_is_told_and_nothing_else_of_what_is_printed(program):
    program("sys.exit('noise\\nrank 2 stops: it broke\\nmore noise\\nrank 0 stops: too')")
    with pytest.raises(RuntimeError) as caught:
        launch(3, "x")
    assert str(caught.value) == (
        "the run of 3 ranks has failed\nrank 2 stops: it broke\nrank 0 stops: too\n"
        "rank 1 ended, and did not say why"
    )
    program("sys.exit('no such module')")
    with pytest.raises(RuntimeError, match="the run of 3 ranks has failed\nno such module"):
        launch(3, "x")


def test_the_input_is_open_as_long_as_whoever_started_it_lives(program, monkeypatch):
    closed, pipe = [], os.pipe
    monkeypatch.setattr(os, "pipe", lambda: closed.append(pipe()) or closed[-1])
    program("import select; print(select.select([0], [], [], 0.2)[0])")
    assert launch(2, "x") == "[]\n"
    for end in closed[0]:
        with pytest.raises(OSError):
            os.fstat(end)


class Run:
    """A process that ends at the signal that it is told to end at."""

    def __init__(self, ends_at):
        self.ends_at, self.told, self.ended, self.waited = ends_at, [], ends_at is None, []

    def poll(self):
        return 0 if self.ended else None

    def send_signal(self, number):
        self.told.append(number)
        self.ended = number == self.ends_at

    def communicate(self, timeout):
        self.waited.append(timeout)
        if not self.ended:
            raise subprocess.TimeoutExpired("run", timeout)


@pytest.mark.parametrize(
    ("ends_at", "told"),
    [
        (None, []),
        (signal.SIGTERM, [signal.SIGTERM]),
        (signal.SIGKILL, [signal.SIGTERM, signal.SIGKILL]),
    ],
)
def test_it_is_asked_before_it_is_made_to_end(ends_at, told):
    processes._end(run := Run(ends_at))
    assert run.told == told and run.waited == [10] * len(told)


class Left(Exception):
    pass


@pytest.fixture
def rank(monkeypatch):
    """A rank 3 whose group is a stand-in: what it does, in order."""
    done = []

    def note(name):
        return lambda *given, **named: done.append((name, *given, *named.values()))

    def leave(sentence):
        done.append(("leave", sentence))
        raise Left

    monkeypatch.setattr(session, "_leave_when_told", note("listen"))
    monkeypatch.setattr(session, "_leave", leave)
    for name in ("init_process_group", "barrier", "destroy_process_group"):
        monkeypatch.setattr(dist, name, note(name))
    monkeypatch.setattr(Ring, "of", classmethod(lambda cls, group=None: Ring(3, 4)))
    for name, value in (("RANK", "3"), ("LOCAL_RANK", "1"), ("LOCAL_WORLD_SIZE", "2")):
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(dist, "is_nccl_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "set_device", note("device"))
    return done


def test_a_rank_joins_does_its_task_and_leaves_with_the_others(rank):
    session.run_rank(lambda ring: rank.append(("task", ring)), 5)
    names = ["listen", "init_process_group", "task", "barrier", "destroy_process_group"]
    assert [name for name, *_ in rank] == names
    _, backend, wait = rank[1]
    assert (backend, wait.total_seconds()) == ("gloo", 5) and rank[2] == ("task", Ring(3, 4))
    session.run_rank(lambda ring: None)
    assert rank[6][2].total_seconds() == 60


@pytest.mark.parametrize(
    ("available", "gpus", "nccl"), [(True, 2, True), (True, 3, True), (True, 1, False), (0, 2, 0)]
)
def test_gpus_are_taken_if_there_is_one_for_each_rank(rank, monkeypatch, available, gpus, nccl):
    monkeypatch.setattr(dist, "is_nccl_available", lambda: available)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
    session.run_rank(lambda ring: None)
    assert (("device", 1) in rank) == bool(nccl)
    (joined,) = [each for each in rank if each[0] == "init_process_group"]
    assert joined[1] == ("nccl" if nccl else "gloo")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (RankLost("rank 3 stops: rank 2 has ended"), "rank 3 stops: rank 2 has ended"),
        (ValueError("not this"), "rank 3 stops: ValueError: not this"),
    ],
)
def test_whatever_ends_a_task_is_said(rank, error, said, monkeypatch):
    def task(ring):
        raise error

    with pytest.raises(Left):
        session.run_rank(task)
    assert rank[-1] == ("leave", said) and ("barrier",) not in rank
    monkeypatch.delenv("RANK")
    assert session._name() == "rank ?"


@pytest.fixture
def watched(monkeypatch):
    """What is told to the thread that waits for the end: answers of select, and parents."""
    asked = []

    def leave(sentence):
        raise Left(sentence)

    def put(answers, parents=(7,) * 9, starter="1"):
        answers, parents = iter(answers), iter(parents)
        monkeypatch.setattr(session, "_leave", leave)
        monkeypatch.setenv("RANK", "3")
        monkeypatch.setenv(session.STARTER, starter)
        monkeypatch.setattr(os, "getppid", lambda: next(parents))

        def select(watched, *others):
            asked.append((watched, *others))
            return next(answers), [], []

        monkeypatch.setattr(session, "select", types.SimpleNamespace(select=select))
        return asked

    return put


def test_a_rank_that_is_told_to_end_says_so(watched):
    asked = watched([[], [], ["ours"]])
    with pytest.raises(Left, match="rank 3 stops: it was told to"):
        session._wait_for_the_end("ours", "handler")
    assert asked == [(["ours", 0], [], [], session.LOOK)] * 3


@pytest.mark.parametrize(
    ("answers", "parents", "looks"), [([[], [0]], (7,) * 9, 2), ([[]] * 9, (7, 7, 7, 1), 2)]
)
def test_a_rank_ends_with_what_started_it(watched, answers, parents, looks):
    """Its input is closed, or it has another parent."""
    asked = watched(answers, parents)
    with pytest.raises(Left, match="rank 3 stops: what started it has ended"):
        session._wait_for_the_end("ours", "handler")
    assert len(asked) == looks


def test_the_input_of_a_rank_that_torchrun_began_by_itself_is_not_looked_at(watched):
    asked = watched([["ours"]], starter="")
    with pytest.raises(Left):
        session._wait_for_the_end("ours", "handler")
    assert asked[0][0] == ["ours"]


def test_the_last_sentence_is_written_and_the_process_ends_at_once(monkeypatch, capfd):
    ended = []
    monkeypatch.setattr(os, "_exit", ended.append)
    session._leave("rank 0 stops: it was told to")
    assert capfd.readouterr().err == "rank 0 stops: it was told to\n" and ended == [1]
    monkeypatch.setattr(os, "write", lambda *given: (_ for _ in ()).throw(OSError("closed")))
    with pytest.raises(OSError):
        session._leave("nobody hears")
    assert ended == [1, 1]


LISTENS = """
import os, signal, sys, time
from attnbook.distributed import session
session._leave_when_told()
print("ready", flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_rank_at_once_whatever_it_waits_for(number):
    run = subprocess.Popen(
        [sys.executable, "-c", LISTENS],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"RANK": "5"},
    )
    try:
        assert run.stdout.readline() == "ready\n"
        run.send_signal(number)
        _, err = run.communicate(timeout=30)
    finally:
        run.kill()
    assert (run.returncode, err) == (1, "rank 5 stops: it was told to\n")


def test_a_rank_over_nccl_computes_on_its_own_gpu(monkeypatch):
    assert session.device() == torch.device("cpu")
    monkeypatch.setattr(dist, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 2)
    for backend, place in (("gloo", "cpu"), ("nccl", "cuda:2")):
        monkeypatch.setattr(dist, "get_backend", lambda b=backend: b)
        assert session.device() == torch.device(place)
