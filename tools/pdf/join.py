"""Join pages of the built site into one document that a browser can print."""

import json

from bs4 import BeautifulSoup

from tools import toc
from tools.pdf.contents import contents, title_page
from tools.pdf.links import address, anchor, dangling
from tools.pdf.solutions import appendix
from tools.reproducible import ROOT

STYLE = ROOT / "tools" / "pdf" / "print.css"
# What is of use on a screen only: what is pressed, and formulas once more, as MathML.
DROPPED = (
    "button, a.headerlink, a.enlarge, p:has(> a.start), .live-page, .live-bar, .moving, .film, "
    ".katex-mathml"
)
HEADINGS = ["h1", "h2", "h3", "h4"]
PAGE = """<!DOCTYPE html>
<html lang="en" data-theme="light" data-mode="light"><head><meta charset="utf-8">
<title>Attention, from NumPy to the GPU</title>
{sheets}
<style>{style}</style></head>
<body class="bd-content">{body}</body></html>"""


def pages():
    """What is printed: all but the package's reference and the reader's progress."""
    return [page for page in toc.pages() if not page.startswith(("book/api", "book/progress"))]


def _read(folder, page):
    return BeautifulSoup((folder / f"{page}.html").read_text(encoding="utf-8"), "html.parser")


def _article(built, page, printed):
    """What is printed of a built page."""
    article = built.find("article", class_="bd-article")
    for formula in article.select(".katex"):  # said aloud as the TeX that it was made of
        formula.attrs |= {"role": "img", "aria-label": formula.annotation.get_text()}
    for element in article.select(DROPPED):
        element.decompose()
    for section in article.select("section[id]"):
        section.find(HEADINGS)["id"] = section.attrs.pop("id")  # a link leads to the words
    for fold in article.find_all("details"):
        fold["open"] = ""
    address(article, page, printed)
    article["id"] = anchor(page)
    return article


def _sheets(built, page):
    """The links to the stylesheets of a page, seen from the root of the site."""
    links = built.head.find_all("link", rel="stylesheet")
    return "\n".join(str(link) for link in links).replace("../" * page.count("/"), "")


def _running(page, article):
    """The style by which each sheet of a chapter has the chapter's title at its foot."""
    name, title = anchor(page), json.dumps(article.h1.get_text(), ensure_ascii=False)
    return f"#{name} {{ page: {name}; }} @page {name} {{ @bottom-left {{ content: {title}; }} }}"


def document(folder, printed):
    """The HTML of these pages of the site, with a title, contents and a chapter of solutions."""
    built = {page: _read(folder, page) for page in printed}
    articles = {page: _article(built[page], page, printed) for page in printed}
    articles[printed[0]].h1.string = "Introduction"
    end = 1 + max(printed.index(page) for page in toc.chapters() if page in printed)
    order = [*printed[:end], "solutions", *printed[end:]]
    articles["solutions"] = appendix(articles.values())
    articles = {page: articles[page] for page in order}
    if lost := dangling(articles.values()):
        raise LookupError(f"no page that is printed holds what these links lead to: {lost}")
    running = [_running(page, article) for page, article in articles.items()]
    body = [title_page(), contents(articles), *map(str, articles.values())]
    return PAGE.format(
        sheets=_sheets(built[printed[0]], printed[0]),
        style="\n".join([STYLE.read_text(encoding="utf-8"), *running]),
        body="\n".join(body),
    )
