"""`make notebooks` writes the header of each exercise, and nothing else of its statement."""

import nbformat
import pytest

from tools.exercise_headers import head
from tools.reproducible import ROOT

BOOK = ROOT / "book"
CHAPTER = nbformat.read(BOOK / "numpy/softmax.ipynb", as_version=4)


def sources(notebook):
    return [cell.source for cell in notebook.cells]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text,
        lambda text: text.replace("*Break · easy · 5 min*\n\n", ""),
        lambda text: text.replace("*Break · easy · 5 min", "*Write · hard · 9 min"),
    ],
    ids=["as it is", "without a header", "with another header"],
)
def test_a_header_is_written_whatever_stands_there(spoil):
    notebook = nbformat.from_dict(CHAPTER)
    notebook.cells = [nbformat.from_dict(cell) for cell in CHAPTER.cells]
    for cell in notebook.cells:
        cell.source = spoil(cell.source)
    head(notebook)
    assert sources(notebook) == sources(CHAPTER)


def test_a_check_of_no_exercise_is_told():
    cells = [nbformat.v4.new_code_cell("exercises.softmax.harder.check(answer)")]
    cells.insert(0, nbformat.v4.new_markdown_cell("### Exercise: Harder\n\nFind it."))
    with pytest.raises(KeyError, match=r"there is no exercise 'softmax\.harder'"):
        head(nbformat.v4.new_notebook(cells=cells))
