"""PyTorch's profiler on the CPU, without the lines that it writes to stderr."""

import contextlib
import os

from torch.profiler import ProfilerActivity, profile

QUIET = "KINETO_LOG_LEVEL"


@contextlib.contextmanager
def profiled(**options):
    """Profile a block on the CPU; what is given is that profile, which is whole after the block.

    PyTorch 2.13 writes a line to stderr whenever its profiler starts or stops. Its library Kineto
    asks the environment for a level once, when a process first profiles: so it is set for the block
    alone, unless somebody has set it, and Kineto stays quiet afterwards.
    """
    with (
        _set(QUIET, "99"),
        profile(activities=[ProfilerActivity.CPU], acc_events=True, **options) as profiler,
    ):
        yield profiler


@contextlib.contextmanager
def _set(name, value):
    """Give a variable of the environment a value within a block, if it has none."""
    if name in os.environ:
        yield
        return
    os.environ[name] = value
    try:
        yield
    finally:
        del os.environ[name]
