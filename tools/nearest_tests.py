"""Which tests a change in one file concerns, as far as names tell, the nearest first.

A test speaks of a module that it imports, or of which it uses a name that a package above hands on.
Nearest is a test that is named after the module, then one that is named after its folder, then the
one with most of these names among its words. If no test speaks of a module, those of the modules
that import it do. Of another file, a test speaks that names it.
"""

import ast
import functools
import re
import sys
from itertools import chain, zip_longest
from pathlib import Path

from tools.reproducible import ROOT

CHAPTERS = "code/attnbook/exercises/chapters/"
FAMILIES = "code/attnbook/exercises/families/"
OF_EXERCISES = "tests/test_exercises.py", "tests/test_solutions.py"
OF_PAGES = "book/_ext/", "book/_static/", "book/_templates/"
SITE = ROOT / "_build" / "html" / "index.html"
TESTS = "tests/**/test_*.py"
PYTHON = "code/**/*.py", "benchmarks/**/*.py", "tools/*.py", "tests/**/*.py"
MOST = 8  # files of tests: all are imported before the first begins, and a minute is short


def cases_of(path):
    """What the names of a notebook's or an exercise's own tests have in common; none of others."""
    if path.endswith(".ipynb"):
        return [Path(path).name, f"{Path(path).stem.replace('-', '_')}."]
    if not path.startswith((CHAPTERS, FAMILIES)):
        return []
    exercises = [each for each in [path, *importers(path)] if each.startswith(CHAPTERS)]
    names = [".".join(Path(each).with_suffix("").parts[-2:]) for each in exercises]
    return [name.removesuffix("__init__") for name in names]


def nearest_to(paths):
    """The tests that prove some files: the nearest of each, then the second nearest of each, …"""
    turns = chain.from_iterable(zip_longest(*map(_near, paths)))
    return list(dict.fromkeys(filter(None, turns)))[: max(MOST, len(paths))]


def _near(path):
    """The tests nearest to a file or, where there are none, to those that import it."""
    found = nearest(path) or [test for each in importers(path) for test in nearest(each)]
    if not found:
        sys.exit(f"No test speaks of {path}: `make test` proves it.")
    return list(dict.fromkeys(found))[:MOST]


def is_test(path):
    return path in _sources(TESTS)


def nearest(path):
    """The tests that speak of a file, those first that do so most."""
    far = {test: _distance(test, text, path) for test, text in _sources(TESTS).items()}
    return sorted((test for test in far if far[test] is not None), key=far.get)


def _distance(test, text, path):
    """How far a test is from a file, None if it does not speak of it."""
    stem = Path(test).stem.removeprefix("test_")
    if path.startswith(OF_PAGES) and not path.endswith(".svg"):
        own = Path(path).stem.removeprefix("book_")
        return (stem != f"build_{own}", own not in text) if stem.startswith("build_") else None
    if test.startswith("tests/site/") and not SITE.is_file():
        return None  # it would fail for want of the site
    if not path.endswith(".py"):
        return -text.count(Path(path).name) or None
    name = module(path)
    *packages, own = name.split(".")
    package = packages[-1] if packages else own
    mentions = len(re.findall(rf"\b({'|'.join(defined(path))})\b", text))
    above = {".".join(packages[:i]) for i in range(2, len(packages) + 1)}
    after_it, after_its_folder = stem in (f"{package}_{own}", own), stem == package
    speaks = name in imported(text) or f'"{name}"' in text or (mentions and above & imported(text))
    if not (speaks or after_it or after_its_folder):
        return None
    return not after_it, not after_its_folder, -mentions / len(text.split())


def importers(path):
    """The files that import a module."""
    name = module(path)
    own = name.rpartition(".")[2]
    files = {file: text for pattern in PYTHON for file, text in _sources(pattern).items()}
    return [file for file, text in files.items() if own in text and name in imported(text)]


def defined(path):
    """The names that a module defines; those of a package are what it hands on."""
    found = [Path(path).stem]
    for node in ast.parse((ROOT / path).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.append(node.name)
        elif isinstance(node, ast.Assign):
            found += [target.id for target in node.targets if isinstance(target, ast.Name)]
        elif isinstance(node, ast.ImportFrom) and path.endswith("__init__.py"):
            found += [alias.asname or alias.name for alias in node.names]
    return found


def module(path):
    """The name by which a file is imported."""
    parts = Path(path).with_suffix("").parts
    roots = ("tests", "site"), ("code",), ("tests",)
    root = next((root for root in roots if parts[: len(root)] == root), ())
    parts = parts[len(root) :]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@functools.cache
def imported(text):
    """The names of the modules that a source imports, and of what it imports from them."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


@functools.cache
def _sources(pattern):
    """What stands in the files, by their paths."""
    files = {path.relative_to(ROOT).as_posix(): path for path in sorted(ROOT.glob(pattern))}
    return {name: path.read_text(encoding="utf-8") for name, path in files.items()}
