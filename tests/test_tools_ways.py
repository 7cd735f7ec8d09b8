"""The ways through the book are those that its chapters' boxes allow."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell

from attnbook import plots
from tools import toc, ways
from tools.reproducible import ROOT

BEFORE = [[], [0], [0], [1, 0], [3, 2]]


def test_the_first_page_and_the_map_are_up_to_date():
    page, drawing = ways.written()
    for path, wanted in {"book/index.md": page, "book/_static/map.svg": drawing}.items():
        fresh = (ROOT / path).read_text(encoding="utf-8") == wanted
        assert fresh, f"{path} is not up to date: run make notebooks"


def test_each_way_is_whole():
    files = toc.chapters()
    before = [list(range(n)) for n in range(len(files))]  # each needs all that stand before it
    for _, _, first, more in ways.ways(files, before):
        assert sorted([*first, *more]) == list(range(len(first) + len(more)))


def test_what_is_needed_is_needed_by_what_needs_it():
    assert ways.closed([3], BEFORE) == {0, 1, 3}
    assert ways.reduced(BEFORE) == [[], [0], [0], [1], [3, 2]]


def test_a_box_is_read_from_its_links():
    box = "> **You need.** [A](../numpy/a.ipynb) and\n> [B](b.ipynb#part).\n\n[C](c.ipynb)"
    cells = [[new_markdown_cell("> **You need.**")]] * 2 + [[new_markdown_cell(box)]]
    files = ["book/numpy/a", "book/gpu/b", "book/gpu/c"]
    assert list(ways.needs(files, cells)) == [[], [], [0, 1]]


def test_minutes_are_those_of_the_open_road():
    prose, asked = (
        new_markdown_cell("word " * 180),
        new_markdown_cell("w " * 90 + "\n\n> **Predict.**" + " w" * 89),
    )
    assert ways.minutes([prose, asked, new_code_cell("x = 1")]) == pytest.approx(1 + 1 + 1.5 + 0.4)
    aside, on = new_markdown_cell("### Aside: more"), "## On\n\n" + "word " * 179
    for opened in (new_markdown_cell(on), new_markdown_cell("Closed till here.\n\n" + on)):
        assert ways.minutes([aside, prose, opened]) == pytest.approx(1)
    note = new_markdown_cell("> **Aside: why.** A\n> note.\n\n" + "word " * 180)
    assert ways.minutes([note]) == pytest.approx(1)
    assert ways.minutes([new_markdown_cell("## Exercises"), prose]) == 0


def test_the_list_says_the_minutes_of_each_chapter_and_of_its_exercises():
    asked = new_markdown_cell("### Exercise: A\n\n*Predict · easy · 8 min*\n\nWhat?")
    cells = [[new_markdown_cell("word " * 1800), new_markdown_cell("## Exercises"), asked]]
    page = "1. [A](numpy/a.ipynb): first.\n\n1. [Elsewhere](b.ipynb): not a chapter.\n"
    said = ways.with_minutes(page, ["book/numpy/a"], cells)
    assert said == page.replace("first.", "first. *(10 + 10 min)*")
    assert ways.with_minutes(said, ["book/numpy/a"], cells) == said


def test_a_map_draws_each_arc_and_refuses_one_that_leads_down():
    chapters = {name: f"{name}.html" for name in "abc"}
    figure = plots.ways_map.__wrapped__(chapters, [[], [0], [1]], {"w": ([0], [1])})
    assert len(figure.axes[0].lines) == 2 + 1 + 2
    with pytest.raises(ValueError, match="a needs a chapter that does not stand before it"):
        plots.ways_map({"a": "", "b": ""}, [[1], []], {})
