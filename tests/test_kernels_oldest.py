"""Triton 3.6, the oldest that is promised, compiles the kernels, too.

There a function returns no tuple that may hold None: it makes a tensor of each part.
"""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import compiled_kernels as made
import pytest

from tools import environment

KERNELS = sorted((made.ROOT / "code/attnbook/kernels").glob("*.py"))
OLDEST = "triton==3.6.0"


def may_hold_none(trees):
    """The classes of tuples of which a part may be None, by name."""
    classes = [x for tree in trees for x in ast.walk(tree) if isinstance(x, ast.ClassDef)]
    parts = {each.name: [x for x in each.body if isinstance(x, ast.AnnAssign)] for each in classes}
    return {name for name, all_ in parts.items() if any("None" in ast.dump(x) for x in all_)}


def returned(texts):
    """The functions that Triton compiles and that return such a tuple, by name."""
    trees = [ast.parse(text) for text in texts]
    classes, found = may_hold_none(trees), []
    for function in (x for tree in trees for x in ast.walk(tree)):
        if isinstance(function, ast.FunctionDef) and "jit" in ast.dump(
            ast.List(function.decorator_list)
        ):
            values = [x.value for x in ast.walk(function) if isinstance(x, ast.Return)]
            names = {getattr(getattr(x, "func", None), "id", None) for x in values}
            found += [function.name] if names & classes else []
    return found


def test_no_function_of_a_kernel_returns_a_tuple_that_may_hold_none():
    texts = [path.read_text(encoding="utf-8") for path in KERNELS]
    assert {"Mask", "Scoring"} <= may_hold_none(map(ast.parse, texts))
    assert returned(texts) == []
    wrong = "@triton.jit\ndef mask_of(n, window):\n    return Mask(n_q=n, window=window)\n"
    assert returned([*texts, wrong]) == ["mask_of"]


@pytest.mark.everywhere
def test_it_compiles_every_kernel_of_an_h100(tmp_path):
    install = [sys.executable, "-m", "pip", "install", "--no-deps", "--target", tmp_path, OLDEST]
    done = subprocess.run(install, capture_output=True, text=True)
    if environment.OFFLINE.search(done.stderr):
        pytest.skip("this machine has no way to the packages")
    assert done.returncode == 0, done.stderr
    jobs = made.jobs("sm_90")
    environ = {"TRITON_INTERPRET": "0", "TRITON_CACHE_DIR": str(tmp_path / "cache")}
    places = tmp_path, made.ROOT / "code", made.ROOT
    environ["PYTHONPATH"] = os.pathsep.join(map(str, places))
    done = subprocess.run(
        [sys.executable, Path(made.TESTS, "ahead.py")],
        input="\n".join(json.dumps(["sm_90", job]) for job in jobs),
        capture_output=True,
        env=os.environ | environ,
        text=True,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert made.broken(answers) == []
    assert [a["job"] for a in answers] == jobs, done.stderr[-2000:]
    kernels = [kernel for a in answers for kernel in a["kernels"]]
    waits = [x["between waits"] for x in kernels if x["name"] == "hopper_forward"]
    assert waits == [[made.OVERLAPPED] * 2] * 4  # two widths, with a mask and without
