"""Every page of the built site is whole, light and usable; and each check can fail."""

import sys
from pathlib import Path

import faults
import pytest
import yaml
from browsing import Visit, served

ROOT = Path(__file__).parents[2]
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
PAGES = [TOC["root"], *(page["file"] for part in TOC["parts"] for page in part["chapters"])]
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


def test_first_views_are_light(visit, folder, capsys):
    weights = {page: visit(f"{page}.html").weight(folder) for page in PAGES}
    with capsys.disabled():
        rows = [f"{weight / 1e6:7.2f} MB  {page}" for page, weight in weights.items()]
        print("\nfirst view, uncompressed, without figures", *rows, sep="\n", file=sys.stderr)
    assert [fault for weight in weights.values() for fault in faults.too_heavy(weight)] == []


@pytest.mark.parametrize("page", PAGES)
def test_formulas_are_there_without_scripts(visit, folder, page):
    opened = visit(f"{page}.html", scripts=False)
    formulas = opened.page.locator("article .katex")
    assert opened.page.locator("article .katex math").count() == formulas.count()
    if faults.has_formulas(_source(folder, page)):
        assert formulas.first.is_visible()


def _source(folder, page):
    return next(Path(folder, "_sources").glob(f"{page}.*"))


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


def test_a_heavy_page_is_found(browser, tmp_path):
    (tmp_path / "page.html").write_text(PAGE.format('<script src="big.js"></script>'))
    (tmp_path / "big.js").write_text("//" + "x" * 1_300_000)
    with served(tmp_path) as url, Visit(browser, url, "page.html") as opened:
        assert faults.too_heavy(opened.weight(tmp_path))


def test_a_source_with_a_formula_is_recognised(tmp_path):
    source = tmp_path / "page.md"
    source.write_text("The width is $d$.")
    assert faults.has_formulas(source)
    source.write_text("The shell has `$HOME` and `$PATH`.")
    assert not faults.has_formulas(source)
