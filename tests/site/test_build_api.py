"""Names in a page's code lead to the API's pages, and back."""

import inspect
import json
import re
from importlib import import_module

import pytest
from book_api import used
from book_package import _docstring, _tex
from book_search import _entry, _keep_telling_words
from small_book import ROOT

PAGE = """# A page

Call `reference.softmax` or `softmax`; `nosuchname` leads nowhere, and `softmax` once is enough.

```python
from attnbook.reference import softmax
```
"""
OVERVIEW = """# API

## [Reference](api/reference.md)

```{names} attnbook.reference
```
"""
API = """# Reference

```{names} attnbook.reference
```

```{eval-rst}
.. automodule:: attnbook.reference
   :members: softmax, merge_heads
```
"""


@pytest.fixture(scope="module")
def html(build):
    pages = {"index.md": "# A book", "page.md": PAGE, "api.md": OVERVIEW, "api/reference.md": API}
    status, output, html = build(pages)
    assert status == 0, output
    return html / "book"


@pytest.fixture(scope="module")
def entries(html):
    return (html / "api/reference.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def entries_of_all(folder):
    """The pages of the API in the built site."""
    pages = [folder / "book/api.html", *sorted((folder / "book/api").glob("*.html"))]
    return {page: page.read_text(encoding="utf-8") for page in pages}


def test_a_name_leads_to_its_entry_once_in_a_section(html):
    page = (html / "page.html").read_text(encoding="utf-8")
    links = re.findall(r'href="(api[^"]*\.html#[^"]*)"', page)
    assert links == ["api/reference.html#attnbook.reference.softmax"]


def _listed(page):
    return re.split(r'<dl class="[^"]*names', page)[1].split("</dl>")[0]


def test_the_page_begins_with_a_list_of_names(entries):
    assert 'href="#attnbook.reference.softmax"' in _listed(entries)
    assert "d_head): undo split_heads.</p>" in _listed(entries)
    assert len(re.findall(r'id="attnbook\.reference\.softmax"', entries)) == 1


def test_the_overview_lists_the_names_where_addresses_led_before_the_api_had_pages(html):
    listed = _listed((html / "api.html").read_text(encoding="utf-8"))
    assert 'href="api/reference.html#attnbook.reference.softmax"' in listed
    assert 'id="attnbook.reference.softmax"' in listed
    assert "d_head): undo split_heads.</p>" in listed


def test_the_list_follows_what_the_module_says_of_itself(entries):
    page = entries.partition("<article")[2]
    places = [page.index(part) for part in ("defined in NumPy", "simple names", "sig sig-object")]
    assert places == sorted(places)


def test_an_equation_of_a_docstring_is_typeset(entries):
    assert r"A_j = \operatorname{exp}(s_j - m) / \sum_l" in entries
    assert "Σ_l" not in entries


def test_a_power_of_a_docstring_is_raised_as_a_whole():
    assert _tex("2^(-8 (h + 1) / n) x") == "2^{-8 (h + 1) / n} x"


def test_a_source_that_a_docstring_names_tells_the_whole_reference(entries):
    told = r'<a [^>]*title="[^"]*Bridle[^"]*1990[^"]*"[^>]*>Bridle \(1990\)</a>'
    assert re.search(told, entries)


def test_search_knows_of_code_each_telling_word_that_the_text_of_its_page_has_not():
    one = _entry("at", "A title", "A page", "the softmax of x", code=["exp", "softmax", "exp"])
    two = _entry("at", "A title", "A page", "its logarithm", code=["log", "softmax", "return"])
    other = _entry("at", "A title", "Another", "", code=["softmax", "return"])
    _keep_telling_words([[one, two], [other]], most=1 / 3)
    assert [entry["code"] for entry in (one, two, other)] == ["exp", "log", ""]


def test_once_the_address_is_known_a_signature_leads_to_its_lines(build):
    pages = {
        "index.md": "# A book",
        "api.md": API.replace(": softmax", ": masked_softmax, softmax"),
    }
    status, output, html = build(pages, "https://github.com/someone/a-book")
    assert status == 0, output
    page = (html / "book/api.html").read_text(encoding="utf-8")
    links = re.findall(r'href="https://github.com/someone/a-book/blob/main/(.*?)#L(\d+)"', page)
    lines = [(ROOT / path).read_text("utf-8").split("\n")[int(n) - 1 :] for path, n in links]
    begun = [next(line for line in each if line.startswith("def ")) for each in lines]
    expected = {"masked_softmax", "merge_heads", "softmax"}
    assert {re.match(r"def (\w+)", line)[1] for line in begun} == expected
    assert all(each[0].startswith(("@", "def ")) for each in lines)


def _unlisted(anchors):
    """The public functions and classes that a chapter's code uses and the page does not have."""
    notebooks = [json.loads(path.read_text("utf-8")) for path in ROOT.glob("book/*/*.ipynb")]
    cells = [cell for notebook in notebooks for cell in notebook["cells"]]
    sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    for full in sorted(used("\n".join(sources)) - anchors):
        module, _, name = full.rpartition(".")
        try:
            found = getattr(import_module(module), name)
        except (ImportError, AttributeError):  # a variable of the chapter's with the module's name
            continue
        if (inspect.isfunction(found) or inspect.isclass(found)) and not name.startswith("_"):
            yield full


def test_every_function_that_a_chapter_uses_has_an_entry_and_is_listed_on_one_page(entries_of_all):
    overview, *pages = (re.findall(r'id="(attnbook\.[\w.]*)"', p) for p in entries_of_all.values())
    anchors = {anchor for page in pages for anchor in page}
    assert list(_unlisted(set(overview))) == []
    assert list(_unlisted(anchors)) == []
    assert list(_unlisted(anchors - {"attnbook.show.source"})) == ["attnbook.show.source"]


def test_each_function_leads_back_to_the_chapters_that_use_it(entries_of_all):
    found = 0
    for page, text in entries_of_all.items():
        for entry in text.split('<dt class="sig')[1:]:
            name = re.search(r'id="attnbook[\w.]*?(\w+)"', entry)
            users = re.search(r'<p class="users">.*?</p>', entry, re.DOTALL)
            for chapter in re.findall(r'href="([^"]*)"', users[0] if users else ""):
                found += 1
                assert name[1] in (page.parent / chapter).read_text(encoding="utf-8"), chapter
    assert found > 100


def test_each_line_of_an_equation_is_a_formula_and_names_and_powers_stay_whole():
    lines = [
        "Two",
        "",
        "    grad_S_ij = s^(-m / M)",
        "    log_decay = a",
        "        + b",
        "",
        "End.",
    ]
    _docstring(None, "function", "f", None, None, lines)
    formulas = [line.strip() for line in lines if line.startswith("    ")]
    assert formulas == [
        r"\operatorname{grad} S_{ij} = s^{-m / M}",
        r"\mathtt{log\_decay} = a\quad\allowbreak + b",
    ]
    assert lines.count(".. math::") == 2
