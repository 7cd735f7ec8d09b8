"""Make a numbered figure of each drawing: its cell's output, and the caption below the cell.

The caption is the paragraph after the cell that begins with **Figure.** The drawing becomes a part
of the page, so that it has the page's type, and the colours that the page gives to their names.
"""

import html
import re
from pathlib import Path
from urllib.parse import quote

from docutils import nodes
from sphinx.transforms import SphinxTransform

BEGIN = "Figure."
FILM = (  # below a drawing whose pictures can be lit one by one
    '<div class="film"><button type="button" class="play">Play</button>'
    '<button type="button" class="step">Step</button></div>'
)
PREFIX = re.compile(r"\bf[0-9a-f]+-(?=\d+[\")])")


class drawing(nodes.image):
    """An image whose file becomes a part of the page."""


def inline(svg, alt, name):
    """The drawing as a part of a page in which no other has this name.

    One with links is a group, since nothing inside an image can be reached; it scrolls where it
    would be so small that a finger could not tell them apart.
    """
    linked = "<a " in svg
    said = f'<svg role="{"group" if linked else "img"}" aria-label="{html.escape(alt)}"'
    drawn = PREFIX.sub(f"{name}-", svg).replace("<svg", said, 1)
    return f'<div class="linked">{drawn}</div>' if linked else drawn


class Captions(SphinxTransform):
    """Join the output of a cell and the caption that follows the cell."""

    default_priority = 400

    def apply(self):
        cells = [c for c in self.document.findall(nodes.container) if "cell" in c["classes"]]
        for cell in cells:
            image, caption = next(cell.findall(nodes.image), None), _caption(cell)
            if image is not None and caption is not None:
                self._join(image, caption)

    def _join(self, image, paragraph):
        shown = image
        while "cell_output" not in shown.parent["classes"]:
            shown = shown.parent  # what an output could be shown as; which of it is chosen later
        number = len(list(self.document.findall(nodes.figure))) + 1
        figure = nodes.figure(classes=["drawn"], ids=[f"figure-{number}"])
        shown.replace_self(figure)
        paragraph.parent.remove(paragraph)
        opening = next(paragraph.findall(nodes.strong))
        caption = nodes.caption("", "", *paragraph[paragraph.index(opening) + 1 :])
        caption.source, caption.line = paragraph.source, paragraph.line
        figure += [shown, caption]


def _caption(cell):
    after = cell.next_node(descend=False, siblings=True)
    if not isinstance(after, nodes.paragraph):
        return None
    opening = next((child for child in after if child.astext()), None)
    return after if isinstance(opening, nodes.strong) and opening.astext() == BEGIN else None


def _choose(app, doctree, docname):
    for figure in doctree.findall(nodes.figure):
        for image in list(figure.findall(nodes.image)):
            found = image["uri"] in app.env.images  # else there is a warning
            if found and "drawn" in figure["classes"] and image["uri"].endswith(".svg"):
                image.replace_self(drawing("", **image.attributes))


def _visit(visitor, node):
    path = Path(visitor.builder.srcdir, node["uri"].lstrip("/"))
    name = node.parent["ids"][0]
    svg = path.read_text(encoding="utf-8")
    visitor.body.append(inline(svg, node.get("alt", ""), name))
    if 'class="step-' in svg:
        visitor.body.append(FILM)
    file = f"{visitor.builder.imgpath}/{quote(visitor.builder.images[node['uri']])}"
    visitor.body.append(f'<a class="enlarge" href="{file}">Enlarge</a>')
    raise nodes.SkipNode


def setup(app):
    app.add_node(drawing, html=(_visit, None))
    app.add_transform(Captions)
    app.connect("doctree-resolved", _choose)
    app.add_js_file("figures.js", loading_method="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
