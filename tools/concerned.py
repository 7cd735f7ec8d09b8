"""Which tests a change in one file concerns, as far as imports and names tell.

A test concerns a module that it imports, and one after which, or after whose folder, it is named.
What other modules pass on of a change is left to `make test`.
"""

import ast
from pathlib import Path

from tools.reproducible import ROOT

CHAPTERS = "code/attnbook/exercises/chapters/"
OF_EXERCISES = "tests/test_exercises.py", "tests/test_solutions.py"


def concerned_by(path):
    """The arguments of pytest that prove a Python file: tests, and which of their cases."""
    path = Path(path).as_posix()
    if path.startswith("tests/test_") or path.startswith("tests/site/test_"):
        return [path]
    if path.startswith(CHAPTERS):
        chapter, exercise = Path(path).parts[-2:]
        return [*OF_EXERCISES, "-k", f"{chapter}.{exercise.removesuffix('.py')}"]
    name = module(path)
    found = [
        test.relative_to(ROOT).as_posix()
        for test in sorted((ROOT / "tests").rglob("test_*.py"))
        if name in imported(test) or _is_named_after(test.stem, name)
    ]
    return [path, *found] if found and path.startswith("code/") else found


def module(path):
    """The name by which a file is imported."""
    parts = Path(path).with_suffix("").parts
    parts = parts[1:] if parts[0] in ("code", "tests") else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(test):
    """The names of the modules that a file imports, and of what it imports from them."""
    found = set()
    for node in ast.walk(ast.parse(test.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def _is_named_after(test, name):
    *packages, own = name.split(".")
    package = packages[-1] if packages else own
    return test.removeprefix("test_") in (own, package, f"{package}_{own}")
