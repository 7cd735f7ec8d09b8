"""Every page of the built site is whole and usable, on light, dark and narrow screens."""

import faults
import pytest
from browsing import PAGES
from views import VIEWS, found


@pytest.mark.parametrize("page", PAGES)
def test_page_has_no_fault(visit, page):
    found_in = {}
    for view, (options, checks) in VIEWS.items():
        opened = visit(f"{page}.html", **options)
        found_in[view] = found(opened, checks)
        opened.context.close()
    assert found_in == {view: [] for view in VIEWS}


def test_search_page_has_no_fault(visit):
    for options, checks in VIEWS.values():
        assert found(visit("search.html?q=softmax", **options), checks) == []


@pytest.mark.parametrize("page", PAGES)
def test_formulas_are_there_without_scripts(folder, page):
    html = (folder / f"{page}.html").read_text(encoding="utf-8")
    assert faults.formulas_by_script(html) == []


def test_a_formula_without_scripts_is_seen(visit):
    page = visit("book/index.html", scripts=False).page
    assert page.locator("article .katex").first.is_visible()
