"""The first pages: the title, and the contents with links and page numbers."""

from itertools import groupby

import yaml

from tools import toc
from tools.reproducible import ROOT

FIRST = """<section class="title-page"><p class="title">{title}</p>
<img alt="" src="_static/hero.svg">
<p>Version {version}, printed from the pages of the site.</p>
<p>Text and figures: CC BY 4.0. Code: Apache 2.0.</p></section>"""


def title_page():
    """The first page: the title and the version that `_config.yml` has, and the licences."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    return FIRST.format(title=config["title"], version=config["sphinx"]["config"]["version"])


def page_of(anchor):
    """Room for the number of a page, which is known once the document has been printed."""
    return f'<span class="page" data-of="{anchor}">000</span>'


def titled(heading):
    """The HTML of what stands in a heading, but for the links in it."""
    return "".join(
        part.decode_contents() if part.name == "a" else str(part) for part in heading.contents
    )


def _entry(heading):
    here = heading["id"]
    link = f'<a href="#{here}"><span>{titled(heading)}</span>{page_of(here)}</a>'
    kind = "chapter" if heading.name == "h1" else "section"
    return f'<li class="{kind}">{link}</li>'


def contents(articles):
    """The chapters with their sections, each part below its caption; all else by its title."""
    caption_of = {page: caption for caption, pages in toc.parts().items() for page in pages}
    lines = []
    for caption, part in groupby(articles, caption_of.get):
        lines += [f'<li class="part">{caption}</li>'] if caption else []
        headings = ["h1", "h2"] if caption else ["h1"]
        lines += [_entry(h) for page in part for h in articles[page].find_all(headings)]
    items = "\n".join(lines)
    return f'<nav class="all-pages"><p class="title">Contents</p><ol>{items}</ol></nav>'
