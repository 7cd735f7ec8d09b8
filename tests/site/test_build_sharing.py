"""What links show once the address is known, the page for a wrong address, and the redirect."""

import re

import pytest
from book_sharing import describe
from docutils import nodes

ADDRESS = "https://github.com/Someone/a-book"
SITE = "https://someone.github.io/a-book/"
PAGE = "# A page\n\nWhat the page says first, in a *sentence*.\n\n## More\n\nMore."


@pytest.fixture(scope="module")
def html(build):
    status, output, html = build({"part/page.md": PAGE}, ADDRESS)
    assert status == 0, output
    return html


def _meta(html):
    return dict(re.findall(r'<meta (?:name|property)="([^"]*)" content="([^"]*)"', html))


def test_a_shared_link_shows_the_page(html):
    page = (html / "book/part/page.html").read_text(encoding="utf-8")
    meta = _meta(page)
    assert (
        meta["description"] == meta["og:description"] == "What the page says first, in a sentence."
    )
    assert meta["og:title"] == "A page"
    assert meta["og:url"] == f"{SITE}book/part/page.html"
    assert meta["twitter:card"] == "summary_large_image"
    assert f'<link rel="canonical" href="{SITE}book/part/page.html"' in page
    picture = html / meta["og:image"].removeprefix(SITE)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert page.count('name="viewport"') == 1


def test_the_root_leads_on_and_says_where(html):
    root = (html / "index.html").read_text(encoding="utf-8")
    assert '<html lang="en">' in root and "<title>Attention" in root
    assert f'<link rel="canonical" href="{SITE}book/index.html">' in root


def test_every_page_is_in_the_sitemap(html):
    sitemap = (html / "sitemap.xml").read_text(encoding="utf-8")
    assert re.findall("<loc>(.*)</loc>", sitemap) == [
        f"{SITE}book/index.html",
        f"{SITE}book/part/page.html",
    ]


def test_a_wrong_address_leads_back_from_any_depth(html):
    page = (html / "404.html").read_text(encoding="utf-8")
    assert '<base href="/a-book/">' in page
    links = re.findall(r'href="([^/"][^"]*)"', page)
    assert links and all((html / link).is_file() for link in links)


def test_without_an_address_none_is_said(build):
    status, output, html = build({"page.md": PAGE})
    assert status == 0, output
    page = (html / "book/page.html").read_text(encoding="utf-8")
    assert not re.findall(r'href="https?://', page)
    assert "og:url" not in page and "canonical" not in page
    assert _meta(page)["og:title"] == "A page"
    assert not (html / "sitemap.xml").exists()


def test_a_long_description_ends_after_a_word():
    page = nodes.section("", nodes.paragraph("", "word, " * 40))
    assert describe(page) == ", ".join(33 * ["word"]) + " …"
