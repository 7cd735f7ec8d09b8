"""The race on a made-up GPU where one form goes wrong in the second of three cases.

    python rehearsed_race.py FAULT FORM FILE [...]

The rest is what `python -m benchmarks.race` takes. Three forms race, all of them right but for
the fault: ours, a peer, and another.
"""

import ctypes
import os
import signal
import sys
import time

import torch
from made_up_gpu import RATES, SMALL, WHERE, MadeUp, plain

from benchmarks.race import command

CASES = [SMALL["forward", name] for name in ("plain", "causal", "window, causal")]
FORMS = "ours", "peer", "another"


def raises(machine):
    raise RuntimeError("no kernel")


def full(machine):
    raise torch.OutOfMemoryError("CUDA out of memory.\nTried to allocate")


def breaks(machine):
    machine.alive = False
    raise RuntimeError("CUDA error: an illegal memory access was encountered")


FAULTS = {
    "hangs": lambda machine: time.sleep(1000),
    "hangs, and holds Python's lock": lambda machine: ctypes.PyDLL(None).sleep(1000),
    "is killed": lambda machine: os.kill(os.getpid(), signal.SIGKILL),
    "fails": raises,
    "is out of memory": full,
    "breaks the GPU": breaks,
    "disagrees": lambda machine: 1.5,
}


def form(fault, first):
    """Attention, and from its call number `first` on what goes wrong; a number multiplies it."""

    def wrong(case, x, machine):
        attend, calls = plain(case, x, machine), []

        def call(q, k, v):
            calls.append(1)
            late = case == CASES[1] and len(calls) >= first
            return attend(q, k, v) * ((fault(machine) if late else None) or 1)

        return call

    return wrong


def main(fault, who, *given):
    name, late, _ = fault.partition(", later")
    every = dict.fromkeys(FORMS, plain) | {who: form(FAULTS[name], 5 if late else 1)}
    command.of.cases = lambda: CASES
    command.forms = lambda folder, way: every
    print(f"this is process {os.getpid()}", flush=True)
    sys.exit(command.run(command._arguments(given), MadeUp(), lambda machine: RATES, WHERE))


def speaking(file, *given):
    """The same, in a process that was forked: what it says is written into a file."""
    says = os.open(file, os.O_WRONLY | os.O_APPEND)
    for stream in (1, 2):
        os.dup2(says, stream)
    main(*given)


if __name__ == "__main__":
    main(*sys.argv[1:])
