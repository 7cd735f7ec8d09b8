"""The index of the book's sections that the search page reads, in place of Sphinx's of pages.

A section is one entry: its address, its number and title, its own text, and the words of its code.
"""

import base64
import gzip
import json
import re
from collections import Counter
from pathlib import Path

from book_api import API, in_api
from docutils import nodes
from sphinx import addnodes

TEX = re.compile(r"\\[,;!]|\\(?:mathbf|operatorname|mathrm|left|right|bigl?|Bigl?)\b|[{}\\$]")
IDENTIFIER = re.compile(r"[A-Za-z_]\w{2,}")
WORD, PRIVATE = re.compile(r" ?\w{2,}"), re.compile("[\ue000-\uf8ff]")
FRACTION = re.compile(r"\\frac\{([^{}]*)\}\{([^{}]*)\}")
LEFT_OUT = (
    *(nodes.section, nodes.literal_block, nodes.math_block),
    *(nodes.raw, nodes.comment, nodes.image, addnodes.desc),
)


def _text(node):
    """What stands in a node, without its subsections, members and code; formulas without TeX."""
    if isinstance(node, nodes.Text):
        return str(node)
    if isinstance(node, nodes.math):
        return TEX.sub("", FRACTION.sub(r"\1/\2", node.astext()))
    if isinstance(node, LEFT_OUT) or _is_answer(node):
        return ""
    between = "" if isinstance(node, nodes.TextElement) else " "
    return between.join(_text(child) for child in node.children)


def _is_answer(node):
    return isinstance(node, nodes.Element) and "reveal" in node.get("classes", [])


def _code(section):
    """What is found and not shown: the words of code, and of answers that wait to be asked for."""
    for child in section.children:
        if not isinstance(child, nodes.section):
            for block in child.findall(nodes.Element):
                if isinstance(block, nodes.literal_block) or _is_answer(block):
                    yield from IDENTIFIER.findall(block.astext())


def _entry(at, title, page, text, number="", code=()):
    words = {word.lower() for word in code}
    return {"at": at, "n": number, "title": title, "page": page, "text": text, "code": words}


def _signatures(doctree, docname, page):
    """The documented functions, each out of the page, as an entry with its first paragraph."""
    for description in list(doctree.findall(addnodes.desc)):
        signature, content = description[0], description[-1]
        if signature["ids"] and content.parent is description:
            text = " ".join(_text(content[0] if len(content) else content).split())
            yield _entry(f"{docname}.html#{signature['ids'][0]}", signature["fullname"], page, text)
    for description in list(doctree.findall(addnodes.desc)):
        description.replace_self(nodes.comment())


def entries(env, docname):
    doctree = env.get_doctree(docname)
    numbers = env.toc_secnumbers.get(docname, {})
    page = "API" if in_api(docname) else env.titles[docname].astext()
    yield from _signatures(doctree, docname, page)
    for section in doctree.findall(nodes.section):
        first = isinstance(section.parent, nodes.document)
        if docname == API and not first:
            continue  # the page of each module is found
        anchor = "" if first else f"#{section['ids'][0]}"
        number = ".".join(map(str, numbers.get(anchor) or ()))
        text = " ".join(" ".join(map(_text, section.children[1:])).split())
        at, title = f"{docname}.html{anchor}", section[0].astext()
        yield _entry(at, title, page, text, number, _code(section))


def _without_pages(app):
    app.builder.search = False  # before it begins, Sphinx would collect the words of pages


def _pages(app):
    yield "search", {}, "search.html"


def _write(app, error):
    if error or app.builder.name != "html":
        return
    found = [[*entries(app.env, doc)] for doc in sorted(app.env.found_docs)]
    _keep_telling_words(found)
    pages = [_brief(page) for page in found]
    # a script, not JSON: pages opened from a folder may not fetch
    script = f'const PAGES = "{packed([p for p in pages if p])}";\n'
    Path(app.outdir, "_static", "sections.js").write_text(script)


def packed(pages):
    """The pages as text, two fifths as long: a line of frequent words, then JSON with one
    character of Unicode's private area for each of these; compressed, in base 64.

    gzip alone sees a word again only within 32 kB, and the book is forty times as long.
    """
    text = json.dumps(pages, ensure_ascii=False, separators=(",", ":"))
    if PRIVATE.search(text):
        raise ValueError(f"a page has {PRIVATE.search(text)[0]!r}, which stands for a word here")
    words = [word for word, _ in Counter(WORD.findall(text)).most_common(6400)]
    letters = {word: chr(0xE000 + i) for i, word in enumerate(words)}
    brief = WORD.sub(lambda found: letters.get(found[0], found[0]), text)
    return base64.b64encode(gzip.compress(f"{'|'.join(words)}\n{brief}".encode(), mtime=0)).decode()


def unpacked(script):
    """The pages in the text of `sections.js`, as `search.js` reads them."""
    text = gzip.decompress(base64.b64decode(script.split('"')[1])).decode()
    words, brief = text.split("\n")
    words = words.split("|")
    return json.loads(PRIVATE.sub(lambda found: words[ord(found[0]) - 0xE000], brief))


def _keep_telling_words(pages, most=1 / 100):
    """Leave out of the code what many sections have, as `return`, and what the page's text says."""
    found = [entry for page in pages for entry in page]
    often = Counter(word for entry in found for word in entry["code"])
    for page in pages:
        said = {word.lower() for entry in page for word in IDENTIFIER.findall(entry["text"])}
        for entry in page:
            telling = (w for w in entry["code"] - said if often[w] <= max(1, most * len(found)))
            entry["code"] = " ".join(sorted(telling))


def _brief(found):
    """A page and its entries without what all repeat: an eighth of the file, names of fields."""
    if not found:
        return []
    address, title = found[0]["at"].partition("#")[0], found[0]["page"]
    rows = [
        [e["at"].removeprefix(address), e["n"], e["title"], e["text"], e["code"]] for e in found
    ]
    return [address, title, rows]


def setup(app):
    app.connect("builder-inited", _without_pages)
    app.connect("html-collect-pages", _pages)
    app.connect("build-finished", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
