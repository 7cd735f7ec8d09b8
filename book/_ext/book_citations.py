"""Make citations of a chapter's links to the sources that `references.bib` holds.

A chapter cites a source by a link to its address. On the site the link tells the whole reference
when pointed at; an address that is no entry's is a warning. `app.env.book_citations` tells which
entries each page cites. A docstring cites by name and year, as in "Source: Bridle (1990)".
"""

import re
from functools import cache
from pathlib import Path

from book_api import in_api
from docutils import nodes
from pybtex.backends.plaintext import Backend
from pybtex.database import parse_file
from pybtex.style.formatting.plain import Style
from sphinx.util import logging

SOURCES = Path(__file__).parents[1] / "references.bib"
SOURCE = re.compile(r"Source: (?:.+\n?)+")
NAMED = re.compile(r"([A-Z][\w-]+)((?:(?:, | and | )[A-Z][\w-]+)*(?: et al\.)?) \((\d{4})\)")
log = logging.getLogger(__name__)


def address(fields):
    """Where the source of an entry is: its url, else its DOI, else its number at arXiv."""
    if "url" in fields:
        return fields["url"]
    if "doi" in fields:
        return f"https://doi.org/{fields['doi']}"
    return f"https://arxiv.org/abs/{fields['eprint']}" if "eprint" in fields else None


def author(entry):
    """The first author's last name, of an organisation the first word."""
    return entry.persons["author"][0].last_names[0].strip("{}").split()[0]


@cache
def _sources():
    return parse_file(str(SOURCES)).entries


@cache
def _entries():
    """For each address, the key and the whole reference of its entry."""
    entries = _sources()
    formatted = Style().format_entries(entries.values())
    texts = {each.key: each.text.render(Backend()) for each in formatted}
    return {address(entry.fields): (key, texts[key]) for key, entry in entries.items()}


@cache
def _addresses():
    """For the first author's last name and the year, the address of an entry."""
    entries = _sources().values()
    return {(author(entry), entry.fields["year"]): address(entry.fields) for entry in entries}


def _link_sources(app, what, name, obj, options, lines):
    def linked(match):
        if found := _addresses().get((match[1], match[3])):
            return f"`{match[0]} <{found}>`__"
        log.warning("no entry of references.bib is %s, the source of %s", match[0], name)
        return match[0]

    text = "\n".join(lines)
    lines[:] = SOURCE.sub(lambda source: NAMED.sub(linked, source[0]), text).split("\n")


def _cite(app, document):
    page = app.env.docname
    app.env.book_citations.pop(page, None)
    if not in_api(page) and not app.env.doc2path(page).endswith(".ipynb"):
        return
    app.env.note_dependency(str(SOURCES))
    for link in document.findall(nodes.reference):
        uri = link.get("refuri", "")
        if not uri.startswith(("http:", "https:")):
            continue
        if uri not in _entries():
            log.warning("no entry of references.bib has the address %s", uri, location=link)
            continue
        key, text = _entries()[uri]
        link["reftitle"] = text
        app.env.book_citations.setdefault(page, set()).add(key)


def _begin(app, env, docnames):
    env.book_citations = getattr(env, "book_citations", {})


def setup(app):
    app.connect("env-before-read-docs", _begin)
    app.connect("doctree-read", _cite)
    app.connect("autodoc-process-docstring", _link_sources)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
