"""A GPU as a machine that times calls: what the race needs of it, and no more."""

import time

import torch

from benchmarks.race.condition import WATCH, Condition

FLUSHED = 2**28  # bytes at least: more than any cache of today's GPUs
CLOCK = 2e9  # of a GPU, at most about this many cycles a second
LONGEST_HOLD = 0.02  # seconds


class Gpu:
    """The current GPU: it times one call at a time, with nothing of it in its cache.

    What a call reads is not in the cache: as many bytes as it holds, several times over, are
    written before. Then the GPU is kept busy for as long as the host needs to hand the call over,
    so that the time between the two events is the GPU's own, and not that of Python.
    """

    device = "cuda"

    def __init__(self):
        cache = torch.cuda.get_device_properties().L2_cache_size
        self._condition = None
        self._flushed = torch.empty(max(FLUSHED, 4 * cache), dtype=torch.int8, device="cuda")

    def time(self, call, hold=0.0):
        """Seconds that the GPU takes for a call, and that the host takes to hand it over."""
        began, ended = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda.synchronize()
        self._flushed.zero_()
        torch.cuda._sleep(int(min(hold, LONGEST_HOLD) * CLOCK) + 1)
        began.record()
        start = time.perf_counter()
        call()
        host = time.perf_counter() - start
        ended.record()
        torch.cuda.synchronize()
        return began.elapsed_time(ended) / 1000, host

    def peak(self, call):
        """The most bytes held at once during a call, beyond those before it; its result counts."""
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        call()
        torch.cuda.synchronize()
        return torch.cuda.max_memory_allocated() - before

    def kernels(self, call):
        """The names of the kernels that a call runs, the longest first; [] if nobody can tell."""
        kind = torch.profiler.ProfilerActivity.CUDA
        try:
            with torch.profiler.profile(activities=[kind]) as profile:
                call()
                torch.cuda.synchronize()
            ran = [e for e in profile.key_averages() if e.device_time_total > 0]
        except RuntimeError:
            return []
        return [e.key[:120] for e in sorted(ran, key=lambda e: -e.device_time_total)]

    def condition(self):
        """Clocks, power and heat since it was asked last, as a dict; {} if nobody can tell."""
        self._condition = self._condition or Condition(WATCH)
        return self._condition.since()

    def poison(self, n_bytes):
        """Leave NaN in the memory that the next call is given, so that what it leaves out shows."""
        torch.cuda.empty_cache()
        torch.full((n_bytes // 2,), torch.nan, dtype=torch.bfloat16, device="cuda")

    def memory(self):
        """Bytes of the GPU's memory."""
        return torch.cuda.get_device_properties().total_memory

    def is_alive(self):
        """Whether it still works: after a wrong access nothing in this process does."""
        try:
            torch.cuda.synchronize()
        except RuntimeError:
            return False
        return True

    def forget(self):
        """Give back what no tensor holds, and what was compiled for other cases."""
        torch.cuda.empty_cache()
        torch.compiler.reset()
