"""Print a document with Chromium, and print it again with the numbers of its pages filled in."""

from contextlib import contextmanager
from urllib.parse import urlsplit

import pypdfium2
from playwright.sync_api import sync_playwright
from pypdfium2 import raw

from tools import browser

ADDRESS = "http://book.invalid/"  # where the document seems to lie: nothing is asked of a network
WIDTH = 628  # pixels of 1/96 inch: as wide as print.css makes what is printed on a sheet
LINKS = """[...new Set([...document.querySelectorAll('a[href^="#"]')].map(
    link => decodeURIComponent(link.getAttribute('href').slice(1))))]"""  # of a drawing, too
FILL = """numbers => document.querySelectorAll('.page').forEach(
    page => { page.textContent = numbers[page.dataset.of]; })"""
# What juts out of its place is cut off at the edge, or has Chromium print the whole book smaller.
WIDE = """[...document.querySelectorAll('article :is(pre, table, figure, .katex-display)')].filter(
    thing => thing.scrollWidth > thing.clientWidth + 1
).map(thing => thing.textContent.slice(0, 60))"""
# A thing that is lower than a third of a sheet stays whole: as much may be left empty above it.
KEEP = """document.querySelectorAll(
    'div.cell, div.highlight, table, details.aside, section.exercise, section.answer, li'
).forEach(thing => thing.classList.toggle('whole', thing.offsetHeight < 320))"""


@contextmanager
def launched():
    """A browser that shows nothing."""
    path = browser.find_or_install()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield chromium
        chromium.close()


def _answer(route, html, folder):
    """Give the browser the document, or what the document needs of the folder."""
    path = urlsplit(route.request.url).path.removeprefix("/")
    if not route.request.url.startswith(ADDRESS):
        route.abort()
    elif not path:
        route.fulfill(body=html, content_type="text/html")
    elif path.endswith(".css"):
        style = (folder / path).read_text(encoding="utf-8")
        patient = style.replace("font-display: optional", "font-display: block")
        route.fulfill(body=patient, content_type="text/css")
    else:
        route.fulfill(path=folder / path)


def opened(chromium, html, folder):
    """The document on a page of the browser, as for paper, with all its fonts and pictures."""
    page = chromium.new_page(viewport={"width": WIDTH, "height": 900})
    page.route("**/*", lambda route: _answer(route, html, folder))
    page.goto(ADDRESS)
    page.emulate_media(media="print", color_scheme="light")
    page.evaluate("document.fonts.ready.then(() => true)")
    return page


def too_wide(page):
    """How all begins that finds no room between the margins of a sheet."""
    return page.evaluate(WIDE)


def places(made, names):
    """The number of the page of a PDF to which each named destination leads."""
    with pypdfium2.PdfDocument(made) as pdf:
        found = {name: raw.FPDF_GetNamedDestByName(pdf, name.encode()) for name in names}
        if lost := [name for name in names if not found[name]]:
            raise LookupError(f"Chromium printed no place for these links to lead to: {lost}")
        return {name: 1 + raw.FPDFDest_GetDestPageIndex(pdf, found[name]) for name in names}


def _print(page, **options):
    return page.pdf(prefer_css_page_size=True, print_background=True, **options)


def printed(page):
    """The PDF of the document, with the right number wherever it names a page of its own."""
    names = page.evaluate(LINKS)
    page.evaluate(KEEP)
    draft = places(_print(page, tagged=False), names)
    page.evaluate(FILL, draft)
    made = _print(page, tagged=True, outline=True)
    if places(made, names) != draft:
        raise RuntimeError("the numbers of pages, written into the pages, moved other pages")
    return made


def beginnings(page, made):
    """The numbers of the sheets of this PDF on which a chapter begins."""
    headings = page.evaluate("[...document.querySelectorAll('h1')].map(heading => heading.id)")
    return set(places(made, headings).values())
