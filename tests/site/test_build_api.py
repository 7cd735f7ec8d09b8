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
   :members: softmax
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
    assert "weights" in listed
