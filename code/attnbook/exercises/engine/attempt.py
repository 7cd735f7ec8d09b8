"""Run a reader's function safely and say what came of it."""

import contextlib
import copy
import gc
import inspect
import linecache
import re
import signal
import sys
import threading
import traceback
from dataclasses import dataclass, field

import numpy as np

from attnbook.exercises.engine.sandbox import Output, Unfit, of_the_reader, quiet

SECONDS = 10  # of the CPU: a machine that does much else refuses no right answer
WAITING = 60  # seconds of the clock, for an answer that waits or sleeps
NUMBERS = 10_000_000  # what a result may hold: far more than any case asks for
LONGEST = 100_000  # a list that a result may be: NumPy takes long to read one
COLOURS = re.compile(r"\x1b\[[\d;]*m")  # of a terminal, in messages of PyTorch


class TookTooLong(BaseException):
    """After how long. Not an Exception, so that a reader's `except Exception` swallows it not."""


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
    output: Output = field(default_factory=Output)

    @property
    def raised(self):
        return self.error is not None

    @property
    def overwritten(self):
        pair = self.value, self.returned
        pairs = zip(*pair, strict=True) if isinstance(self.value, tuple) else [pair]
        return any(isinstance(a, np.ndarray) and not identical(a, b) for a, b in pairs)

    @property
    def message(self):
        try:
            return COLOURS.sub("", f"{type(self.error).__name__}: {self.error}")
        except Exception:
            return type(self.error).__name__


def attempt(function, arguments, writable=True, seconds=None):
    """Call a function with copies of `arguments` (a dict, passed by position)."""
    args = copy.deepcopy(arguments)
    for array in (a for a in args.values() if isinstance(a, np.ndarray)):
        array.flags.writeable = writable
    output = Output()
    try:
        with quiet(output), _time_limit(SECONDS if seconds is None else seconds):
            value = function(*args.values())
            outcome = Outcome(_copy(value), value)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        outcome = Outcome(error=error, where=_readers_line(error))
    outcome.output = output
    outcome.changed = [n for n in arguments if not identical(arguments[n], args[n])]
    return outcome


def first_called(function, arguments, known):
    """The name of the first of the `known` functions that a call of this one calls, or None."""
    names = {inspect.unwrap(each).__code__: each.__name__ for each in known}
    called, before = [], sys.getprofile()
    sys.setprofile(lambda frame, event, _: called.append(names.get(frame.f_code)))
    try:
        attempt(function, arguments)
    finally:
        sys.setprofile(before)
    return next(filter(None, called), None)


def _copy(value):
    """A copy of an array, unless it is far too large: it may be a view that takes no memory.

    Of several results in a tuple each is copied.
    """
    if isinstance(value, tuple):
        copies = tuple(map(_copy, value))
        return value._make(copies) if hasattr(value, "_make") else copies
    if isinstance(value, list) and len(value) > LONGEST:
        raise Unfit(f"a list of {len(value)} numbers was returned: far too many")
    if not isinstance(value, np.ndarray):
        return value
    refuse_huge(value.shape)
    return value.copy()


def refuse_huge(shape):
    """Raise Unfit where an array of this shape has more numbers than any exercise asks for."""
    if (size := int(np.prod(shape, dtype=object))) > NUMBERS:
        raise Unfit(f"the shape is {tuple(shape)}, which is {size:.3g} numbers: far too many")


def identical(a, b):
    """Same type and same bits."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return type(a) is type(b) and a == b


@contextlib.contextmanager
def _time_limit(seconds):
    """Interrupt what takes longer, where the platform can (the main thread of Unix).

    No garbage is collected meanwhile: it would take the answer's time, and an alarm that meets a
    callback of the collector is lost.
    """
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not (hasattr(signal, "setitimer") and in_main_thread):
        yield
        return

    stopped = []
    limits = {signal.SIGPROF: f"{SECONDS} seconds of computing"}
    limits[signal.SIGALRM] = f"{WAITING} seconds"

    def stop(signum, frame):
        stopped.append(limits[signum])
        raise TookTooLong(stopped[0])

    computing = _alarm(signal.SIGPROF, signal.ITIMER_PROF, max(seconds, 0.01), stop)
    waiting = _alarm(signal.SIGALRM, signal.ITIMER_REAL, WAITING, stop)
    collects = gc.isenabled()
    gc.disable()
    try:
        with computing, waiting:
            yield
    finally:
        if collects:
            gc.enable()
        if stopped:
            raise TookTooLong(stopped[0])


@contextlib.contextmanager
def _alarm(number, timer, seconds, stop):
    before = signal.signal(number, stop)
    signal.setitimer(timer, seconds, 0.1)  # again and again: an `except` may swallow the first
    try:
        yield
    finally:
        signal.setitimer(timer, 0)
        signal.signal(number, before)


def _readers_line(error):
    """The last line of the traceback that the reader wrote: not ours, not a library's."""
    for frame, number in reversed([*traceback.walk_tb(error.__traceback__)]):
        code = frame.f_code
        if of_the_reader(code.co_filename):
            text = linecache.getline(code.co_filename, number).strip()
            return f"line {number}, in {code.co_name}: {text}"
    return ""
