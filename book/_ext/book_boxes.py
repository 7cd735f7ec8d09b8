"""Make boxes of quotes that open in bold, cards of exercises, and fold what waits to be asked for.

> **Predict.** …            a box; the next cell's output, and the paragraph after it, are folded
> **You need.** …           a box
> **Aside: a title.** …     a closed note
### Aside: a title          a closed note with cells
### Exercise: a title       a card, numbered within its chapter
"""

from itertools import dropwhile

from docutils import nodes

BOXES = {"Predict.": "predict", "You need.": "need"}
ASIDE = "Aside: "
EXERCISE = "Exercise: "
SHOW = "Show the answer"


class details(nodes.General, nodes.Element):
    """A native disclosure, open until the page's script folds it; first in it is its `summary`."""


class summary(nodes.General, nodes.TextElement):
    """What a disclosure shows while it is closed."""


def fold(classes, title, *children):
    return details("", summary("", "", *title), *children, classes=classes)


def _label(words):
    return [nodes.raw("", words, format="html")]  # raw: of the interface, not found by search


def _opening(quote):
    """The bold words that a quote opens with, as a node that is taken out of it, or None."""
    first = quote.next_node(nodes.paragraph)
    spans = list(dropwhile(lambda span: not span.astext().strip(), first or ()))
    if not spans or not isinstance(spans[0], nodes.strong):
        return None
    words = spans[0].astext()
    if words not in BOXES and not words.startswith(ASIDE):
        return None
    first[:] = spans[1:]
    if not first.children:
        quote.remove(first)
    return spans[0]


def box(quote):
    """What a quote is on the site: itself, a box or a closed note."""
    opening = _opening(quote)
    if opening is None:
        return quote
    words = opening.astext()
    if words in BOXES:
        title = nodes.title("", words.rstrip("."))
        return nodes.admonition("", title, *quote.children, classes=[BOXES[words]])
    return fold(["aside"], _title(opening), *quote.children)


def _title(node):
    """What the title of an aside holds, formulas too, without the word and the last full stop."""
    spans = list(node.children)
    if isinstance(spans[-1], nodes.Text):
        spans[-1] = nodes.Text(spans[-1].rstrip("."))
    name = spans[0].removeprefix(ASIDE)
    return [nodes.Text(name[:1].upper() + name[1:]), *spans[1:]]


def _boxes(document):
    for quote in list(document.findall(nodes.block_quote)):
        quote.replace_self(box(quote))


def _answers(document):
    """Fold the output of the first cell after each prediction, and the paragraph that reads it."""
    asked = False
    for node in list(document.findall(nodes.Element)):
        if isinstance(node, nodes.admonition) and "predict" in node["classes"]:
            asked = True
        elif asked and "cell_output" in node.get("classes", []):
            answer = fold(["reveal"], _label(SHOW), *node.children)
            node.children = [answer]
            node.setup_child(answer)
            _take_reading(node.parent, answer)
            asked = False


def _take_reading(cell, answer):
    reading = cell.next_node(descend=False, siblings=True)
    if isinstance(reading, nodes.paragraph):
        reading.parent.remove(reading)
        answer += nodes.container("", reading, classes=["reading"])


def _sections(document):
    for section in list(document.findall(nodes.section)):
        title = section[0].astext()
        if title.startswith(EXERCISE):
            section["classes"].append("exercise")
        elif title.startswith(ASIDE):
            section["classes"].append("aside")
            section[0][:] = _title(section[0])
            section[1:] = [fold(["aside"], _label("Show this aside"), *section[1:])]


def _arrange(app, document):
    _boxes(document)
    _answers(document)
    _sections(document)


def _number(app, document, docname):
    """Number the exercises of a chapter, as 4.1, 4.2 …"""
    chapter = app.env.toc_secnumbers.get(docname, {}).get("")
    cards = [s for s in document.findall(nodes.section) if "exercise" in s["classes"]]
    for place, section in enumerate(cards, 1):
        number = f"Exercise {chapter[0]}.{place} " if chapter else "Exercise "
        name = section[0].astext().removeprefix(EXERCISE)
        section[0][:] = [nodes.inline("", number, classes=["exercise-number"]), nodes.Text(name)]


def visit_details(visitor, node):
    visitor.body.append(visitor.starttag(node, "details", "", open="open"))


def depart_details(visitor, node):
    visitor.body.append("</details>\n")


def visit_summary(visitor, node):
    visitor.body.append("<summary>")


def depart_summary(visitor, node):
    visitor.body.append("</summary>\n")


EARLY = (
    "document.documentElement.classList.add('folding');"
    "try { if (localStorage.getItem('answers') === 'shown')"
    " document.documentElement.classList.add('answers-shown') } catch {}"
)


def setup(app):
    app.add_node(details, html=(visit_details, depart_details))
    app.add_node(summary, html=(visit_summary, depart_summary))
    app.connect("doctree-read", _arrange, priority=600)  # after the captions of figures
    app.connect("doctree-resolved", _number)
    app.add_js_file(None, body=EARLY, priority=100)
    app.add_js_file("fold.js", loading_method="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
