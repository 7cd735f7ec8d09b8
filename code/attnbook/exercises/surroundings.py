"""What an answer meets, and what it must leave as it was: streams, session, NumPy and Python."""

import builtins
import contextlib
import io
import math
import sys
import warnings

import numpy as np

MODULES = (builtins, math, np, np.linalg, np.random)
OF_TORCH = ("torch", "torch.nn.functional", "torch.linalg")
SETTINGS = {
    "NumPy's print options": (np.get_printoptions, lambda found: np.set_printoptions(**found)),
    "Python's recursion limit": (sys.getrecursionlimit, sys.setrecursionlimit),
}


class Unfit(Exception):
    """An answer that cannot be compared with an array; the message says why."""


class _Sink(io.TextIOBase):
    """Takes any amount of printing and keeps none of it."""

    def write(self, text):
        return len(text)


def _no_input(*prompt):
    raise Unfit("your function asks for input(); what it needs are its arguments")


def _no_exit():
    raise Unfit("your function calls exit() or quit(), which end the whole session")


@contextlib.contextmanager
def quiet():
    """Nothing is printed, warned of or asked, and the notebook's session is not ended."""
    ipython = sys.modules.get("IPython")
    shell = ipython and ipython.get_ipython()
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.redirect_stdout(_Sink()))
        stack.enter_context(contextlib.redirect_stderr(_Sink()))
        stack.enter_context(warnings.catch_warnings(action="ignore"))
        stack.enter_context(np.errstate(all="ignore"))
        stack.enter_context(replaced(builtins, "input", _no_input))
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
