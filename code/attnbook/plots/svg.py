"""A figure as a small SVG that looks the same everywhere: plain text, short numbers, no chance."""

import io
import re
from xml.etree import ElementTree
from zlib import crc32

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from attnbook.colours import DAY, KINDS, name_of

SVG, LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
FAMILY = "'Book Sans', 'Source Sans 3', 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"
MATHS = "'Cambria Math', 'Times New Roman', serif"
DECIMAL = re.compile(r"-?\d*\.\d+(?:e-?\d+)?")
REFERENCE = re.compile(r"(?<=url\(#)[^)]+|(?<=^#)[\w-]+$")
CLASS = re.compile(r"paper$|step-\d+$")  # the ids that the page's own rules speak of
SHORT = 5  # letters, which fit their place in any font
PIXELS = 96 / 72  # of the page, for each point of the figure


def svg(figure, size):
    """The figure as text; `size` is that of most of its letters."""
    written = io.BytesIO()
    figure.savefig(written, format="svg")
    root = ElementTree.fromstring(written.getvalue())
    _simplify(root)
    _fit(root)
    _inherit(root, size)
    _name_colours(root)
    width, height = (float(root.get(side).removesuffix("pt")) for side in ("width", "height"))
    root.attrib |= {"width": f"{width * PIXELS:.0f}", "height": f"{height * PIXELS:.0f}"}
    del root.attrib["version"]
    _rename(root, "i")
    _rename(root, f"f{crc32(_text(root).encode()):x}-")  # several may stand in one page
    return _text(root)


def _text(root):
    ElementTree.register_namespace("", SVG[1:-1])
    return ElementTree.tostring(root, encoding="unicode").replace(" />", "/>")


def _simplify(parent):
    """Drop what draws nothing; write styles as attributes and numbers with two decimals."""
    _write_short(parent)
    kept = []
    for child in parent:
        _simplify(child)
        grouped = child.tag == SVG + "g" and not set(child.attrib) - {"id"}
        if grouped and not CLASS.match(child.get("id", "")):
            kept += child
        elif not _draws_nothing(child):
            kept.append(child)
    parent[:] = kept
    parent.tail = None
    if not (parent.text or "").strip():
        parent.text = None


def _draws_nothing(element):
    if element.tag in (SVG + "metadata", SVG + "style"):
        return True
    empty = element.tag == SVG + "defs" and not len(element)
    return empty or (element.get("fill") == "none" and "stroke" not in element.attrib)


def _write_short(element):
    attributes = element.attrib
    if LINK in attributes:
        attributes["href"] = attributes.pop(LINK).replace("\n", "")
        attributes.pop("target", None)  # a link opens where its reader is
    rules = attributes.pop("style", "").split(";")
    attributes |= {
        key.strip(): value for key, _, value in (r.partition(":") for r in rules) if value
    }
    for key, value in attributes.items():
        if key != "id":
            attributes[key] = DECIMAL.sub(_rounded, value).strip()
    if "d" in attributes:
        attributes["d"] = re.sub(r"\s*([A-Za-z])\s*", r"\1", attributes["d"])
    if attributes.get("transform", "").startswith(("rotate(0", "rotate(-0")):
        del attributes["transform"]


def _rounded(match):
    number = f"{float(match[0]):.2f}".rstrip("0").rstrip(".")
    return "0" if number == "-0" else re.sub(r"^(-?)0\.", r"\1.", number)


def _fit(root):
    """Say how long each text is, so that another font, where ours is missing, takes its place."""
    for text in root.iter(SVG + "text"):
        if len(text.text or "") > SHORT:
            font = FontProperties(
                family="Book Sans",
                size=float(text.get("font-size").removesuffix("px")),
                weight=int(text.get("font-weight", 400)),
                style=text.get("font-style", "normal"),
            )
            width = text_to_path.get_text_width_height_descent(text.text, font, False)[0]
            text.attrib |= {"textLength": f"{width:.1f}", "lengthAdjust": "spacingAndGlyphs"}


def _inherit(root, size):
    """What most elements share is said once."""
    for element in root.iter():
        family = element.attrib.pop("font-family", "").strip(" '")
        if family and element.tag == SVG + "tspan" and family != "Book Sans":
            known = family if family.startswith("KaTeX") else "KaTeX_Main"  # it has STIX's signs
            element.set("font-family", f"{known}, {MATHS}")
        if element.get("font-size", "").strip() == f"{size:g}px":
            del element.attrib["font-size"]
    for formula in root.iter(SVG + "g"):
        for part in formula.iter(SVG + "tspan"):
            if part.get("fill") == formula.get("fill"):
                part.attrib.pop("fill", None)
    root.attrib |= {"font-family": FAMILY, "font-size": f"{size:g}px"}
    root.attrib |= {"fill": DAY["black"], "stroke-linejoin": "round", "stroke-linecap": "butt"}


def _name_colours(root):
    """Name each colour beside it, so that a page's stylesheet can give that name its own."""
    for element in root.iter():
        given = {kind: element.get(kind, "none") for kind in KINDS}
        names = [f"{kind}-{name_of(c)}" for kind, c in given.items() if c.startswith("#")]
        if names:
            element.set("class", " ".join(names))


def _rename(root, prefix):
    """Number the ids that are used; the others go. Those made of content would differ by chance."""
    values = [value for element in root.iter() for value in element.attrib.values()]
    used = {name for value in values for name in REFERENCE.findall(value)}
    ids = {}
    for element in root.iter():
        name = element.attrib.pop("id", None)
        if name and CLASS.match(name):
            element.set("class", name)
        elif name in used:
            element.set("id", ids.setdefault(name, f"{prefix}{len(ids)}"))
    for element in root.iter():
        for key, value in element.attrib.items():
            element.set(key, REFERENCE.sub(lambda name: ids.get(name[0], name[0]), value))
