"""Whether an answer comes back at all, tried in a copy of this process, which can be stopped.

A loop inside C, as in sum(iter(int, 1)), hears no signal and lets no other thread run: nothing in
its own process ends it. Linux alone copies a process safely: on macOS NumPy's libraries do not
survive it, and a browser has no processes. There a signal is all that there is.
"""

import contextlib
import os
import select
import signal
import sys
import time
import warnings
from typing import NamedTuple

NOTICE = 2
END = b"|"


class Stop(NamedTuple):
    """The number of a call that does not come back, and whether it ended its process."""

    call: int
    ended: bool


def stuck_at(calls, seconds):
    """The `Stop` at the call that does not come back in time, or None.

    The first of `calls` is known to come back. If it does not, the copy is at fault: a lock that
    a thread held stays shut in it for ever. So that proves nothing against the others.
    """
    if sys.platform != "linux":
        return None
    reader, writer = os.pipe()
    with warnings.catch_warnings(action="ignore"):  # of threads, for which the first call is
        child = os.fork()
    if not child:
        _run(calls, writer)
    os.close(writer)
    try:
        done, ended = _wait(reader, len(calls) - 1, seconds)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(reader)
    return Stop(done, ended) if 0 < done < len(calls) else None


def _run(calls, writer):
    """In the copy: a byte for each call that came back, and one for its own end."""
    with contextlib.suppress(BaseException):
        if sys.modules.get("torch"):
            sys.modules["torch"].set_num_threads(1)  # its other threads were not copied
        for call in calls:
            call()
            os.write(writer, b".")
    os.write(writer, END)
    os._exit(0)


def _wait(reader, number, seconds):
    """How many calls came back, 0 if the copy came to its own end; whether it ended otherwise."""
    start, done, notice = time.monotonic(), 0, None
    while (now := time.monotonic()) < start + seconds:
        if notice is not None and now >= notice:
            print(f"(Still running: {done - 1} of {number} inputs in {NOTICE} seconds.)")
            notice = start + seconds
        if select.select([reader], [], [], (notice or start + seconds) - now)[0]:
            came = os.read(reader, 4096)
            if came.endswith(END) or not came:
                return (0, False) if came else (done, True)
            done += len(came)
            notice = notice or time.monotonic() + NOTICE  # the answer's own time begins
    return done, False
