"""`make book` installs no PyTorch: what its pages import must do with a stand-in for it."""

import subprocess
import sys

import pytest

from tools.reproducible import ROOT

HIDDEN = """
import sys
from importlib import import_module
from importlib.abc import MetaPathFinder

class Hidden(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "triton", "safetensors", "tqdm"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Hidden())
sys.path[:0] = ["book/_ext", "code"]
from book_package import NEED_TORCH, NOT_THERE, _import_without_torch, mock
_import_without_torch(*NEED_TORCH)
with mock([*NOT_THERE, "matplotlib", "scipy"]):
"""


def run(line):
    command = [sys.executable, "-W", "error", "-c", f"{HIDDEN}    {line}"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


@pytest.mark.parametrize(
    "line",
    [
        "import_module('attnbook.exercises').every()",
        "import_module('attnbook.distributed')",
        "import_module('attnbook.measure')",
        "import_module('attnbook.models')",
        "import_module('attnbook.semantics')",
    ],
)
def test_what_the_pages_import_does_without_torch(line):
    done = run(line)
    assert done.returncode == 0, done.stderr


def test_a_number_of_torch_used_on_import_is_noticed():
    assert "bad operand type for unary -: 'inf'" in run("-import_module('torch').inf").stderr


NUMPY_ALONE = """
import sys
sys.modules["torch"] = None
from attnbook import exercises
solved = exercises.masks.causal_mask.verdict(exercises.masks.causal_mask.answer)
assert solved.state == "right", solved.text
table = exercises.progress()
assert "| twins.softmax | 0 |  |" in table and "| masks.causal_mask | 0 |  |" in table
exercises.twins.softmax
"""


def test_progress_and_the_chapters_on_numpy_need_no_torch(tmp_path):
    run = [sys.executable, "-W", "error", "-c", NUMPY_ALONE]
    own = {"HOME": str(tmp_path), "PYTHONPATH": str(ROOT / "code")}
    done = subprocess.run(run, capture_output=True, text=True, env=own)
    assert done.stderr.rstrip().endswith("import of torch halted; None in sys.modules"), done.stderr
