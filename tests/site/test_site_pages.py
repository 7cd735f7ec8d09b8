"""Every page of the built site is whole and usable, on light, dark and narrow screens."""

from pathlib import Path

import faults
import pytest
from browsing import PAGES, Window
from views import OPENED, found

ONE_OF_A_KIND = list({Path(page).parent: page for page in PAGES}.values())
MADE_ALIKE = [page for page in PAGES if "/api/" in page and page not in ONE_OF_A_KIND]
WRITTEN = [page for page in PAGES if page not in MADE_ALIKE]


@pytest.mark.parametrize(
    "page", [*WRITTEN, *(pytest.param(page, marks=pytest.mark.everywhere) for page in MADE_ALIKE)]
)
def test_page_has_no_fault(visit, page):
    assert found(visit(f"{page}.html", width=390)) == []


def test_search_page_has_no_fault(browser, site):
    first = Window(browser)  # which has fetched nothing before
    first.open(site, "search.html?q=softmax", width=390)
    first.page.locator("#search-results [role=status]").wait_for()  # all results are there
    assert found(first) == []


@pytest.mark.parametrize("view", [{}, {"scheme": "dark", "width": 1200}], ids=["light", "dark"])
@pytest.mark.parametrize("page", ONE_OF_A_KIND)
def test_a_page_is_whole_and_still_where_it_is_opened_at_a_desk(visit, page, view):
    opened = visit(f"{page}.html", **view)
    assert [fault for check in OPENED for fault in check(opened)] == []


@pytest.mark.parametrize("page", PAGES)
def test_formulas_are_there_without_scripts(folder, page):
    html = (folder / f"{page}.html").read_text(encoding="utf-8")
    assert faults.formulas_by_script(html) == []


def test_a_formula_without_scripts_is_seen(visit):
    page = visit("book/index.html", scripts=False).page
    assert page.locator("article .katex").first.is_visible()
