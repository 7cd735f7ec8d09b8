"""A function or a module of the package with one of its lines changed, as by a mistake.

A change is a line such as `old → new`, as `attnbook.exercises.engine.edits` reads it for the
mistakes of exercises; ValueError is raised where `old` does not stand as it should.
"""

import inspect
import sys
import textwrap
from types import SimpleNamespace

import pytest

from attnbook.exercises.engine.edits import changed, run, source


def version(function, change):
    """The function, or method, with a change."""
    name, module = function.__name__, inspect.getmodule(function)
    text = changed(textwrap.dedent(source(function)), change)
    if function.__qualname__ == name:
        return run(name, text, module)[name]
    text = "class Changed:\n" + textwrap.indent(text, "    ")  # its names are no module's
    return vars(run(name, text, module)["Changed"])[name]


def of_module(module, change):
    """All that a module would have with a change; the module stays as it is."""
    text = changed(source(module), change)
    return SimpleNamespace(**run(module.__name__, text, module))


def assert_rejected(monkeypatch, right, change, *claims, by=AssertionError):
    """Each claim holds, and none of them once the function, or module, is changed."""
    for claim in claims:
        claim()
    put(monkeypatch, right, change)
    for claim in claims:
        with pytest.raises(by):
            claim()


def put(monkeypatch, right, change):
    """Put the changed function, or all of a changed module, in the place of the right one."""
    if not inspect.ismodule(right):
        return exchange(monkeypatch, right, version(right, change))
    for name, value in [*vars(right).items()]:  # so that each comes back
        monkeypatch.setattr(right, name, value)
    exec(changed(source(right), change), vars(right))


def exchange(monkeypatch, function, wrong):
    """Put one function in the place of another: in its class, or wherever a module has it."""
    *classes, name = function.__qualname__.split(".")
    owner = sys.modules[function.__module__]
    for each in classes:
        owner = getattr(owner, each)
    homes = [owner] if classes else [m for m in [*sys.modules.values()] if has(m, function)]
    if not homes:
        raise ValueError(f"no module has {name}, which was exchanged before")
    for home in homes:
        monkeypatch.setattr(home, name, wrong)


def has(module, function):
    found = getattr(module, "__dict__", {}).get(function.__name__)
    return getattr(found, "__wrapped__", found) is getattr(function, "__wrapped__", function)
