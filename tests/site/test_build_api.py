"""Names in a page's code lead to the API page, and back."""

import re

import pytest

PAGE = """# A page

Call `reference.softmax` or `softmax`; `nosuchname` leads nowhere, and `softmax` once is enough.

```python
from attnbook.reference import softmax
```
"""
API = """# API

```{names} attnbook.reference
```

```{eval-rst}
.. automodule:: attnbook.reference
   :members: softmax, merge_heads
```
"""


@pytest.fixture(scope="module")
def html(build):
    status, output, html = build({"index.md": "# A book", "page.md": PAGE, "api.md": API})
    assert status == 0, output
    return html / "book"


def test_a_name_leads_to_its_entry_once_in_a_section(html):
    page = (html / "page.html").read_text(encoding="utf-8")
    assert re.findall(r'href="(api\.html#[^"]*)"', page) == ["api.html#attnbook.reference.softmax"]


def test_the_page_begins_with_a_list_of_names(html):
    api = (html / "api.html").read_text(encoding="utf-8")
    listed = re.split(r'<dl class="[^"]*names', api)[1].split("</dl>")[0]
    assert 'href="#attnbook.reference.softmax"' in listed
    assert "d_head): undo split_heads.</p>" in listed


def test_the_list_follows_what_the_module_says_of_itself(html):
    page = (html / "api.html").read_text(encoding="utf-8").partition("<article")[2]
    places = [page.index(part) for part in ("defined in NumPy", "simple names", "sig sig-object")]
    assert places == sorted(places)


def test_an_equation_of_a_docstring_is_typeset(html):
    api = (html / "api.html").read_text(encoding="utf-8")
    assert r"A_j = \operatorname{exp}(s_j - m) / \sum_l" in api
    assert "Σ_l" not in api
