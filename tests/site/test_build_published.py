"""The whole book, built with an address: each button, picture and link that the address brings."""

import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest
from browsing import PAGES
from small_book import ROOT, write_published
from source_lines import begun

from tools.build import COMMAND

ADDRESS = "https://github.com/Someone/a-book"
SITE = "https://someone.github.io/a-book/"
BINDER = "https://mybinder.org/v2/gh/Someone/a-book/main?urlpath=lab/tree/{}.ipynb"
COLAB = "https://colab.research.google.com/github/Someone/a-book/blob/main/{}.ipynb"
SIGNATURE = re.compile(r'<dt class="sig [^>]*id="([^"]*)">(.*?)</dt>', re.DOTALL)
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
PLAIN = "book/index"
NUMPY = "book/numpy/weighted-average"
TORCH = "book/pytorch/twins"
API = "book/api/distributed"
pytestmark = pytest.mark.everywhere  # small books with an address are built each time


@pytest.fixture(scope="module")
def html(tmp_path_factory):
    """The built site of the whole book, with an address."""
    folder = write_published(tmp_path_factory.mktemp("published"), ADDRESS)
    done = subprocess.run(COMMAND, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "_build/html"


@pytest.fixture(scope="module")
def pages(html):
    """What stands in each page, by its name."""
    return {page: (html / f"{page}.html").read_text(encoding="utf-8") for page in PAGES}


def is_notebook(page):
    return (ROOT / f"{page}.ipynb").is_file()


def buttons(page):
    """Where the buttons of a page must lead: a notebook's to Colab and to Binder."""
    launch = [COLAB, BINDER] if is_notebook(page) else []
    return {ADDRESS, f"{ADDRESS}/issues/new", *(link.format(page) for link in launch)}


def wrong_buttons(pages):
    for page, text in pages.items():
        header = text.partition('class="article-header-buttons"')[2].partition("<article")[0]
        links = re.findall(r'href="(https?://[^"?]*(?:\?urlpath[^"]*)?)', header)
        yield from (f"{page}: {link}" for link in buttons(page) ^ set(links))


def wrong_canonicals(pages):
    for page, text in pages.items():
        said = re.findall(r'<link rel="canonical" href="([^"]*)"', text)
        said += re.findall(r'<meta property="og:url" content="([^"]*)"', text)
        if said != [f"{SITE}{page}.html"] * 2:
            yield f"{page}: {said}"


def wrong_pictures(pages, html):
    for page, text in pages.items():
        pictures = re.findall(r'<meta property="og:image" content="([^"]*)"', text)
        card = '<meta name="twitter:card" content="summary_large_image"' in text
        files = [html / picture.removeprefix(SITE) for picture in pictures]
        if not card or [f.is_file() and f.read_bytes()[1:4] for f in files] != [b"PNG"]:
            yield f"{page}: {pictures}"


def wrong_sources(pages):
    """The entries of the API that lead to no line, or to one where something else begins."""
    for page, text in pages.items():
        for name, entry in SIGNATURE.findall(text):
            found = re.search(rf'href="{ADDRESS}/blob/main/([^"#]*)#L(\d+)"', entry)
            if not found or begun(found[1], int(found[2])) not in name.split(".")[-2:]:
                yield f"{page}: {name}: {found and found[0]}"


def test_the_install_cell_is_in_every_notebook_and_on_no_page(pages, html):
    for page in filter(is_notebook, pages):
        notebook = (html / f"_sources/{page}.ipynb").read_text(encoding="utf-8")
        assert notebook.count(f"%pip install -q git+{ADDRESS}") == 1, page
        assert "%pip" not in pages[page], page


def test_the_notebooks_are_linted_with_their_install_cells(html):
    folder = html.parents[1] / "book"
    for command in ("check", "format --check"):
        ruff = [sys.executable, "-m", "ruff", *command.split(), "--no-cache", folder]
        done = subprocess.run(ruff, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout


def test_every_button_leads_where_it_should(pages):
    assert list(wrong_buttons(pages)) == []
    unlike = {page: pages[other] for page, other in [(NUMPY, TORCH), (PLAIN, NUMPY), (TORCH, API)]}
    assert {fault.partition(":")[0] for fault in wrong_buttons(unlike)} == {NUMPY, PLAIN, TORCH}


def test_every_page_says_its_own_address(pages):
    assert list(wrong_canonicals(pages)) == []
    assert list(wrong_canonicals({TORCH: pages[NUMPY]}))
    assert list(wrong_canonicals({TORCH: pages[TORCH].replace('rel="canonical"', "")}))


def test_every_page_has_a_picture_to_share(pages, html):
    assert list(wrong_pictures(pages, html)) == []
    assert list(wrong_pictures({PLAIN: pages[PLAIN].replace("hero.png", "no.png")}, html))
    assert list(wrong_pictures({PLAIN: pages[PLAIN].replace("hero.png", "hero.svg")}, html))


def test_the_sitemap_names_every_page(html):
    places = ElementTree.parse(html / "sitemap.xml").iter(f"{SITEMAP}loc")
    assert sorted(place.text for place in places) == sorted(f"{SITE}{page}.html" for page in PAGES)


def test_every_entry_of_the_api_leads_to_its_lines(pages):
    assert list(wrong_sources(pages)) == []
    assert sum(len(SIGNATURE.findall(text)) for text in pages.values()) > 300
    moved = re.sub(r"(model\.py#L)\d+", r"\g<1>1", pages[API])
    gone = pages[API].replace("distributed/model.py", "distributed/no.py")
    unlinked = pages[API].replace(f'href="{ADDRESS}/blob', 'href="')
    for spoilt in (moved, gone, unlinked):
        assert any("distributed.Machine" in fault for fault in wrong_sources({API: spoilt}))


def test_who_asks_for_a_clone_names_the_address(pages):
    link = re.search(r'clone <a [^>]*href="([^"]*)">([^<]*)</a>', pages[PLAIN])
    assert link and link.groups() == (ADDRESS, ADDRESS.removeprefix("https://"))
