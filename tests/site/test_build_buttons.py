"""One line of `_config.yml` brings the launch and repository buttons, with the right links."""

import re

import nbformat

ADDRESS = "https://github.com/someone/a-book"
NOTEBOOK = nbformat.writes(
    nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_markdown_cell("# A page"), nbformat.v4.new_code_cell("1")],
        metadata={
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
            "language_info": {"name": "python"},
        },
    )
)


def _links(build, address):
    status, output, html = build({"numpy/page.ipynb": NOTEBOOK}, address)
    assert status == 0, output
    page = (html / "book/numpy/page.html").read_text(encoding="utf-8")
    return set(re.findall(r'href="(https?://[^"]*)"', page))


def test_an_address_brings_the_buttons(build):
    links = _links(build, ADDRESS)
    page = "book/numpy/page"
    assert links == {
        f"https://mybinder.org/v2/gh/someone/a-book/main?urlpath=lab/tree/{page}.ipynb",
        f"https://colab.research.google.com/github/someone/a-book/blob/main/{page}.ipynb",
        ADDRESS,
        f"{ADDRESS}/issues/new?title=Issue%20on%20page%20%2F{page}.html"
        "&body=Your%20issue%20content%20here.",
    }


def test_no_address_no_buttons(build):
    assert _links(build, "") == set()


def test_a_strange_address_is_refused(build):
    status, output, _ = build({"page.md": "# A page"}, "git@github.com:someone/a-book.git")
    assert status != 0
    assert "it should be https://github.com/OWNER/NAME" in output
