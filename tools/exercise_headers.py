"""The line below an exercise's title in a notebook: kind, level, minutes, lines of a Write.

`make notebooks` writes it from the exercise that the next stub checks.
"""

import contextlib
import re
from importlib import import_module

from attnbook import exercises

STATEMENT = re.compile(r"(### Exercise: .+)\n\n(?:\*(?:Predict|Write|Break) · [^*\n]+\*\n\n)?")
CHECK = re.compile(r"^exercises\.(\w+\.\w+)\.check\(", re.MULTILINE)


def head(notebook):
    """Write the header of each exercise that the notebook states and checks."""
    with contextlib.suppress(ModuleNotFoundError):  # before an exercise imports Triton
        import_module("attnbook.kernels")
    name = None
    for cell in reversed(notebook.cells):
        if cell.cell_type == "code" and (found := CHECK.search(cell.source)):
            name = found[1]
        elif name and STATEMENT.match(cell.source):
            header = exercises.find(name).header()
            cell.source = STATEMENT.sub(
                lambda said, h=header: f"{said[1]}\n\n*{h}*\n\n", cell.source
            )
            name = None
