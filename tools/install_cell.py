"""The hidden first cell with which a notebook opened in Colab installs the package.

It exists only while `_config.yml` names the hosting repository. `python -m tools notebooks` writes
it; its check refuses a notebook in which it is missing, left over or names another address.
"""

import nbformat
import yaml

from tools.reproducible import ROOT

ID = "install"
SOURCE = """\
try:
    import attnbook  # noqa: F401
except ModuleNotFoundError:
    %pip install -q git+{}"""


def address():
    """The hosting repository's address in `_config.yml`, or the empty string."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    return config["repository"]["url"]


def place(notebook, url):
    """Put the install cell in front of all code, or take it away where url is empty."""
    first = next(cell for cell in notebook.cells if cell.cell_type == "code")
    if url and first.id == ID and first.source == SOURCE.format(url):
        return
    notebook.cells = [cell for cell in notebook.cells if cell.id != ID]
    if url:
        place = next(i for i, cell in enumerate(notebook.cells) if cell.cell_type == "code")
        metadata = {"tags": ["remove-cell"]}
        cell = nbformat.v4.new_code_cell(SOURCE.format(url), id=ID, metadata=metadata)
        notebook.cells.insert(place, cell)
