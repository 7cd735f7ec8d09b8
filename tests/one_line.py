"""A function or a module of the package with one of its lines changed, as by a mistake.

The text to be changed stands in it once, or, `everywhere`, at all; else ValueError is raised.
"""

import inspect
import sys
import textwrap
from types import SimpleNamespace

from attnbook.exercises.engine.edits import exchanged, run, source


def version(function, right, wrong, everywhere=False):
    """The function, or method, with `wrong` for `right`."""
    name, module = function.__name__, inspect.getmodule(function)
    text = exchanged(textwrap.dedent(source(function)), right, wrong, everywhere)
    if function.__qualname__ == name:
        return run(name, text, module)[name]
    text = "class Changed:\n" + textwrap.indent(text, "    ")  # its names are no module's
    return vars(run(name, text, module)["Changed"])[name]


def of_module(module, right, wrong, everywhere=False):
    """All that a module would have with `wrong` for `right`; the module stays as it is."""
    text = exchanged(source(module), right, wrong, everywhere)
    return SimpleNamespace(**run(module.__name__, text, module))


def put(monkeypatch, function, right, wrong, *others, everywhere=False):
    """Put a version in the place of a function: in its module or class, and in other modules."""
    owner = sys.modules[function.__module__]
    for name in function.__qualname__.split(".")[:-1]:
        owner = getattr(owner, name)
    wrong = version(function, right, wrong, everywhere)
    for home in (owner, *others):
        if hasattr(home, function.__name__):
            monkeypatch.setattr(home, function.__name__, wrong)
