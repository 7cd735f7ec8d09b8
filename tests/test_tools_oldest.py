"""The oldest versions that the package promises run every cell of the chapters on NumPy."""

import subprocess
import sys
import tomllib

import pytest
from packaging.requirements import Requirement

from tools import environment
from tools.reproducible import ROOT

CHAPTERS = sorted(ROOT.glob("book/numpy/*.ipynb"))
RUN = """
import json, sys
for path in sys.argv[1:]:
    names = {}
    for cell in json.load(open(path, encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            try:
                exec(compile("".join(cell["source"]), f"{path} {cell['id']}", "exec"), names)
            except Exception:
                if "raises-exception" not in cell["metadata"].get("tags", []):
                    raise
import numpy
print(numpy.__version__)
"""


def oldest(requirement):
    """A requirement for the first release of a range: 2.0.0 for >=2, 1.15.0 for >=1.15."""
    (limit,) = Requirement(requirement).specifier
    release = [*limit.version.split("."), "0", "0"][:3]
    return f"{Requirement(requirement).name}=={'.'.join(release)}"


def test_the_oldest_release_of_a_range_is_its_first():
    assert oldest("numpy>=2") == "numpy==2.0.0"
    assert oldest("scipy>=1.15") == "scipy==1.15.0"


@pytest.mark.everywhere
@pytest.mark.skipif(sys.version_info >= (3, 13), reason="this machine has no Python 3.11 or 3.12")
def test_the_oldest_versions_that_are_promised_run_the_chapters_on_numpy(tmp_path):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    python = tmp_path / "venv/bin/python"
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    promised = project["dependencies"] + project["optional-dependencies"]["book"]
    wanted = [*map(oldest, promised), "ipython"]
    install = [python, "-m", "pip", "install", "--no-compile", *wanted]
    done = subprocess.run(install, capture_output=True, text=True)
    if environment.OFFLINE.search(done.stderr):
        pytest.skip("this machine has no way to the packages")
    assert done.returncode == 0, done.stderr
    environ = {"PYTHONPATH": str(ROOT / "code"), "HOME": str(tmp_path), "MPLBACKEND": "agg"}
    run = [python, "-c", RUN, *CHAPTERS]
    done = subprocess.run(run, cwd=tmp_path, env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("\n2.0.0\n")
