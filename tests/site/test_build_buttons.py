"""One line of `_config.yml` brings the launch and repository buttons, with the right links."""

import re

import nbformat
import pytest
from browsing import served
from small_book import notebook

ADDRESS = "https://github.com/someone/a-book"
NOTEBOOK = notebook(nbformat.v4.new_markdown_cell("# A page"), nbformat.v4.new_code_cell("1"))
PARTS = "numpy", "pytorch", "learning", "gpu"
PAGES = {f"{part}/page.ipynb": NOTEBOOK for part in PARTS}
BINDER = "https://mybinder.org/v2/gh/someone/a-book/main?urlpath=lab/tree/{}.ipynb"
OTHERS = (
    "https://colab.research.google.com/github/someone/a-book/blob/main/{}.ipynb",
    ADDRESS,
    ADDRESS + "/issues/new?title=Issue%20on%20page%20%2F{}.html"
    "&body=What%20the%20page%20says%2C%20and%20where%3A%0A%0AWhat%20is%20wrong%20or%20unclear%3A%0A%0A",
)
OUTSIDE = """([button, menu]) => {
  const [a, b] = [button, menu].map(node => node.getBoundingClientRect());
  const inside = b.left >= 0 && b.right <= innerWidth && b.top >= a.bottom - 1;
  return inside && Math.abs(a.right - b.right) < 1 ? [] : [[b.left, b.right, a.right]];
}"""


@pytest.fixture(scope="module")
def html(build):
    status, output, html = build(PAGES, ADDRESS)
    assert status == 0, output
    return html


def _links(html, page):
    text = (html / f"{page}.html").read_text(encoding="utf-8")
    return {
        link for link in re.findall(r'href="(https?://[^"]*)"', text) if "github.io" not in link
    }


@pytest.mark.parametrize("part", PARTS)
def test_an_address_brings_the_buttons(html, part):
    page = f"book/{part}/page"
    assert _links(html, page) == {link.format(page) for link in (BINDER, *OTHERS)}


def _outside(opened):
    groups = opened.page.locator(".article-header-buttons .dropdown")
    assert groups.count() == 3
    for group in groups.all():
        button, menu = group.locator("> button"), group.locator(".dropdown-menu")
        button.focus()
        opened.page.keyboard.press("Enter")
        assert menu.is_visible()
        yield from opened.page.evaluate(OUTSIDE, [button.element_handle(), menu.element_handle()])
        opened.page.keyboard.press("Escape")
        assert not menu.is_visible()


def test_menus_open_below_their_buttons_and_inside_the_window(open_in, html):
    with served(html) as url:
        opened = open_in(url, "book/numpy/page.html")
        for width in (1280, 390, 360, 320):
            opened.resize(width)
            assert list(_outside(opened)) == [], width
        opened.page.add_style_tag(
            content=".dropdown-menu { transform: translateX(-75%) !important }"
        )
        assert list(_outside(opened))


def test_a_strange_address_is_refused(build):
    status, output, _ = build({"page.md": "# A page"}, "git@github.com:someone/a-book.git")
    assert status != 0
    assert "it should be https://github.com/OWNER/NAME" in output
