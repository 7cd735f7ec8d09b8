"""A notebook opened in Colab installs the package in its first cell, if it is missing."""

import sys

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell

from tools.install_cell import ID, SOURCE, place

URL = "https://github.com/someone/attention"


def notebook():
    v4 = nbformat.v4
    cells = [v4.new_markdown_cell("# Title", id="a"), v4.new_code_cell("import numpy", id="b")]
    return v4.new_notebook(cells=cells)


def test_the_cell_stands_before_all_code_once_and_follows_the_address():
    one = notebook()
    for url in ("", URL, URL, f"{URL}-moved"):
        place(one, url)
        text, *install, code = one.cells
        assert (text.id, code.id) == ("a", "b")
        said = [(cell.id, cell.source) for cell in install]
        assert said == [(ID, SOURCE.format(url))] * bool(url)
    assert f"%pip install -q git+{URL}-moved" in install[0].source
    assert install[0].metadata.tags == ["remove-cell"], "it is hidden on the page"
    place(one, "")
    assert [cell.id for cell in one.cells] == ["a", "b"]


@pytest.fixture
def installed(monkeypatch):
    """What the cell installs, in a shell whose %pip only takes note."""
    shell, asked = InteractiveShell(), []
    shell.register_magic_function(asked.append, magic_name="pip")

    def run():
        shell.run_cell(SOURCE.format(URL)).raise_error()
        return asked

    yield run
    shell.history_manager.end_session()


def test_nothing_is_installed_where_the_package_is_there(installed):
    assert installed() == []


def test_the_package_is_installed_where_it_is_missing(installed, monkeypatch):
    monkeypatch.setitem(sys.modules, "attnbook", None)
    assert installed() == [f"install -q git+{URL}"]
