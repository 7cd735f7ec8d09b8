"""The page "My progress": every exercise of the book, with room for what a reader has solved."""

from book_notebooks import CHECK
from docutils import nodes

PAGE = "book/progress"
BAR = """<div class="live-page"><button type="button" class="save">Save to a file</button>
<button type="button" class="take">Take from a file</button><input type="file" accept=".json" hidden
aria-label="A record of exercises"><span role="status"></span></div>"""
MARK = '<span class="state" data-exercise="{}"></span>'


def _cards(document):
    """Of each exercise its title, the id of its card and its name."""
    for section in document.findall(nodes.section):
        if "exercise" in section["classes"] and (name := CHECK.search(section.astext())):
            yield section[0].astext().removeprefix("Exercise: "), section["ids"][0], name[1]


def _chapters(env):
    """The numbered chapters, in their order."""
    numbers = {doc: found.get("") for doc, found in env.toc_secnumbers.items()}
    return sorted((doc for doc in numbers if numbers[doc]), key=numbers.get)


def _item(app, chapter, card):
    title, place, name = card
    address = app.builder.get_relative_uri(PAGE, chapter)
    link = nodes.reference("", title, internal=True, refuri=f"{address}#{place}")
    mark = nodes.raw("", MARK.format(name), format="html")
    return nodes.list_item("", nodes.paragraph("", "", link, mark))


def exercises(env):
    """For each chapter the cards of its exercises: title, id and name."""
    return {chapter: list(_cards(env.get_doctree(chapter))) for chapter in _chapters(env)}


def _list(app, document, docname):
    if docname != PAGE:
        return
    page = nodes.container("", classes=["progress-page"])
    for number, (chapter, cards) in enumerate(exercises(app.env).items(), 1):
        if cards:
            heading = f"{number}. {app.env.titles[chapter].astext()}"
            page += nodes.rubric("", heading)
            page += nodes.bullet_list("", *(_item(app, chapter, card) for card in cards))
    document[0].insert(2, nodes.raw("", BAR, format="html"))  # below the title and what it is about
    document[0] += page


def _again(app, env):
    """Write the page again whatever has changed: all others are in it."""
    return [PAGE] if PAGE in env.found_docs else []


def _load(app, pagename, templatename, context, doctree):
    if pagename == PAGE:
        app.add_js_file("live/progress.mjs", type="module")


def setup(app):
    app.connect("doctree-resolved", _list)
    app.connect("env-updated", _again)
    app.connect("html-page-context", _load)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
