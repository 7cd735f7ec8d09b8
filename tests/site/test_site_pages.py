"""Every page of the built site is whole and usable, on light, dark and narrow screens."""

import faults
import pytest
from browsing import PAGES

VIEWS = {
    "light": {},
    "dark": {"scheme": "dark"},
    "phone": {"width": 390},
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("page", PAGES)
def test_page_has_no_fault(visit, page, view):
    assert faults.all_faults(visit(f"{page}.html", **VIEWS[view])) == []


def test_search_page_has_no_fault(visit):
    assert faults.all_faults(visit("search.html?q=softmax")) == []
