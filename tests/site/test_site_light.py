"""The pages of the built site are small, and their formulas need no script."""

import sys
from pathlib import Path

import faults
import pytest
from browsing import PAGES, Visit, served


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


def test_a_heavy_page_is_found(browser, tmp_path):
    (tmp_path / "page.html").write_text('<script src="big.js"></script>')
    (tmp_path / "big.js").write_text("//" + "x" * 1_300_000)
    with served(tmp_path) as url, Visit(browser, url, "page.html") as opened:
        assert faults.too_heavy(opened.weight(tmp_path))


def test_a_source_with_a_formula_is_recognised(tmp_path):
    source = tmp_path / "page.md"
    source.write_text("The width is $d$.")
    assert faults.has_formulas(source)
    source.write_text("The shell has `$HOME` and `$PATH`.")
    assert not faults.has_formulas(source)
