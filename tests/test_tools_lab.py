"""Figures are seen in JupyterLab before anything is run, after `make lab` and on Binder."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.sign import NotebookNotary

ROOT = Path(__file__).parents[1]
STUB = f"""#!/bin/sh
[ "$1" = trust ] && exec "{sys.executable}" -m jupyter "$@"
echo "$@"
"""


def trusted(path, data):
    notary = NotebookNotary(data_dir=str(data))
    try:
        return notary.check_signature(nbformat.read(path, as_version=4))
    finally:
        notary.store.close()


COMMANDS = {
    "make lab": ["make", "lab", f"PYTHON={sys.executable}"],
    "Binder": [".binder/postBuild"],
}


@pytest.mark.parametrize("place", COMMANDS)
def test_the_notebooks_are_trusted_before_lab_opens_them(tmp_path, place):
    shutil.copy(ROOT / "Makefile", tmp_path)
    for folder in ("tools", ".binder"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    (tmp_path / "tools/environment.py").write_text("")
    (tmp_path / ".venv/bin").mkdir(parents=True)
    jupyter = tmp_path / ".venv/bin/jupyter"
    jupyter.write_text(STUB)
    jupyter.chmod(0o755)
    name = "book/numpy/weighted-average.ipynb"
    (tmp_path / name).parent.mkdir(parents=True)
    shutil.copy(ROOT / name, tmp_path / name)
    data = tmp_path / "data"
    data.mkdir()
    assert not trusted(tmp_path / name, data)
    path = f"{jupyter.parent}:{os.environ['PATH']}"
    environ = os.environ | {"JUPYTER_DATA_DIR": str(data), "PATH": path}
    said = subprocess.check_output(COMMANDS[place], cwd=tmp_path, env=environ, text=True)
    assert place == "Binder" or said == "lab --allow-root book\n"
    assert trusted(tmp_path / name, data)
