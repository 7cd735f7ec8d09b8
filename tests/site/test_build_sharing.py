"""What links show once the address is known, the page for a wrong address, and the redirect."""

import re

import pytest
from book_sharing import describe
from docutils import nodes

ADDRESS = "https://github.com/Someone/a-book"
SITE = "https://someone.github.io/a-book/"
TITLE = "Attention, from NumPy to the GPU"
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


def test_the_first_page_says_its_title_once_and_the_others_that_of_the_book_too(html):
    names = ("book/index", "book/part/page")
    texts = [(html / f"{name}.html").read_text(encoding="utf-8") for name in names]
    titles = [re.findall("<title>(.*?)</title>", text, re.DOTALL) for text in texts]
    assert titles == [[TITLE], [f"A page &#8212; {TITLE}"]]


@pytest.mark.parametrize("page", ["index", "404", "search", "book/index"])
def test_every_page_names_its_icon_so_that_no_browser_asks_for_another(html, page):
    text = (html / f"{page}.html").read_text(encoding="utf-8")
    icon = re.findall(r'<link rel="icon" href="([^"]*)"', text)
    assert len(icon) == 1 and (html / page).parent.joinpath(icon[0]).is_file()


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
