"""Make a numbered figure of each drawing: its cell's output, and the caption below the cell.

The caption is the paragraph after the cell that begins with **Figure.** The drawing becomes a part
of the page, so that it has the page's type, and in the dark the colours of a dark page.
"""

import html
import re
from functools import cache
from math import log
from pathlib import Path
from urllib.parse import quote

from docutils import nodes
from sphinx.transforms import SphinxTransform

BEGIN = "Figure."
COLOR = re.compile(r' (fill|stroke)="(#[0-9a-f]{6})"')
TAG = re.compile(r"<(?:path|text|tspan|rect|use|g)\b[^>]*>")
PREFIX = re.compile(r"\bf[0-9a-f]+-(?=\d+[\")])")
# OKLab (Ottosson, 2020): a colour's first coordinate is how light it is, the others are its hue.
TO_CONES = ((0.4122, 0.5363, 0.0514), (0.2119, 0.6807, 0.1074), (0.0883, 0.2817, 0.6300))
TO_LAB = ((0.2105, 0.7936, -0.0041), (1.9780, -2.4286, 0.4506), (0.0259, 0.7828, -0.8087))
FROM_LAB = ((1, 0.3963, 0.2158), (1, -0.1056, -0.0639), (1, -0.0895, -1.2915))
FROM_CONES = ((4.0767, -3.3077, 0.2310), (-1.2684, 2.6098, -0.3413), (-0.0042, -0.7034, 1.7076))
LUMINANCE = (0.2126, 0.7152, 0.0722)  # of red, green, blue; with FLARE, as WCAG 2.2 has it
FLARE = 0.05
WHITE, DARK_PAPER = 1 + FLARE, 0.0093 + FLARE
MIDDLE = (WHITE * FLARE) ** 0.5  # as far from black as from white
NAMED = {  # the colours of `attnbook.plots.style` that the page has too, and white
    "#fffefb": "var(--pst-color-background)",
    "#22252a": "var(--pst-color-text-base)",
    "#565d68": "var(--pst-color-text-muted)",
    "#dcd9d1": "var(--pst-color-border)",
    "#ffffff": "light-dark(#fff,#000)",  # numbers on dark cells
}
KEPT = ("#d55e00", "#009e73", "#cc79a7")  # its series, which stand out on either page


class drawing(nodes.image):
    """An image whose file becomes a part of the page."""


def _linear(channel):
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


def _encoded(channel):
    return 12.92 * channel if channel <= 0.0031308 else 1.055 * channel ** (1 / 2.4) - 0.055


def _turned(light):
    """White becomes the paper of dark pages, black white; contrasts stay nearly as they are."""
    if light < MIDDLE:
        return MIDDLE**2 / light
    power = log(MIDDLE / DARK_PAPER) / log(WHITE / MIDDLE)
    return DARK_PAPER * (WHITE / light) ** power


def _product(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def _luminance(rgb):
    return _product([LUMINANCE], rgb)[0] + FLARE


def _of(lightness, hue):
    cones = [cone**3 for cone in _product(FROM_LAB, (lightness, *hue))]
    return [min(max(channel, 0), 1) for channel in _product(FROM_CONES, cones)]


@cache
def in_the_dark(color):
    """The colour of the same hue that is as light on a dark page as this one is dark on paper."""
    rgb = [_linear(int(color[n : n + 2], 16) / 255) for n in (1, 3, 5)]
    _, *hue = _product(TO_LAB, [cone ** (1 / 3) for cone in _product(TO_CONES, rgb)])
    wanted, low, high = _turned(_luminance(rgb)), 0, 1
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if _luminance(_of(middle, hue)) < wanted else (low, middle)
    return "#" + "".join(f"{round(255 * _encoded(channel)):02x}" for channel in _of(high, hue))


def _either(color):
    if color in KEPT:
        return color
    return NAMED.get(color) or f"light-dark({color},{in_the_dark(color)})"


def _for_both(match):
    """A tag whose colours are those of the page's scheme."""
    tag = match[0]
    rules = [f"{name}:{_either(color)}" for name, color in COLOR.findall(tag)]
    if not rules:
        return tag
    end = "/>" if tag.endswith("/>") else ">"
    return f'{COLOR.sub("", tag).removesuffix(end)} style="{";".join(rules)}"{end}'


def inline(svg, alt, name):
    """The drawing as a part of a page in which no other has this name."""
    svg = PREFIX.sub(f"{name}-", TAG.sub(_for_both, svg))
    said = f'<svg role="img" aria-label="{html.escape(alt)}" style="fill:light-dark(#000,#fff)"'
    return svg.replace("<svg", said, 1)


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
    visitor.body.append(inline(path.read_text(encoding="utf-8"), node.get("alt", ""), name))
    file = f"{visitor.builder.imgpath}/{quote(visitor.builder.images[node['uri']])}"
    visitor.body.append(f'<a class="enlarge" href="{file}">Enlarge</a>')
    raise nodes.SkipNode


def setup(app):
    app.add_node(drawing, html=(_visit, None))
    app.add_transform(Captions)
    app.connect("doctree-resolved", _choose)
    app.add_js_file("figures.js", loading_method="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
