"""Read notebooks, which are plain Markdown, as the site's own: equations and solutions.

A comment `<!-- eq-name -->` before a formula is its label, a link to `#eq-name` tells its number,
and the cell that checks an exercise is followed by the exercise's solution.
"""

import json
import re

LABELLED = re.compile(r"<!-- (eq-[\w-]+) -->\n\$\$\n(.*?)\n\$\$$", re.DOTALL | re.MULTILINE)
REFERENCE = re.compile(r"\[([^\]\n]+)\]\(#(eq-[\w-]+)\)")
CHECK = re.compile(r"^exercises\.(\w+\.\w+)\.check\(", re.MULTILINE)


def rich(text):
    """The Markdown of a cell, as MyST: each line stays the line it was."""
    text = LABELLED.sub(r"\n$$\n\2\n$$ (\1)", text)
    return REFERENCE.sub(r"\1 {eq}`\2`", text)


def with_solutions(cells):
    """The cells, and after each check of an exercise its solution, at the head of the next cell."""
    due = None
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            box = f"```{{solution-of}} {due}\n```\n\n" if due else ""
            due = None
            yield cell | {"source": box + rich(source)}
        else:
            found = CHECK.search(source)
            due = found[1] if found else due
            yield cell


def _read(app, docname, source):
    if app.env.doc2path(docname).endswith(".ipynb"):
        notebook = json.loads(source[0])
        notebook["cells"] = list(with_solutions(notebook["cells"]))
        source[0] = json.dumps(notebook)


def setup(app):
    app.connect("source-read", _read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
