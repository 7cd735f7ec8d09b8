"""Run another program, and end with it in one sentence where Ctrl-C or a hang-up says so."""

import contextlib
import os
import signal
import subprocess
import sys


@contextlib.contextmanager
def started(command, **options):
    """The process of a command in a session of its own: Ctrl-C ends it without a word from it."""
    with subprocess.Popen(command, start_new_session=True, **options) as process:
        try:
            yield process
        except BaseException:
            with contextlib.suppress(ProcessLookupError):  # it has ended already
                os.killpg(process.pid, signal.SIGTERM)
            raise


@contextlib.contextmanager
def ending(sentence):
    """Say the sentence, and nothing else, where the work is interrupted."""
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if name == signal.SIGINT or signal.getsignal(name) != signal.SIG_IGN:  # as nohup sets it
            signal.signal(name, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        sys.exit(f"\n{sentence}")
