"""Memory that a call takes beyond what it is given, and the pages that are new to it."""

import tracemalloc

import torch

from attnbook.profiler import profiled


def peak_memory(call):
    """The most bytes that PyTorch held at once during the call, beyond those before it.

    Its result is included. On a processor every allocation is counted, so that the figure is exact
    and the same each time; where there is a GPU, what the call takes there is added.
    """
    on_gpu = torch.cuda.is_available()
    if on_gpu:
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
    with profiled(profile_memory=True) as profiler:
        call()
    gpu = torch.cuda.max_memory_allocated() - before if on_gpu else 0
    return _peak(_allocations(profiler)) + gpu


def peak_array_memory(call):
    """The most bytes that NumPy held at once during the call, beyond those before it.

    Its result is included, and so is what Python itself needs for the call, some kilobytes.
    """
    call()  # what is made once and kept is no part of it
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def new_pages(call):
    """How many pages the kernel hands out for the first time during the call.

    It is by how much `getrusage`'s ru_minflt grows. On Linux a page has 4 KiB, and memory gets its
    pages when it is first touched: what is there already and touched again needs none.
    """
    from resource import RUSAGE_SELF, getrusage  # Windows has no such module

    before = getrusage(RUSAGE_SELF).ru_minflt
    call()
    return getrusage(RUSAGE_SELF).ru_minflt - before


def _allocations(profiler):
    """Bytes taken (above 0) and given back (below 0) on the processor, in order of time."""
    events = profiler.profiler.kineto_results.events()
    memory = [e for e in events if e.name() == "[memory]" and e.device_type().name == "CPU"]
    return [e.nbytes() for e in sorted(memory, key=lambda e: e.start_ns())]


def _peak(changes):
    held = top = 0
    for change in changes:
        held += change
        top = max(top, held)
    return top
