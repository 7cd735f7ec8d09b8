"""Every Python on this machine that the book promises to work with builds it."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from small_book import write_book

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
TRIED = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
HERE = f"3.{sys.version_info.minor}"
OTHERS = [minor for minor in TRIED if minor != HERE]
FOLDERS = ("~/.pyenv/versions/{}.*/bin", "~/.local/share/uv/python/cpython-{}.*/bin")
ENOUGH = "import sys, ensurepip, ssl; print('%d.%d' % sys.version_info[:2])"


def runs(path, minor):
    """Whether this is a Python of that version with all that it needs to install packages."""
    try:
        done = subprocess.run([path, "-c", ENOUGH], capture_output=True, text=True, timeout=60)
    except OSError:
        return False
    return done.stdout.strip() == minor


def find(minor):
    """The path of a Python of that version, or None."""
    name = f"python{minor}"
    folders = [folder for pattern in FOLDERS for folder in Path("/").glob(whole(pattern, minor))]
    found = [shutil.which(name), *(folder / name for folder in folders)]
    return next((path for path in found if path and runs(path, minor)), None)


def whole(pattern, minor):
    return os.path.expanduser(pattern).format(minor).lstrip("/")


@pytest.mark.everywhere
@pytest.mark.parametrize("minor", OTHERS)
def test_another_python_installs_what_is_pinned_and_builds_a_book_with_formulas(minor, tmp_path):
    python = find(minor)
    if python is None:
        pytest.skip(f"this machine has no Python {minor}")
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        ["make", "book", "SERVE=0", f"PYTHON={python}"],
        cwd=write_book(tmp_path),
        env=environ | {"PIP_NO_COMPILE": "1"},  # half the time; each module is imported once
        capture_output=True,
        text=True,
        timeout=900,  # on Python 3.13 it never ended while V8 was closed by the collector
    )
    said = done.stdout + done.stderr
    if "The packages could not be downloaded" in said:
        pytest.skip(f"this machine has no way to the packages for Python {minor}")
    assert done.returncode == 0, said
    assert 'class="katex' in (tmp_path / "_build/html/book/second.html").read_text("utf-8")


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_the_pythons_that_are_tried_are_told_as_they_are(page):
    said = re.findall(r"\b(3\.\d+) to (3\.\d+)\b", (ROOT / page).read_text(encoding="utf-8"))
    assert said == [(TRIED[0], TRIED[-1])]
    assert PROJECT["requires-python"] == f">={TRIED[0]}"


def test_a_python_of_another_version_is_not_taken():
    assert runs(sys.executable, HERE)
    assert not runs(sys.executable, OTHERS[0])
    assert not runs("/no/such/python", HERE)
