"""`make notebooks` writes the numbers of chapters and nothing else; no text has another number."""

import pytest
from contract import unlinked

from tools import chapter_numbers, toc
from tools.chapter_numbers import numbered
from tools.reproducible import ROOT

ORDER = ["book/numpy/masks", "book/numpy/sinks", "book/gpu/cost"]
NOTEBOOK = """{"cells": [{"source": [
    "As in [Chapter 1](masks.ipynb) and [Chapter 2](../gpu/cost.ipynb#bytes)'s count,\\n",
    "[Chapter N](sinks.ipynb); [the bytes](../gpu/cost.ipynb); [Chapter 8](of-another.ipynb)."
"""
INDEX = """You meet it in [Chapter 2](gpu/cost.ipynb).

1. [Masks](numpy/masks.ipynb): what hides.
2. [Cost](gpu/cost.ipynb): what it [takes](gpu/cost.ipynb).
N. [Sinks](numpy/sinks.ipynb): what keeps.

1. A list of another kind.
"""


def test_a_chapter_in_the_middle_changes_the_numbers_of_links_and_of_nothing_else():
    wanted = NOTEBOOK.replace("Chapter 2", "Chapter 3").replace("Chapter N", "Chapter 2")
    assert numbered(NOTEBOOK, "book/numpy/heads.ipynb", ORDER) == wanted


def test_the_list_is_sorted_and_numbered():
    after = numbered(INDEX, "book/index.md", ORDER).split("\n")
    assert after[0] == "You meet it in [Chapter 3](gpu/cost.ipynb)."
    assert [line[:8] for line in after[2:5]] == ["1. [Mask", "2. [Sink", "3. [Cost"]
    assert after[5:] == INDEX.split("\n")[5:]


def test_a_list_with_what_is_no_chapter_stays():
    text = INDEX.replace("numpy/masks", "numpy/nowhere").partition("\n")[2]
    assert numbered(text, "book/index.md", ORDER) == text


def test_pages_are_written_where_a_number_changed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(toc, "ROOT", tmp_path)
    (tmp_path / "book/numpy").mkdir(parents=True)
    rows = "".join(f"      - file: {page}\n" for page in ORDER)
    rest = (
        "  - chapters:\n      - file: book/api\n        sections:\n          - file: book/api/x\n"
    )
    listed = f"root: book/index\nparts:\n  - numbered: 2\n    chapters:\n{rows}{rest}"
    (tmp_path / "_toc.yml").write_text(listed)
    assert toc.chapters() == ORDER
    assert toc.pages() == ["book/index", *ORDER, "book/api", "book/api/x"]
    (tmp_path / "book/numpy/masks.ipynb").write_text("[Chapter 7](sinks.ipynb)")
    (tmp_path / "book/index.md").write_text("[Chapter 2](numpy/sinks.ipynb)")
    chapter_numbers.main()
    assert (tmp_path / "book/numpy/masks.ipynb").read_text() == "[Chapter 2](sinks.ipynb)"
    assert capsys.readouterr().out.count("written anew") == 1
    chapter_numbers.main()
    assert capsys.readouterr().out == ""


PAGES = [*ROOT.glob("*.md"), *ROOT.glob("book/**/*.md"), *ROOT.glob("code/**/*.py")]


def test_no_page_and_nothing_in_the_package_has_a_number_that_no_tool_writes():
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in PAGES}
    assert {path: found for path, text in texts.items() if (found := [*unlinked(text)])} == {}


@pytest.mark.parametrize(
    "text",
    [
        "as in Chapter 4,",
        "Chapters 4 and 6",
        "as in Chapter\n4",
        "# the example of chapter 1",
        "[Chapter 4's mask](masks.ipynb)",
        "Chapter 4 of [Higham](https://doi.org/10)",
    ],
)
def test_a_number_that_was_written_by_hand_is_found(text):
    assert len([*unlinked(text)]) == 1


def test_a_link_and_the_chapters_of_a_source_have_their_numbers():
    assert [*unlinked("[Chapter 4](masks.ipynb#padding)'s; [Higham](http://x), chapters 2")] == []
