"""The API's lists of names, and links between its pages and the chapters, both ways.

```{names} attnbook.masks
```

lists the documented functions of a module, each with the first sentence of its docstring: on the
page that documents the module below what it says of itself, and on `book/api`, which lists them
all, as places that an address may lead to. Inline code in a chapter that is such a name leads to
it, the first time in each section; and under each function stand the chapters whose code uses it.
"""

import re

from book_package import IN_TORCH, ON_TENSORS
from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

API = "book/api"
PACKAGE = "attnbook"
NUMPY = "reference", "masks", "positions", "gradients", "online", "linear", "tiled"
PLACES = *NUMPY, *IN_TORCH, "plots", "show", "operation"
IMPORT = re.compile(r"from attnbook(?:\.([\w.]+))? import (\([^)]*\)|[^\n]*)")
DOTTED = re.compile(r"\b([a-z_]+)\.(\w+)")
NAME = re.compile(r"[\w.]+(?=(?:\([^()]*\))?$)")
MINUS = re.compile(r"(?<![\w-])-(?=\w)")  # a line may end after a hyphen


class names(nodes.General, nodes.Element):
    pass


class Names(SphinxDirective):
    required_arguments = 1

    def run(self):
        return [names(module=self.arguments[0])]


def in_api(page):
    return page == API or page.startswith(f"{API}/")


def _documented(env):
    """The page and the anchor of each documented function, class and module, by its full name."""
    found = env.get_domain("py").objects
    return {name: at[:2] for name, at in found.items() if in_api(at.docname)}


def used(text):
    """The full names that the code of a chapter takes from the package."""
    used = set()
    for module, imported in IMPORT.findall(text):
        words = re.findall(r"\w+", imported)
        used |= {".".join(filter(None, (PACKAGE, module, word))) for word in words}
    return used | {f"{PACKAGE}.{module}.{name}" for module, name in DOTTED.findall(text)}


def _read(app, document):
    page = app.env.docname
    code = "\n".join(block.astext() for block in document.findall(nodes.literal_block))
    app.env.book_used[page] = set() if in_api(page) else used(code)
    if in_api(page):
        for text in list(document.findall(nodes.Text)):
            if isinstance(text.parent, nodes.paragraph):
                text.parent.replace(text, nodes.Text(MINUS.sub("−", text)))
        app.env.book_names[page] = [_said(entry) for entry in _entries(document)]


def _entries(document):
    return [d for d in document.findall(addnodes.desc) if d[0].get("ids")]


def _said(entry):
    """The module, the name and the anchor of an entry, and the first sentence of what it says."""
    first = entry[-1].next_node(nodes.paragraph)
    said = re.split(r"(?<=\.)\s", first.astext(), maxsplit=1)[0] if first else ""
    return entry[0]["module"], entry[0]["fullname"], entry[0]["ids"][0], said


def _begin(app, env, docnames):
    env.book_used = getattr(env, "book_used", {})
    env.book_names = getattr(env, "book_names", {})


def _again(app, env):
    return list(filter(in_api, env.found_docs))  # they name the chapters, which may have changed


def _link(app, page, place, text, classes=()):
    there, anchor = place
    uri = f"{app.builder.get_relative_uri(page, there)}#{anchor}"
    literal = nodes.literal(text, text)
    return nodes.reference("", "", literal, internal=True, refuri=uri, classes=list(classes))


def resolve(name, documented, page):
    """The full name that inline code means on a page: in NumPy's part its own, then the twins."""
    nearest = ["pytorch", "tiled.pytorch"] if page.startswith(ON_TENSORS) else []
    tried = [f"{PACKAGE}.{name}", *(f"{PACKAGE}.{place}.{name}" for place in [*nearest, *PLACES])]
    return next((full for full in tried if full in documented), None)


def _link_code(app, document, page):
    documented, linked = _documented(app.env), set()
    for literal in list(document.findall(nodes.literal)):
        named = NAME.match(literal.astext())
        full = resolve(named[0], documented, page) if named else None
        section = next((n for n in _parents(literal) if isinstance(n, nodes.section)), None)
        inside = any(isinstance(n, nodes.reference | nodes.title) for n in _parents(literal))
        if full and not inside and (section, full) not in linked:
            linked.add((section, full))
            literal.replace_self(_link(app, page, documented[full], literal.astext(), ["api"]))


def _parents(node):
    while node.parent is not None:
        node = node.parent
        yield node


def _rows(app, page, listed):
    for there, entries in sorted(app.env.book_names.items()):
        for module, name, anchor, said in entries:
            if module == listed and "." not in name and there in app.env.found_docs:
                term = nodes.term("", "", _link(app, page, (there, anchor), name))
                term["ids"] = [] if there == page else [anchor]
                meaning = nodes.definition("", nodes.paragraph("", said))
                yield nodes.definition_list_item("", term, meaning)


def _list_names(app, document, page):
    for place in list(document.findall(names)):
        rows = nodes.definition_list("", *_rows(app, page, place["module"]), classes=["names"])
        own = [d for d in _entries(document) if d[0]["module"] == place["module"]]
        before = own[0] if own else place
        before.parent.insert(before.parent.index(before), rows)
        place.parent.remove(place)


def _name_users(app, document, api):
    """Under each function, the chapters whose code uses it."""
    numbers = app.env.toc_secnumbers
    chapters = [page for page in sorted(app.env.book_used) if numbers.get(page, {}).get("")]
    chapters.sort(key=lambda page: numbers[page][""])
    for description in document.findall(addnodes.desc):
        full = f"{description[0]['module']}.{description[0]['fullname']}"
        users = [page for page in chapters if full in app.env.book_used[page]]
        if users:
            line = nodes.paragraph("", "Used in Chapter ", classes=["users"])
            for i, page in enumerate(users):
                uri = app.builder.get_relative_uri(api, page)
                line += [nodes.Text(", ")] if i else []
                text = str(numbers[page][""][0])
                line += nodes.reference("", text, internal=True, refuri=uri)
            content = description[-1]  # a class lists its members last
            members = content.first_child_matching_class(addnodes.desc)
            content.insert(len(content) if members is None else members, line)


def _resolve(app, document, page):
    if in_api(page):
        _name_users(app, document, page)
        _list_names(app, document, page)
    else:
        _link_code(app, document, page)


def setup(app):
    app.add_node(names)
    app.add_directive("names", Names)
    app.connect("env-before-read-docs", _begin)
    app.connect("doctree-read", _read)
    app.connect("env-updated", _again)
    app.connect("doctree-resolved", _resolve)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
