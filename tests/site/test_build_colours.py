"""Another palette needs no notebook to be run: a figure of before has its colours on the page."""

import re
import subprocess

import nbformat
import pytest
from browsing import served
from small_book import figure, notebook, write_book

from attnbook import plots
from attnbook.colours import FIGURES, PAGES
from tools.build import COMMAND

OTHER = {"ink": ("#102030", "#f0e0d0"), "link": ("#663399", "#ccaaff")}
CAPTION = "**Figure.** A drawing."
CLASS = re.compile(r' class="[^"]*"')


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A book whose table of colours was changed after its figures had been drawn."""
    folder = tmp_path_factory.mktemp("palette")
    svg = plots.heatmap([[0.1, 0.9]]).svg
    words = nbformat.v4.new_markdown_cell("# A page\n\nOf [the book](index.md).")
    cells = (*figure(svg, CAPTION), *figure(CLASS.sub("", svg), CAPTION))
    write_book(folder, {"index.md": "# A book", "page.ipynb": notebook(words, *cells)})
    table = folder / "code/attnbook/colours.py"
    text = table.read_text(encoding="utf-8")
    for name, pair in OTHER.items():
        for before, after in zip((FIGURES | PAGES)[name], pair, strict=True):
            assert text.count(before) == 1
            text = text.replace(before, after)
    table.write_text(text, encoding="utf-8")
    done = subprocess.run(COMMAND, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    with served(folder / "_build/html") as url:
        yield url


def shown(page, selector, rule):
    """The colour of an element of the page as the browser computes it, as a hex number."""
    rgb = page.locator(selector).first.evaluate(f"e => getComputedStyle(e).{rule}")
    return "#" + "".join(f"{int(channel):02x}" for channel in re.findall(r"\d+", rgb))


@pytest.mark.parametrize(("scheme", "n"), [("light", 0), ("dark", 1)])
def test_the_pages_take_another_palette_and_so_do_figures_that_name_their_colours(
    open_in, site, scheme, n
):
    page = open_in(site, "book/page.html", scheme=scheme).page
    ink, link = (OTHER[name][n] for name in ("ink", "link"))
    assert shown(page, "article", "color") == ink
    assert shown(page, "article a.reference", "color") == link
    assert shown(page, "#figure-1 svg text", "fill") == ink
    assert shown(page, "#figure-2 svg text", "fill") == FIGURES["ink"][0]  # without names
