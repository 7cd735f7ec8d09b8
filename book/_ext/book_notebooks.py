"""Read notebooks, which are plain Markdown, as the site's own: equations and solutions.

A comment `<!-- eq-name -->` before a formula is its label, a link to `#eq-name` tells its number,
`<!-- moving name -->` is a figure that a reader moves, and the cells that check an exercise are
followed by the exercise's solution.
"""

import json
import re

LABELLED = re.compile(r"<!-- (eq-[\w-]+) -->\n\$\$\n(.*?)\n\$\$$", re.DOTALL | re.MULTILINE)
REFERENCE = re.compile(r"\[([^\]\n]+)\]\(#(eq-[\w-]+)\)")
CHECK = re.compile(r"^exercises\.(\w+\.\w+)\.check\(", re.MULTILINE)


MOVING = re.compile(r"^<!-- moving (\w+) -->$", re.MULTILINE)
MOVED = (
    r'<div class="moving" data-figure="\1"><button type="button">Move it yourself</button></div>'
)


def rich(text):
    """The Markdown of a cell, as MyST: each line stays the line it was."""
    text = MOVING.sub(MOVED, text)
    text = LABELLED.sub(r"\n$$\n\2\n$$ (\1)", text)
    return REFERENCE.sub(r"\1 {eq}`\2`", text)


def with_solutions(cells):
    """The cells and their places, and before the next Markdown the solution of each check."""
    due = []
    for place, cell in enumerate(cells, 1):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            yield from due
            due = []
            yield cell | {"source": rich(source)}, place
        else:
            due += [(_solution(name, place), place) for name in CHECK.findall(source)]
            yield cell, place


def _solution(name, place):
    source = f"```{{solution-of}} {name}\n```"
    return {"cell_type": "markdown", "id": f"solution-{place}", "metadata": {}, "source": source}


def _read(app, docname, source):
    if app.env.doc2path(docname).endswith(".ipynb"):
        notebook = json.loads(source[0])
        cells, places = zip(*with_solutions(notebook["cells"]), strict=True)
        # what myst-nb adds to a line in a warning: as it is without the cells of solutions
        notebook["metadata"]["source_map"] = [10000 * place for place in places]
        source[0] = json.dumps(notebook | {"cells": cells})


def setup(app):
    app.connect("source-read", _read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
