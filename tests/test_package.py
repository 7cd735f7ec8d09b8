"""The package as somebody meets it who installs it: its names, its wheel, what it says of needs."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from email.parser import Parser

import pytest

import attnbook
from tools.reproducible import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"```python\n(.*?)```", re.S)
ANSWER = re.compile(r"```\n(Not yet.*?)```", re.S)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, made of a copy: setuptools leaves its own folders beside what it builds."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in ("code", "benchmarks", "tools"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "LICENSE", "README.md"):
        shutil.copy(ROOT / name, folder)
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("attnbook-*.whl")
    return zipfile.ZipFile(built)


def test_the_wheel_holds_the_whole_package_and_nothing_else(wheel):
    ours = {
        path.relative_to(ROOT / "code").as_posix()
        for path in (ROOT / "code/attnbook").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    held = set(wheel.namelist())
    assert ours <= held and "attnbook/py.typed" in ours
    assert {name.split("/")[1] for name in held - ours} <= {
        *("METADATA", "WHEEL", "RECORD", "top_level.txt", "licenses")
    }


def test_the_wheel_says_its_licences_and_what_it_needs(wheel):
    (name,) = [name for name in wheel.namelist() if name.endswith("/METADATA")]
    said = Parser().parsestr(wheel.read(name).decode())
    assert said["Version"] == attnbook.__version__
    assert said.get_payload().startswith("# Attention, from NumPy to the GPU\n")
    assert said["License-Expression"] == "Apache-2.0 AND OFL-1.1"
    assert len(said.get_all("License-File")) == 2
    needs = [need for need in said.get_all("Requires-Dist") if "extra ==" not in need]
    assert sorted(re.match(r"[\w-]+", need)[0] for need in needs) == [
        *("jaxtyping", "matplotlib", "numpy", "platformdirs")
    ]


def run(code, *arguments, **environ):
    command = [sys.executable, *arguments, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | environ)


WITHOUT_TORCH = """
import sys
sys.path.insert(0, sys.argv[1])
sys.modules["torch"] = sys.modules["scipy"] = None
import attnbook
assert not {name for name in sys.modules if name.startswith("attnbook.")}
from attnbook import masks, scaled_dot_product_attention
import numpy as np
q = np.ones((2, 3))
assert (scaled_dot_product_attention(q, q, q, masks.causal_mask(2, 2)) == q).all()
assert attnbook.online.attention_blockwise and attnbook.exercises.progress
try:
    from attnbook import flash_attention
except ImportError as error:
    print(error)
"""


def test_the_wheel_alone_does_all_of_numpy_and_says_what_the_rest_needs(wheel, tmp_path):
    wheel.extractall(tmp_path)
    done = run(f"import sys; sys.argv.append({str(tmp_path)!r}){WITHOUT_TORCH}", "-P")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "attnbook.flash_attention needs torch: pip install 'attnbook[gpu]'\n"


def test_every_name_at_the_door_is_there():
    assert set(dir(attnbook)) == set(attnbook.__all__)
    for name in attnbook.__all__:
        assert getattr(attnbook, name) is not None
    folders = {p.stem for p in (ROOT / "code/attnbook").iterdir() if not p.name.startswith("_")}
    assert folders - set(attnbook.__all__) == {
        "arguments",
        "checks",
        "colours",
        "operation",
        "profiler",
        "py",
    }


def test_a_name_that_is_not_there_is_answered_with_those_that_are():
    with pytest.raises(AttributeError, match=r"attnbook has no 'flash'; it has .*flash_attention"):
        attnbook.flash  # noqa: B018


ENVIRONMENT = """
import os
before = dict(os.environ)
{imports}
print(sorted(dict(os.environ).items() - before.items()), before.keys() - os.environ.keys())
"""
PROFILES = """
import torch
from attnbook import fused, measure
q = torch.ones(4, 4)
fused.watching.ran(lambda: q + 1)
measure.peak_memory(lambda: q + 1)
measure.operations(lambda: q + 1)
"""


@pytest.mark.parametrize(
    ("imports", "changed"),
    [
        ("from attnbook import attention, measure, distributed, exercises", []),
        (PROFILES, []),
        ("from attnbook import kernels", [("TRITON_INTERPRET", "1")]),
    ],
)
def test_the_environment_stays_as_it_was_but_for_what_triton_must_know(imports, changed, tmp_path):
    """Where a GPU is, Triton has not to be told anything; PyTorch itself names a cache."""
    torch = pytest.importorskip("torch")
    others = "KINETO_", "TRITON_"  # what tests before this one may have set
    kept = {name: value for name, value in os.environ.items() if not name.startswith(others)}
    kept["TORCHINDUCTOR_CACHE_DIR"] = str(tmp_path)
    code = ENVIRONMENT.format(imports=imports)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=kept)
    changed = [] if torch.cuda.is_available() else changed
    assert (done.stdout, done.stderr) == (f"{changed} set()\n", "")


def test_what_the_readme_says_runs_its_first_block_without_triton():
    everywhere, kernels, _ = BLOCK.findall(README)
    for code in ('import sys; sys.modules["triton"] = None\n' + everywhere, everywhere + kernels):
        done = run(code, PYTHONPATH=str(ROOT / "code"))
        assert done.returncode == 0, done.stderr
        assert "SDPA" in done.stdout
    for right in (everywhere, kernels):
        wrong = right.replace("causal=True)", "causal=False)", 1)
        with pytest.raises(AssertionError):
            exec(wrong if right is everywhere else everywhere + wrong, {})


def test_what_the_readme_says_that_an_exercise_answers(tmp_path):
    *_, exercise = BLOCK.findall(README)
    (answer,) = ANSWER.findall(README)
    places = {"PYTHONPATH": str(ROOT / "code"), "XDG_DATA_HOME": str(tmp_path)}
    assert run(exercise, **places).stdout == answer
    assert run(exercise.replace("<", "<="), **places).stdout != answer
