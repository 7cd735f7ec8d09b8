"""A small book with this book's settings, in a folder that the tools take for a clone."""

import shutil
from pathlib import Path

import nbformat
import yaml

from tools.install_cell import place
from tools.notebook_form import METADATA, normalise, parse
from tools.reproducible import ROOT

PARTS = ("tools", "code", "book/_ext", "book/_static", "book/_templates")
PAGES = {
    "index.md": "# A book\n\nHere $x + y$.\n",
    "second.md": "# A page\n\n$$ \\ln x $$\n",
}
HIDDEN = shutil.ignore_patterns("__pycache__", ".*")
REFERENCE = """@book{someone2020, author={Some One}, title={A Book}, publisher={Press}, year={2020},
  eprint={2001.00001}}"""


def notebook(*cells):
    """The text of a notebook with these cells."""
    return nbformat.writes(nbformat.v4.new_notebook(cells=cells, metadata=METADATA))


def figure(svg, caption, alt=""):
    """A cell that drew this, and the one below it."""
    data = {"image/svg+xml": svg, "text/plain": "<figure>"}
    output = nbformat.v4.new_output("execute_result", data=data, execution_count=1)
    metadata = {"mystnb": {"image": {"alt": alt}}}
    made = {"outputs": [output], "execution_count": 1, "metadata": metadata}
    return nbformat.v4.new_code_cell("draw()", **made), nbformat.v4.new_markdown_cell(caption)


def _write_settings(folder, address):
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    config["repository"]["url"] = address
    (folder / "_config.yml").write_text(yaml.safe_dump(config), encoding="utf-8")


def write_book(folder, pages=PAGES, address=""):
    """Write it into an empty folder; `address` is that of its repository."""
    for part in PARTS:
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    for path in [ROOT / "Makefile", *ROOT.glob("*.toml"), *ROOT.glob("*.txt")]:
        shutil.copy(path, folder)
    for name, text in pages.items():
        (folder / "book" / name).parent.mkdir(exist_ok=True)
        (folder / "book" / name).write_text(text, encoding="utf-8")
    cited = (ROOT / "book/references.bib").read_text(encoding="utf-8")  # docstrings do
    (folder / "book/references.bib").write_text(cited + REFERENCE, encoding="utf-8")
    _write_settings(folder, address)
    files = [f"book/{Path(name).with_suffix('')}" for name in pages]
    chapters = [{"file": file} for file in files if file != "book/index"]
    toc = {"format": "jb-book", "root": "book/index", "chapters": chapters}
    (folder / "_toc.yml").write_text(yaml.safe_dump(toc), encoding="utf-8")
    return folder


def write_published(folder, address):
    """The whole book, with the address of its repository and the install cells that it brings."""
    for part in ("book", "code", "tools"):
        shutil.copytree(ROOT / part, folder / part, ignore=HIDDEN)
    for name in ("_toc.yml", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    _write_settings(folder, address)
    for path in folder.glob("book/*/*.ipynb"):
        notebook = parse(path.read_text(encoding="utf-8"))
        place(notebook, address)
        path.write_text(normalise(notebook), encoding="utf-8")
    return folder
