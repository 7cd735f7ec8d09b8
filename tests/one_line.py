"""A function of the package with one of its lines changed, as a mistake would change it."""

import inspect
import sys


def put(monkeypatch, function, right, wrong):
    """Put the function with `wrong` for `right` in its place; `right` stands in it exactly once."""
    module = sys.modules[function.__module__]
    source = inspect.getsource(function)
    if source.count(right) != 1:
        raise ValueError(f"{function.__name__} has {source.count(right)} times {right!r}")
    scope = vars(module).copy()
    exec(source.replace(right, wrong), scope)
    monkeypatch.setattr(module, function.__name__, scope[function.__name__])
