"""Run a reader's function safely and say what came of it."""

import contextlib
import copy
import io
import linecache
import signal
import sys
import threading
import traceback
import warnings
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

PACKAGE = str(Path(__file__).parents[1])
SECONDS = 10


class TookTooLong(BaseException):
    """Not an Exception, so that a reader's `except Exception` does not swallow it."""


class Unfit(Exception):
    """What an answer returned cannot be compared with an array; the message says why."""


@dataclass
class Outcome:
    """What one call did: the value it returned, or the error and where; what it changed.

    `value` is a copy of the array that was `returned`, which a later call may overwrite.
    """

    value: object = None
    returned: object = None
    error: BaseException | None = None
    where: str = ""
    changed: list = field(default_factory=list)

    @property
    def raised(self):
        return self.error is not None

    @property
    def overwritten(self):
        return isinstance(self.value, np.ndarray) and not identical(self.value, self.returned)

    @property
    def message(self):
        try:
            return f"{type(self.error).__name__}: {self.error}"
        except Exception:
            return type(self.error).__name__


def attempt(function, arguments, writable=True):
    """Call a function with copies of `arguments` (a dict, passed by position)."""
    given = copy.deepcopy(arguments)
    for array in (a for a in given.values() if isinstance(a, np.ndarray)):
        array.flags.writeable = writable
    try:
        with _quiet(), _time_limit(SECONDS):
            value = function(*given.values())
        outcome = Outcome(value.copy() if isinstance(value, np.ndarray) else value, value)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        outcome = Outcome(error=error, where=_readers_line(error))
    outcome.changed = [n for n in arguments if not identical(arguments[n], given[n])]
    return outcome


def identical(a, b):
    """Same type and same bits."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return type(a) is type(b) and a == b


class _Sink(io.TextIOBase):
    """Takes any amount of printing and keeps none of it."""

    def write(self, text):
        return len(text)


@contextlib.contextmanager
def _quiet():
    with contextlib.redirect_stdout(_Sink()), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def _time_limit(seconds):
    """Interrupt what takes longer, where the platform can (the main thread of Unix)."""
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not (hasattr(signal, "setitimer") and in_main_thread):
        yield
        return

    stopped = []

    def stop(signum, frame):
        if stopped:
            _raise_on_every_line(frame)
        stopped.append(TookTooLong(f"it was stopped after {seconds} seconds"))
        raise stopped[0]

    handler, tracer = signal.signal(signal.SIGALRM, stop), sys.gettrace()
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        sys.settrace(tracer)
        if stopped:
            raise stopped[0]


def _raise_on_every_line(frame):
    """A reader's `except BaseException` took the interrupt: raise outside its `try` as well."""

    def trace(frame, event, argument):
        if event == "line":
            raise TookTooLong
        return trace

    sys.settrace(trace)
    while frame and frame.f_code.co_filename != __file__:
        frame.f_trace = trace
        frame = frame.f_back


def _readers_line(error):
    """The last line of the traceback that the reader wrote: not ours, not a library's."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        ours = frame.filename.startswith((PACKAGE, "<frozen", "<__array"))
        library = "site-packages" in frame.filename or frame.filename.startswith(sys.base_prefix)
        if not ours and not library:
            text = linecache.getline(frame.filename, frame.lineno).strip() or frame.line
            return f"line {frame.lineno}, in {frame.name}: {text}"
    return ""
