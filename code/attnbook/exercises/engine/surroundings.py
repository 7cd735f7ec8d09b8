"""What an answer meets, and what it must leave as it was: streams, session, NumPy and Python."""

import builtins
import contextlib
import io
import math
import os
import sys
import warnings
from pathlib import Path

import numpy as np

PACKAGE = str(Path(__file__).parents[1])
SHOWN = 500  # characters of what an answer prints
MODULES = (builtins, math, np, np.linalg, np.random)
OF_TORCH = ("torch", "torch.nn.functional", "torch.linalg")
SETTINGS = {
    "NumPy's print options": (np.get_printoptions, lambda found: np.set_printoptions(**found)),
    "Python's recursion limit": (sys.getrecursionlimit, sys.setrecursionlimit),
}


class Unfit(Exception):
    """An answer that cannot be compared with an array; the message says why."""


class Kept(io.TextIOBase):
    """Takes any amount of printing and keeps its beginning."""

    def __init__(self):
        self.beginning, self.size = "", 0

    def write(self, text):
        self.beginning += text[: SHOWN - len(self.beginning)]
        self.size += len(text)
        return len(text)

    def text(self):
        """What was printed, or its beginning and how much it was."""
        cut = self.size > len(self.beginning)
        return self.beginning.rstrip() + cut * f" … ({self.size} characters in all)"


class Said:
    """What an answer prints, and what it is warned of in lines of its own, each warning once."""

    def __init__(self):
        self.printed, self.warned = Kept(), Kept()

    def warn(self, message, category, filename, *rest):
        line = f"{category.__name__}: {message}\n"
        if of_the_reader(filename) and line not in self.warned.beginning:
            self.warned.write(line)


def of_the_reader(filename):
    """Whether a reader wrote this file: not we, and no library."""
    ours = filename.startswith((PACKAGE, "<frozen", "<__array"))
    library = "site-packages" in filename or filename.startswith(sys.base_prefix)
    return not ours and not library


def _no_fork():
    raise Unfit("your function starts another process; an answer needs none")


def _no_input(*prompt):
    raise Unfit("your function asks for input(); what it needs are its arguments")


def _no_exit():
    raise Unfit("your function calls exit() or quit(), which end the whole session")


@contextlib.contextmanager
def quiet(said):
    """What is said goes into `said`; nothing is asked, and no process begins or ends."""
    ipython = sys.modules.get("IPython")
    shell = ipython and ipython.get_ipython()
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.redirect_stdout(said.printed))
        stack.enter_context(contextlib.redirect_stderr(said.printed))
        stack.enter_context(warnings.catch_warnings(action="always"))
        stack.enter_context(replaced(warnings, "showwarning", said.warn))
        stack.enter_context(np.errstate(all="warn", under="ignore"))
        stack.enter_context(replaced(builtins, "input", _no_input))
        if hasattr(os, "fork"):
            stack.enter_context(replaced(os, "fork", _no_fork))
        if shell:
            stack.enter_context(replaced(shell, "ask_exit", _no_exit))
        yield


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


@contextlib.contextmanager
def left_alone():
    """A list that holds, at the end, the names of what was changed for the whole session.

    All of it is put back: functions of NumPy, PyTorch and Python, print options, recursion limit.
    """
    modules = (*MODULES, *(sys.modules[name] for name in OF_TORCH if sys.modules.get(name)))
    functions = [(module, dict(vars(module))) for module in modules]
    settings = {name: get() for name, (get, _) in SETTINGS.items()}
    changed = []
    try:
        yield changed
    finally:
        for module, before in functions:
            changed += _put_back(module, before)
        for name, found in settings.items():
            get, put = SETTINGS[name]
            if get() != found:
                put(found)
                changed.append(name)


def _put_back(module, before):
    now = vars(module)
    names = [name for name, value in before.items() if now.get(name) is not value]
    for name in names:
        setattr(module, name, before[name])
    return [f"{module.__name__}.{name}" for name in names]
