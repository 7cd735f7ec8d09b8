"""Another assembler: which one is taken, and that Triton compiles with it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from attnbook.measure import provenance
from benchmarks.check import assembler

CUBIN = """
import sys, tempfile, triton, triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from attnbook import measure

@triton.jit
def kernel(x):
    tl.store(x, 1)

triton.compile(ASTSource(kernel, {"x": "*i32"}, {}), target=GPUTarget("cuda", 90, 32))
print(measure.environment()["ptxas"])
"""


def made_up(path, version):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho Cuda compilation tools, release {version[:4]}, V{version}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def alone(tmp_path, monkeypatch):
    """A Triton with an assembler of its own, and no other place to look at."""
    made_up(tmp_path / "triton/ptxas", "12.8.93")
    monkeypatch.setattr(assembler, "triton", lambda: tmp_path / "triton")
    monkeypatch.setattr(assembler, "ROOT", tmp_path)
    monkeypatch.setattr(assembler.sysconfig, "get_path", lambda name: str(tmp_path / "site"))
    monkeypatch.setattr(assembler.shutil, "which", lambda name: None)
    monkeypatch.setattr(assembler, "Path", lambda *p: Path(str(p[0]).replace("/usr", "/nowhere")))
    monkeypatch.delenv("SECOND_PTXAS", raising=False)
    return tmp_path


def test_the_newest_that_is_not_tritons_own_is_taken_and_a_chosen_one_before_all(
    alone, monkeypatch
):
    assert assembler.another() is None
    blackwell = made_up(alone / "triton/ptxas-blackwell", "12.8.93")
    assert assembler.another() is None  # the same again
    made_up(blackwell, "12.9.86")
    assert assembler.another() == (str(blackwell), "12.9.86")
    package = made_up(alone / "site/nvidia/cu13/bin/ptxas", "13.1.80")
    assert assembler.another() == (str(package), "13.1.80")
    peer = made_up(alone / "peers/ptxas", "12.4.1")
    assert assembler.another() == (str(peer), "12.4.1")
    peer.write_text("no program")
    assert assembler.another() == (str(package), "13.1.80")
    monkeypatch.setenv("SECOND_PTXAS", str(made_up(alone / "mine", "13.3.1")))
    assert assembler.another() == (str(alone / "mine"), "13.3.1")


@pytest.mark.everywhere
def test_triton_compiles_with_it_and_the_record_says_its_version(tmp_path):
    found = assembler.another()
    if sys.platform != "linux" or found is None:
        pytest.skip("this machine has no assembler but Triton's own")
    path, version = found
    script = tmp_path / "compile.py"
    script.write_text(CUBIN)
    told = []
    for settings in {}, assembler.settings(path), {"TRITON_PTXAS_PATH": "nowhere"}:
        kept = {"TRITON_CACHE_DIR": str(tmp_path / "cache"), "TRITON_INTERPRET": "0"}
        done = subprocess.run(
            [sys.executable, str(script)],
            capture_output=True,
            text=True,
            env=os.environ | kept | settings,
        )
        assert done.returncode == 0, done.stderr
        told.append(done.stdout.strip())
    own = ".".join(map(str, assembler.version(assembler.triton() / "ptxas")))
    assert told == [own, version, own] and own != version


def test_without_triton_there_is_no_assembler(monkeypatch):
    monkeypatch.setattr(provenance.importlib.util, "find_spec", lambda name: None)
    assert provenance._assembler() == "none"
