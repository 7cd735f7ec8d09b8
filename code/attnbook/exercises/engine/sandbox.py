"""What an answer meets: what it prints and is warned of is kept, and it asks for no input.

It leaves the working directory as it was.
"""

import builtins
import contextlib
import io
import sys
import warnings
from pathlib import Path

import numpy as np

from attnbook.arguments import shortened

PACKAGE = str(Path(__file__).parents[2])
SHOWN = 500  # characters of what an answer prints


class Unfit(Exception):
    """An answer that cannot be compared with an array; the message says why."""


class Captured(io.TextIOBase):
    """Takes any amount of printing and keeps its beginning."""

    def __init__(self):
        self.beginning, self.size = "", 0

    def write(self, text):
        self.beginning += text[: SHOWN - len(self.beginning)]
        self.size += len(text)
        return len(text)

    def text(self):
        """What was printed, or its beginning and how much it was."""
        if self.size == len(self.beginning):
            return self.beginning.rstrip()
        return f"{shortened(self.beginning + ' ', SHOWN)} ({self.size} characters in all)"


class Output:
    """What an answer prints, and what it is warned of in lines of its own, each warning once."""

    def __init__(self):
        self.printed, self.warned = Captured(), Captured()

    def warn(self, message, category, filename, *rest):
        line = f"{category.__name__}: {message}\n"
        if of_the_reader(filename) and line not in self.warned.beginning:
            self.warned.write(line)


def of_the_reader(filename):
    """Whether a reader wrote this file: not we, and no library."""
    ours = filename.startswith((PACKAGE, "<frozen", "<__array"))
    library = "site-packages" in filename or filename.startswith(sys.base_prefix)
    return not ours and not library


def _no_input(*prompt):
    raise Unfit("your function asks for input(); what it needs are its arguments")


@contextlib.contextmanager
def quiet(output):
    """What is printed and warned goes into `output`, and nothing is asked."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.redirect_stdout(output.printed))
        stack.enter_context(contextlib.redirect_stderr(output.printed))
        stack.enter_context(warnings.catch_warnings(action="always"))
        stack.enter_context(replaced(warnings, "showwarning", output.warn))
        stack.enter_context(np.errstate(all="warn", under="ignore"))
        stack.enter_context(replaced(builtins, "input", _no_input))
        stack.enter_context(contextlib.chdir("."))
        stack.enter_context(as_it_was(np))
        yield


@contextlib.contextmanager
def as_it_was(module):
    """A module that afterwards has again what it had: the check computes with NumPy, too."""
    before = dict(vars(module))
    try:
        yield
    finally:
        vars(module).update(before)


@contextlib.contextmanager
def replaced(owner, name, value):
    """Another attribute for a while."""
    own, before = name in vars(owner), getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        if own:
            setattr(owner, name, before)
        else:
            delattr(owner, name)
