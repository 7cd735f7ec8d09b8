"""An end to what hangs: nothing ends a kernel that never comes back but the end of its process."""

import contextlib
import faulthandler
import os
import signal
import sys
import threading

LATE = 60.0  # seconds
AGAIN = 2  # the status that asks for another process


@contextlib.contextmanager
def watched(note, seconds=LATE, stderr=sys.__stderr__):
    """Let a block run for so many seconds; after that call `note` and end the process.

    The end says where it hung, and has the status 2. Where a call holds Python's lock, so that
    `note` cannot be called either, the system ends the process by a signal, a quarter later.
    """

    def leave():
        try:
            note()
            faulthandler.dump_traceback(stderr)
        finally:
            os._exit(AGAIN)

    timer = threading.Timer(seconds, leave)
    timer.daemon = True
    faulthandler.register(signal.SIGALRM, stderr, chain=True)
    signal.setitimer(signal.ITIMER_REAL, 1.25 * seconds)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        signal.setitimer(signal.ITIMER_REAL, 0)
