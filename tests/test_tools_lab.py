"""Figures are seen in JupyterLab before anything is run, after `make lab` and on Binder."""

import os
import shutil
import subprocess
import sys

import nbformat
import pytest
from nbformat.sign import NotebookNotary

from tools.reproducible import ROOT

NAME = "book/numpy/weighted-average.ipynb"
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


@pytest.fixture
def lab(tmp_path):
    """The folder of a small book, whose Lab says what it is asked for; the path of its programs."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    for folder in ("tools", ".binder"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    (tmp_path / "tools/environment.py").write_text("")
    (tmp_path / ".venv/bin").mkdir(parents=True)
    jupyter = tmp_path / ".venv/bin/jupyter"
    jupyter.write_text(STUB)
    jupyter.chmod(0o755)
    (tmp_path / NAME).parent.mkdir(parents=True)
    shutil.copy(ROOT / NAME, tmp_path / NAME)
    (tmp_path / "data").mkdir()
    path = f"{jupyter.parent}:{os.environ['PATH']}"
    return tmp_path, os.environ | {"JUPYTER_DATA_DIR": str(tmp_path / "data"), "PATH": path}


@pytest.mark.parametrize("place", COMMANDS)
def test_the_notebooks_are_trusted_before_lab_opens_them(lab, place):
    folder, environ = lab
    assert not trusted(folder / NAME, folder / "data")
    subprocess.check_output(COMMANDS[place], cwd=folder, env=environ)
    assert trusted(folder / NAME, folder / "data")


@pytest.mark.parametrize(("user", "said"), [(0, "lab --allow-root book"), (1000, "lab book")])
def test_lab_is_asked_to_run_as_root_by_nobody_else(lab, user, said):
    folder, environ = lab
    (folder / ".venv/bin/id").write_text(f"#!/bin/sh\necho {user}\n")
    (folder / ".venv/bin/id").chmod(0o755)
    asked = subprocess.check_output(COMMANDS["make lab"], cwd=folder, env=environ, text=True)
    assert asked == f"{said}\n"
