"""Break softmax in a copy of the package, once for each mistake, and count the tests that fail.

    python tests/mutants.py

Ends with status 1 if the suite stays green on any of them. Takes some minutes.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = "code/attnbook/reference/softmax.py"
SUITE = ["arguments", "influence", "onnx", "published", "reference"]

QUOTIENT = "weights = exp / np.where(total == 0, 1, total)"
HIDE = "scores = np.where(mask, scores, -np.inf)"
TOP = "top = np.max(scores, axis=-1, keepdims=True, initial=-np.inf)"
SHIFT = "shift = np.where(np.isfinite(top), top, 0)"
EXP = "exp = np.exp(scores - shift)"
TOTAL = "return shift, exp, np.sum(exp, axis=-1, keepdims=True)"

MISTAKES = {
    "NaN row where nothing is visible": (QUOTIENT, "weights = exp / total"),
    "uniform row where nothing is visible": (
        QUOTIENT,
        "weights = np.where(total == 0, 1 / exp.shape[-1], exp / total)",
    ),
    "1e-9 in the denominator": (QUOTIENT, "weights = exp / (total + 1e-9)"),
    "not divided": (QUOTIENT, "weights = exp"),
    "mask inverted": (HIDE, "scores = np.where(mask, -np.inf, scores)"),
    "mask ignored": (HIDE, "pass"),
    "scores times the mask": (HIDE, "scores = scores * mask"),
    "-1e6 for hidden": (HIDE, "scores = np.where(mask, scores, -1e6)"),
    "-1e9 for hidden": (HIDE, "scores = np.where(mask, scores, -1e9)"),
    "finfo.min added": (HIDE, "scores = scores + np.where(mask, 0, np.finfo(scores.dtype).min)"),
    "argument changed": (HIDE, "scores[~np.broadcast_to(mask, scores.shape)] = -np.inf"),
    "exp without the maximum": (SHIFT, "shift = np.zeros_like(top)"),
    "-inf as the shift": (SHIFT, "shift = top"),
    "one maximum for all rows": (TOP, TOP.replace("axis=-1", "axis=None")),
    "exp in float16": (EXP, "exp = np.exp((scores - shift).astype(np.float16))"),
    "over the wrong axis": (TOTAL, TOTAL.replace("axis=-1", "axis=0")),
}


def broken(right, wrong):
    """The source with one mistake in it."""
    text = (ROOT / SOURCE).read_text()
    if text.count(right) != 1:
        raise ValueError(f"{SOURCE} has {text.count(right)} lines like {right!r}; expected one")
    return text.replace(right, wrong)


def failures(folder):
    """How many tests fail in a copy of the repository; an error counts as a failure."""
    tests = [f"tests/test_{name}.py" for name in SUITE]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--tb=no", "-p", "no:cacheprovider", *tests],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    return sum(int(n) for n in re.findall(r"(\d+) (?:failed|error)", run.stdout.splitlines()[-1]))


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name in ("code", "tests"):
            shutil.copytree(ROOT / name, Path(folder, name))
        shutil.copy(ROOT / "pyproject.toml", folder)
        unbroken = failures(folder)
        print(f"{'nothing broken':40}{unbroken:5} failing", flush=True)
        counts = []
        for name, mistake in MISTAKES.items():
            Path(folder, SOURCE).write_text(broken(*mistake))
            counts.append(failures(folder))
            print(f"{name:40}{counts[-1]:5} failing", flush=True)
    return unbroken > 0 or 0 in counts


if __name__ == "__main__":
    sys.exit(main())
