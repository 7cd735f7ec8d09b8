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


def ids(url, times=1):
    one = notebook()
    for _ in range(times):
        place(one, url)
    return [cell.id for cell in one.cells]


def test_the_cell_stands_before_all_code_once_and_only_with_an_address():
    assert ids("") == ["a", "b"]
    assert ids(URL) == ids(URL, times=2) == ["a", ID, "b"]


def test_the_cell_goes_when_the_address_goes():
    one = notebook()
    place(one, URL)
    place(one, "")
    assert [cell.id for cell in one.cells] == ["a", "b"]


def test_the_cell_follows_the_address():
    one = notebook()
    for url in (URL, f"{URL}-moved"):
        place(one, url)
    assert [cell.source for cell in one.cells if cell.id == ID] == [SOURCE.format(f"{URL}-moved")]


def test_the_cell_names_the_address_and_is_hidden_on_the_page():
    one = notebook()
    place(one, URL)
    assert f"%pip install -q git+{URL}" in one.cells[1].source
    assert one.cells[1].metadata.tags == ["remove-cell"]


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
