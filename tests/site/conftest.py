import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from browsing import Visit, launched, served

ROOT = Path(__file__).parents[2]
JUPYTER_BOOK = "from jupyter_book.cli.main import main; main()"
BUILD = [sys.executable, "-c", JUPYTER_BOOK, "build", ".", "-W", "-n", "--keep-going"]
INDEX = """# A book

```{eval-rst}
.. autofunction:: attnbook.reference.softmax
```
"""
REFERENCE = """@book{someone2020, author={Some One}, title={A Book}, publisher={Press}, year={2020},
  eprint={2001.00001}}"""


@pytest.fixture(scope="session")
def folder():
    """The built site."""
    built = ROOT / "_build" / "html"
    if not (built / "index.html").is_file():
        pytest.fail("the site is not built: run `make book SERVE=0` first")
    return built


@pytest.fixture(scope="session")
def site(folder):
    with served(folder) as url:
        yield url


@pytest.fixture(scope="session")
def browser():
    with launched() as browser:
        yield browser


@pytest.fixture
def visit(browser, site):
    """Open a page of the built site: visit(path, scheme=..., width=..., scripts=...)."""
    visits = []

    def open_page(path, **view):
        visits.append(Visit(browser, site, path, **view))
        return visits[-1]

    yield open_page
    for each in visits:
        each.context.close()


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """Build a small book with this book's settings: build({"page.md": text}, address)."""

    def run(pages, address=""):
        root = tmp_path_factory.mktemp("book")
        _write_book(root, {"index.md": INDEX, **pages}, address)
        done = subprocess.run(BUILD, cwd=root, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr, root / "_build" / "html"

    return run


def _write_book(root, pages, address):
    for part in ("_ext", "_static", "_templates"):
        shutil.copytree(ROOT / "book" / part, root / "book" / part)
    shutil.copytree(ROOT / "code", root / "code")
    for path, text in pages.items():
        (root / "book" / path).parent.mkdir(exist_ok=True)
        (root / "book" / path).write_text(text, encoding="utf-8")
    sources = (ROOT / "book" / "references.bib").read_text(encoding="utf-8")  # docstrings cite them
    (root / "book" / "references.bib").write_text(sources + REFERENCE, encoding="utf-8")
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    config["repository"]["url"] = address
    (root / "_config.yml").write_text(yaml.safe_dump(config), encoding="utf-8")
    chapters = [{"file": f"book/{Path(path).with_suffix('')}"} for path in pages]
    toc = {"format": "jb-book", "root": "book/index"}
    toc["chapters"] = [page for page in chapters if page["file"] != "book/index"]
    (root / "_toc.yml").write_text(yaml.safe_dump(toc), encoding="utf-8")
