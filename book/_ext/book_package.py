"""Let the book import the package from `code/`, and show its signatures and prose as written."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "code"))
SHAPED = re.compile(r"jaxtyping\.(\w+)\[(?:numpy\.)?ndarray, '([^']*)'\]")
HEADING = re.compile(r"^(\w.*)\n---+$", re.MULTILINE)
EQUATION = re.compile(r"(?<!::\n\n)(?<=\n\n)( {4}\S.*(?:\n {4}.*|\n(?=\n {4}))*)")
FORMULA = re.compile(r"\$([^$\n]+)\$")


def _signature(app, what, name, obj, options, arguments, returned):
    def as_written(text):
        return text and SHAPED.sub(r'\1[Array, "\2"]', text).replace("~numbers.", "")

    return as_written(arguments), as_written(returned)


def _docstring(app, what, name, obj, options, lines):
    text = HEADING.sub(r".. rubric:: \1\n", "\n".join(lines))
    text = EQUATION.sub(r".. code-block:: text\n    :class: equation\n\n\1", text)
    lines[:] = FORMULA.sub(r":math:`\1`", text).split("\n")


def setup(app):
    app.connect("autodoc-process-signature", _signature)
    app.connect("autodoc-process-docstring", _docstring)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
