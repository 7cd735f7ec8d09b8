"""Run the cells of a page as a notebook does, and send what they show.

`page` is the worker's: `page.send(kind, text)` takes "stdout", "stderr", "text",
"html", "svg", "error", "hint", or "progress", the record of the exercises as JSON.
"""

import ast
import linecache
import re
import traceback
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from io import TextIOBase

import page

import attnbook
from attnbook.exercises.engine import record


def markdown(text):
    from markdown_it import (
        MarkdownIt,
    )  # when it is needed first: many pages show no Markdown

    return MarkdownIt("commonmark").enable("table").render(text)


FORMATS = {  # a method of what is shown: the kind that is sent, what makes its text
    "_repr_svg_": ("svg", str),
    "_repr_html_": ("html", str),
    "_repr_markdown_": ("html", markdown),
}
MOST = 6  # lines of a traceback: a recursion has a thousand alike
ELSEWHERE = (
    "A page runs Python with NumPy, SciPy and Matplotlib; no packages can be "
    "installed there. For anything else, open the notebook on your own machine.\n"
)
OF_A_NOTEBOOK = re.compile(
    r"\s*([!%]|pip\b)"
)  # a line that Jupyter understands, and Python does not
HELP = {
    NameError: "If a cell above defines it, press Run or Check below that cell, then "
    "run this one. If it is a name of the book's own, such as exercises or np, press "
    "Restart at the top of the page: the next run begins with all cells above.\n",
    ModuleNotFoundError: ELSEWHERE,
}


class Stream(TextIOBase):
    def __init__(self, kind):
        self.kind = kind

    def write(self, text):
        page.send(self.kind, text)
        return len(text)


def ask(prompt=""):
    raise RuntimeError("a page cannot ask: write the text into the cell, not input()")


names = {"__name__": "__main__", "input": ask}


def run(source, cell):
    """Run the cell of this name; return whether it came to its end."""
    before = kept()
    with redirect_stdout(Stream("stdout")), redirect_stderr(Stream("stderr")):
        try:
            show(value(source, cell))
        except BaseException as error:  # whatever a reader's cell raises
            page.send("error", told(error))
            return False
        finally:
            if kept() != before:
                page.send("progress", kept())
    return True


def value(source, cell):
    """Run a cell; return the value of its last line, if that is an expression."""
    linecache.cache[cell] = len(source), None, source.splitlines(keepends=True), cell
    tree = ast.parse(source, cell)
    ends = tree.body and isinstance(tree.body[-1], ast.Expr)
    last = ast.Expression(tree.body.pop().value if ends else ast.Constant(None))
    exec(compile(tree, cell, "exec"), names)
    found = eval(compile(ast.fix_missing_locations(last), cell, "eval"), names)
    return None if source.rstrip().endswith(";") else found


def show(found):
    """Send an object in the richest form that it has."""
    if found is None:
        return
    for method, (kind, render) in FORMATS.items():
        form = getattr(found, method, None)
        if form and (text := form()) is not None:
            page.send(kind, render(text))
            return
    page.send("text", repr(found))


def told(error):
    """What a reader needs of a traceback: the lines of cells, and the error."""
    if isinstance(error, SyntaxError):
        help = ELSEWHERE if OF_A_NOTEBOOK.match(error.text or "") else ""
        return "".join([*traceback.format_exception_only(error), help])
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename.startswith("cell ")]
    lines = [f"{each.filename}, line {each.lineno}: {each.line}\n" for each in own]
    if len(lines) > MOST:
        lines = [*lines[:2], f"… {len(lines) - 3} lines …\n", lines[-1]]
    help = HELP.get(type(error), "")
    return "".join([*lines, *traceback.format_exception_only(error), help])


def kept():
    """The record of the exercises, as JSON."""
    path = record.path()
    return path.read_text(encoding="utf-8") if path.exists() else ""


def keep(text):
    """Go on from a record that the browser has kept."""
    if text:
        path = record.path()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def hint(exercise, number):
    """Send the hint of this number, if there is one."""
    from attnbook import exercises

    hints = exercises.find(exercise).hints
    if number <= len(hints):
        page.send("hint", f"Hint {number} of {len(hints)}: {hints[number - 1]}")
    return True


class Later:
    """The figures: Matplotlib is loaded when the first is drawn, no sooner."""

    def __getattr__(self, name):
        return getattr(import_module("attnbook.plots"), name)


attnbook.plots = Later()
