"""Build the site into `_build/html`, warnings as errors. `--fresh` forgets earlier builds."""

import hashlib
import os
import re
import shutil
import subprocess
import sys

from tools import runtime, toc
from tools.command import ending, started
from tools.environment import ROOT, alone, disk_is_full

BUILT = ROOT / "_build"
COLOURS = "code/attnbook/colours.py"
MADE_OF = BUILT / "made-of"  # a digest of what Sphinx does not watch, written after a whole build
UNWATCHED = ("book/_ext", "book/_static", "book/_templates", COLOURS, "constraints.txt")
JUPYTER_BOOK = (
    "from tools import quiet_start; quiet_start(); from jupyter_book.cli.main import main; main()"
)
COMMAND = (sys.executable, "-c", JUPYTER_BOOK, "build", ".", "-W", "-n", "--keep-going")
COLOUR = re.compile(r"\x1b\[[\d;]*m")
SETTINGS = re.compile(r"myst(-nb)? v[\d.]+: ")  # all of them, on one line
PLACE = re.compile(r"(\.ipynb):(\d+)(\d{4})\b")  # 10000 times the cell + the line + 1
FAULT = re.compile(r"\b(WARNING|ERROR|CRITICAL): ")
BROKEN = re.compile(r"No module named '(?!attnbook|book_)|ImportError|Could not import extension")


def digest():
    """A digest of all that pages are made of, beside what Sphinx watches itself."""
    found = hashlib.sha256()
    for place in UNWATCHED:
        for path in [ROOT / place, *sorted((ROOT / place).rglob("*"))]:
            if path.is_file() and "__pycache__" not in path.parts:
                found.update(str(path.relative_to(ROOT)).encode() + path.read_bytes())
    return found.hexdigest()


def forget():
    """Have Sphinx read every page again."""
    shutil.rmtree(BUILT / ".doctrees", ignore_errors=True)


def left_out():
    """The notebooks that `_toc.yml` does not list, so that no page is made of them."""
    listed = toc.pages()
    notebooks = sorted(ROOT.glob("book/[!._]*/*.ipynb"))
    names = [path.relative_to(ROOT).with_suffix("").as_posix() for path in notebooks]
    return [f"{name}.ipynb" for name in names if name not in listed]


def readable(line, colours):
    """A line of the builder's, with a place in a notebook as its reader counts."""
    line = line if colours else COLOUR.sub("", line)
    return PLACE.sub(lambda found: f"{found[1]}, cell {found[2]}, line {int(found[3]) - 1}", line)


def run():
    """Run Jupyter Book, showing what it says; return its exit status and what it said."""
    environ = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    colours = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    output = []
    with started(COMMAND, cwd=ROOT, env=environ | {"PYTHONUNBUFFERED": "1"}, **pipe) as process:
        for line in process.stdout:
            if not SETTINGS.match(COLOUR.sub("", line)):
                output.append(readable(line, colours))
                print(output[-1], end="", flush=True)
    return process.returncode, "".join(output)


def faults(output):
    """The lines that begin a warning or an error, each once, to be said again at the end."""
    return list(
        dict.fromkeys(line for line in output.splitlines() if FAULT.search(COLOUR.sub("", line)))
    )


def why(output):
    """One sentence for what Jupyter Book said before it failed."""
    if disk_is_full(output):
        return "The disk is full: free some gigabytes, then run it again."
    if BROKEN.search(output):
        return "A package in .venv is missing or broken: remove the folder .venv, run it again."
    return "The book was not built: each warning and error is listed above."


def build():
    if any(page.startswith("book/numpy/") for page in toc.pages()):
        runtime.have()
    made_of = digest()
    if not MADE_OF.exists() or MADE_OF.read_text() != made_of:
        forget()
    status, output = run()
    if status:
        forget()  # it warns about a page only when it reads it
        sys.exit("\n".join([*faults(output), why(output)]))
    MADE_OF.write_text(made_of)
    for notebook in left_out():
        print(f"{notebook} is not in the book: _toc.yml does not list it.")


if __name__ == "__main__":
    with ending("Stopped before the book was built: run it again to go on."), alone():
        if "--fresh" in sys.argv:
            shutil.rmtree(BUILT, ignore_errors=True)
        try:
            build()
        except OSError as error:
            sys.exit(f"{error}\n{why(str(error))}")
