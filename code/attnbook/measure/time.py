"""Time in turns, of the processor and of a GPU by events; and in which operations it goes."""

import contextlib
import statistics
import time

import torch

from attnbook.profiler import profiled

# Where the libraries that NumPy takes products from look for a limit, once, when they are loaded.
ONE_THREAD = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)


@contextlib.contextmanager
def one_thread():
    """Let PyTorch compute on one thread: with more, time depends on who else is on the machine.

    NumPy's products are not limited by this: they need the variables of `ONE_THREAD` in the
    environment of a new process, as `python -m attnbook.measure` makes one.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def rounds(calls, n=7, clock=time.process_time):
    """Call each once a round, n rounds after one that does not count.

    Takes a dict of functions without arguments. Returns the times of each, in seconds, by name.
    """
    times = {name: [] for name in calls}
    for _ in range(n + 1):
        for name, call in calls.items():
            began = clock()
            call()
            times[name].append(clock() - began)
    return {name: each[1:] for name, each in times.items()}


def event_rounds(calls, n=7):
    """As `rounds`, on a GPU: the seconds between two events that it meets before and after a call.

    The host only hands work over, so that its own clock would show how long that takes. It waits
    until the GPU has nothing to do before each call, and until the call is done after it.
    """
    times = {name: [] for name in calls}
    for _ in range(n + 1):
        for name, call in calls.items():
            began, ended = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            torch.cuda.synchronize()
            began.record()
            call()
            ended.record()
            torch.cuda.synchronize()
            times[name].append(began.elapsed_time(ended) / 1000)
    return {name: each[1:] for name, each in times.items()}


def ratios(times, to):
    """How many times as long each took as `to` did in the same round: the median over rounds.

    >>> ratios({"one": [1.0, 4.0, 1.0], "two": [2.0, 8.0, 3.0]}, to="one")
    {'one': 1.0, 'two': 2.0}
    """
    return {
        name: statistics.median(t / base for t, base in zip(each, times[to], strict=True))
        for name, each in times.items()
    }


def operations(call, n=10):
    """The share of the processor's time that each of PyTorch's operations takes, largest first.

    Returns a dict of fractions by the operation's name, over n calls. Time outside of operations,
    such as that of Python between them, is no part of the whole.
    """
    with profiled() as profiler:
        for _ in range(n):
            call()
    times = {event.key: event.self_cpu_time_total for event in profiler.key_averages()}
    whole = sum(times.values())
    ranked = sorted(times.items(), key=lambda item: -item[1])
    return {name.removeprefix("aten::"): time / whole for name, time in ranked}
