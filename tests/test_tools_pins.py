"""What is pinned can be installed: on the oldest Python that the book promises, and on Binder."""

import os
import subprocess
import sys
import tomllib
from importlib.metadata import distribution
from pathlib import Path
from types import SimpleNamespace

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from tools.reproducible import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PROMISED = PROJECT["dependencies"] + PROJECT["optional-dependencies"]["book"]
OLDEST = PROJECT["requires-python"].removeprefix(">=") + ".0"
LINES = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
PINS = dict(line.split("==") for line in LINES if not line.startswith("#"))
ELSEWHERE = {"triton"}  # brought by PyTorch's builds for GPUs only, with NVIDIA's own packages
GPU = ("nvidia-", "cuda-")
WRITTEN_HERE = sys.platform == "linux" and sys.version_info[:2] == (3, 11)


def refused(pythons, oldest=OLDEST):
    """The names of packages whose range of Pythons leaves out the oldest."""
    return [name for name, wanted in pythons.items() if oldest not in SpecifierSet(wanted or "")]


def installed(name):
    """The metadata of the version that is pinned."""
    found = distribution(name)
    assert found.version.partition("+")[0] == PINS[name], f"{name} {found.version} is installed"
    return found.metadata


def test_every_pinned_package_takes_the_oldest_python_that_is_promised():
    names = PINS.keys() - ELSEWHERE
    assert PINS.keys() > ELSEWHERE
    assert refused({name: installed(name)["Requires-Python"] for name in names}) == []


def test_a_package_that_wants_a_later_patch_of_python_is_found():
    assert refused({"new": ">=3.11.5", "old": ">=3.8", "any": None}) == ["new"]


def asked():
    """What the requirements files and the package itself ask for."""
    files = sorted(ROOT.glob("requirements*.txt"))
    lines = [line for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    pinned = [line.partition(" #")[0] for line in lines if not line.startswith(("#", "-"))]
    return [*map(Requirement, pinned), *map(Requirement, PROMISED)]


def brought(needs, distribution=distribution):
    """The names of what is needed, and of all that this brings on this machine."""
    found, left = set(), [(need.name, frozenset(need.extras)) for need in needs]
    while left:
        name, extras = this = left.pop()
        if this in found or name in ELSEWHERE or name.startswith(GPU):
            continue
        found.add(this)
        for need in map(Requirement, distribution(name).requires or []):
            asked = [{"extra": extra} for extra in {"", *extras}]
            if not need.marker or any(map(need.marker.evaluate, asked)):
                left.append((need.name, frozenset(need.extras)))
    return {canonicalize_name(name) for name, _ in found}


def test_all_that_is_brought_is_pinned_and_nothing_else():
    """A new release of something that we never name can not break a fresh clone."""
    whole, pinned = brought(asked()), {canonicalize_name(name) for name in PINS} - ELSEWHERE
    assert whole - pinned == set()
    if WRITTEN_HERE:
        assert pinned - whole == set()


@pytest.mark.skipif(not WRITTEN_HERE, reason="this machine has no Linux with Python 3.11")
def test_the_command_at_the_head_of_the_pins_writes_them():
    (command,) = [line.removeprefix("#   ") for line in LINES if "pip freeze" in line]
    environ = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    written = subprocess.check_output(["sh", "-c", command], env=environ, text=True).splitlines()
    pinned = [line for line in LINES if not line.startswith("#")]
    assert [line for line in written if not line.startswith(GPU)] == pinned


def test_what_comes_by_another_or_by_an_extra_is_found():
    needs = {"a": ["b", 'c; extra == "more"'], "b": ['d; python_version < "3"'], "c": []}
    given = [Requirement("a[more]")]
    metadata = {name: SimpleNamespace(requires=listed) for name, listed in needs.items()}
    assert brought(given, metadata.get) == {"a", "b", "c"}


@pytest.mark.parametrize("package", ["scipy", "matplotlib", "numpy", "jaxtyping", "platformdirs"])
def test_what_is_pinned_lies_in_the_range_that_the_package_promises(package):
    ranges = {need.name: need.specifier for need in map(Requirement, PROMISED)}
    assert PINS[package] in ranges[package]
