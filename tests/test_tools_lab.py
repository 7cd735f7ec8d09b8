"""`make lab` opens notebooks whose figures are seen before anything is run."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
from nbformat.sign import NotebookNotary

ROOT = Path(__file__).parents[1]
STUB = f"""#!/bin/sh
[ "$1" = trust ] && exec {sys.executable} -m jupyter "$@"
echo "$@"
"""


def trusted(path, data):
    notary = NotebookNotary(data_dir=str(data))
    try:
        return notary.check_signature(nbformat.read(path, as_version=4))
    finally:
        notary.store.close()


def test_the_notebooks_are_trusted_before_lab_opens_them(tmp_path):
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copytree(ROOT / "tools", tmp_path / "tools")
    (tmp_path / "tools/environment.py").write_text("")
    (tmp_path / ".venv/bin").mkdir(parents=True)
    jupyter = tmp_path / ".venv/bin/jupyter"
    jupyter.write_text(STUB)
    jupyter.chmod(0o755)
    name = "book/numpy/01-weighted-average.ipynb"
    (tmp_path / name).parent.mkdir(parents=True)
    shutil.copy(ROOT / name, tmp_path / name)
    data = tmp_path / "data"
    data.mkdir()
    assert not trusted(tmp_path / name, data)
    environ = os.environ | {"JUPYTER_DATA_DIR": str(data)}
    command = ["make", "lab", f"PYTHON={sys.executable}"]
    done = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True)
    assert done.stdout == "lab --allow-root book\n", done.stderr
    assert trusted(tmp_path / name, data)
