"""Two chapters, printed as the whole book is: no code is lost, and links lead where they say."""

from pathlib import Path

import nbformat
import paper
import pypdfium2
import pytest

from attnbook import exercises
from tools import toc
from tools.pdf.join import STYLE, document
from tools.pdf.printing import beginnings, opened, printed, too_wide
from tools.pdf.sheets import half_empty
from tools.reproducible import ROOT

CHAPTERS = ["book/numpy/masks", "book/gpu/cost"]
LONG = "far " * 60
WRONG = """<!DOCTYPE html><html data-theme="light"><style>{style}</style><body class="bd-content">
<p>A title</p>
<nav class="all-pages"><ol>
<li><a href="#first"><span>Second</span> <span class="page" data-of="first">000</span></a></li>
<li><a href="#second"><span>Second</span> <span class="page" data-of="first">000</span></a></li>
<li><a href="#second"><span>Second</span> <span class="page" data-of="second">000</span></a></li>
<li><a href="#answers"><span>Solutions</span>
  <span class="page" data-of="answers">000</span></a></li>
</ol></nav>
<article class="bd-article"><h1 id="first">First</h1><p>Words.</p>
<div class="whole" style="height: 240mm">What is too high.</div></article>
<article class="bd-article"><h1 id="second">Second</h1>
<div style="overflow: hidden"><pre style="white-space: pre">{long}</pre></div>
<h3 id="card">Exercise 1.1 One way</h3><p><a href="#answer">Solution on page 5</a></p>
<h3 id="more">Exercise 1.2 To another</h3><p><a href="#other">Solution on page 6</a></p></article>
<article class="bd-article"><h1 id="answers">Solutions</h1><h3 id="answer">1.1 One way</h3>
<h3 id="other">1.2 To another</h3>
<p><a href="#first">The exercise on page 3</a></p></article></body></html>"""


class Printed(pypdfium2.PdfDocument):
    """A document in print, with the numbers of the pages on which something begins."""

    def __init__(self, browser, html, folder):
        page = opened(browser, html, folder)
        self.too_wide = too_wide(page)
        self.made = printed(page)
        self.beginnings = beginnings(page, self.made)
        self.contents = range(2, min(self.beginnings))
        page.close()
        super().__init__(self.made)


@pytest.fixture(scope="module")
def book(browser, folder):
    with Printed(browser, document(folder, ["book/index", *CHAPTERS]), folder) as pdf:
        yield pdf


@pytest.fixture(scope="module")
def wrong(browser, folder):
    """A document with everything in it that the checks look for."""
    html = WRONG.format(style=STYLE.read_text(encoding="utf-8"), long=LONG)
    with Printed(browser, html, folder) as pdf:
        yield pdf


def test_each_line_of_the_contents_leads_to_its_heading_and_names_its_page(book):
    assert paper.wrong_entries(book, book.contents) == []


def test_a_line_that_leads_elsewhere_or_names_another_page_is_found(wrong):
    assert paper.wrong_entries(wrong, wrong.contents) == ["Second3", "Second3"]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_line_of_code_is_printed_whole(book, chapter):
    cells = nbformat.read(ROOT / f"{chapter}.ipynb", as_version=4).cells
    lines = [line for c in cells if c.cell_type == "code" for line in c.source.splitlines()]
    assert len(lines) > 100
    assert paper.lost(book, lines) == []


def test_a_line_that_is_missing_or_cut_off_is_found(wrong):
    assert paper.lost(wrong, ["far  far", "near", LONG]) == ["near", LONG]


def test_nothing_is_wider_than_a_sheet(book):
    assert book.too_wide == []


def test_what_is_wider_than_a_sheet_is_found(wrong):
    assert wrong.too_wide == [LONG[:60]]


def test_links_lead_from_each_exercise_to_its_solution_and_back(book):
    asked = {
        f"{toc.chapters().index(chapter) + 1}.{place}"
        for chapter in CHAPTERS
        for place, _ in enumerate(dir(getattr(exercises, Path(chapter).stem)), 1)
    }
    assert paper.answered(book) == asked


def test_an_exercise_is_found_to_which_no_solution_leads_back(wrong):
    assert paper.answered(wrong) == set()


def test_no_page_amid_a_chapter_is_half_empty(book):
    assert half_empty(book.made, book.beginnings) == []


def test_a_page_that_something_high_left_empty_is_found(wrong):
    assert half_empty(wrong.made, wrong.beginnings) == [1, 3]


TALL = """<!DOCTYPE html><html data-theme="light">
<style>div.highlight, div[class*=highlight-] {{ break-inside: avoid; display: flex }}</style>
<style>{style}</style><body class="bd-content"><p><a href="#first">First</a></p>
<article class="bd-article"><h1 id="first">First</h1><div style="height: 100mm">Words.</div>
<div class="highlight-python"><div class="highlight"><pre>{code}</pre></div></div>
</article></body></html>"""


@pytest.mark.parametrize(("allowed", "left_empty"), [("auto", []), ("avoid", [2])])
def test_long_code_is_cut_where_the_theme_keeps_it_whole(browser, folder, allowed, left_empty):
    style = STYLE.read_text(encoding="utf-8").replace(
        "break-inside: auto", f"break-inside: {allowed}"
    )
    html = TALL.format(style=style, code="one line of it\n" * 45)
    with Printed(browser, html, folder) as pdf:
        assert half_empty(pdf.made, pdf.beginnings) == left_empty
