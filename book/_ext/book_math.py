"""Typeset every formula while the book is built, with KaTeX inside V8 (mini-racer).

The page needs no script to show a formula and carries MathML for screen readers. A mistake in TeX
is a Sphinx warning with its file and line, so that `-W` refuses it.
"""

import atexit
import re
from functools import cache
from pathlib import Path

from docutils import nodes
from py_mini_racer import JSEvalException, MiniRacer
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

KATEX = Path(__file__).parent / "katex" / "katex.min.js"
NUMBERED = re.compile(r"\\(begin|end)\{(align|alignat|equation|gather)\}")
# What HTML knows of MathML, and what is so without being said.
SPARED = re.compile(r' xmlns="http://www.w3.org/1998/Math/MathML"|(?<=[";])margin-left:0em;')
LABEL = re.compile(r"\\label\{[^}]*\}")
TYPESET = """
function typeset(tex, displayMode) {
    const options = {displayMode, throwOnError: true, strict: "ignore"};
    return katex.renderToString(tex, options);
}
"""
log = logging.getLogger(__name__)


@cache
def _engine():
    engine = MiniRacer()
    atexit.register(engine.close)  # left to the collector at exit, mini-racer 0.14 hangs
    engine.eval("var self = globalThis;" + KATEX.read_text(encoding="utf-8"))
    engine.eval(TYPESET)
    return engine


@cache
def typeset(tex, display):
    """The HTML of a formula. Raises JSEvalException on a mistake."""
    # Sphinx numbers equations and resolves their labels; KaTeX must not do it again.
    tex = LABEL.sub("", NUMBERED.sub(r"\\\1{\2*}", tex))
    return SPARED.sub("", _engine().call("typeset", tex, display))


def _html(visitor, node, tex, display):
    try:
        return typeset(tex, display)
    except JSEvalException as error:
        message = re.search(r"KaTeX parse error: (.*)", str(error))
        log.warning("TeX: %s", message[1] if message else error, location=node, type="book_math")
        return f"<code>{visitor.encode(tex)}</code>"


def visit_math(visitor, node):
    short = " short" if len(node.astext()) <= 24 else ""  # styled not to break over lines
    visitor.body.append(visitor.starttag(node, "span", "", CLASS=f"math notranslate{short}"))
    visitor.body.append(_html(visitor, node, node.astext(), False) + "</span>")
    raise nodes.SkipNode


def _display_tex(node):
    tex = node.astext().strip()
    if node.get("nowrap"):
        return tex
    parts = [part.strip() for part in tex.split("\n\n") if part.strip()]
    parts = [rf"\begin{{split}}{part}\end{{split}}" if r"\\" in part else part for part in parts]
    if len(parts) == 1:
        return parts[0]
    return r"\begin{gathered}" + r"\\".join(parts) + r"\end{gathered}"


def visit_displaymath(visitor, node):
    visitor.body.append(visitor.starttag(node, "div", CLASS="math notranslate"))
    if node["number"]:
        visitor.body.append(f'<span class="eqno">({get_node_equation_number(visitor, node)})')
        visitor.add_permalink_ref(node, "Link to this equation")
        visitor.body.append("</span>")
    visitor.body.append(_html(visitor, node, _display_tex(node), True) + "</div>\n")
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("book_math", (visit_math, None), (visit_displaymath, None))
    app.add_css_file("katex/katex.min.css")
    app.add_js_file("katex/copy-tex.min.js", loading_method="defer")  # a copied formula is its TeX
    return {"parallel_read_safe": True, "parallel_write_safe": True}
