"""Each check of a page can fail: a planted fault is found, a good page has none."""

import faults
import pytest
from browsing import Visit, served

PLANTED = {
    "asks another host": '<img alt="" src="http://127.0.0.2:9/x.png">',
    "the console says: broken": '<script>console.error("broken")</script>',
    "the console says: Failed to load": '<img alt="" src="missing.png">',
    "a formula is not set: a $x$ here": "<p>a $x$ here</p>",
    r"a formula is not set: \(y\)": r"<p>\(y\)</p>",
    "a formula is not set: z^2": '<span class="math">z^2</span>',
    "scrolls sideways": '<div style="width: 3000px">wide</div>',
    "image-alt (critical)": '<img src="dot.svg">',
    "color-contrast (serious)": '<p style="color: #eee">pale</p>',
}
PAGE = '<!doctype html><html lang="en"><title>t</title><main><h1>t</h1>{}</main></html>'
DOT = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>'


def _faults_of(browser, tmp_path, body):
    (tmp_path / "page.html").write_text(PAGE.format(body))
    (tmp_path / "dot.svg").write_text(DOT)
    (tmp_path / "favicon.ico").write_bytes(b"")
    with served(tmp_path) as url, Visit(browser, url, "page.html") as opened:
        return faults.all_faults(opened)


def test_a_good_page_has_no_fault(browser, tmp_path):
    body = '<p>Text, <code>$HOME</code> and <img alt="a dot" src="dot.svg"></p>'
    assert _faults_of(browser, tmp_path, body) == []


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_found(browser, tmp_path, fault):
    assert any(found.startswith(fault) for found in _faults_of(browser, tmp_path, PLANTED[fault]))
