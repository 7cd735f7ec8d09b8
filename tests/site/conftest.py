"""The built site, a browser that visits it, and small books that are built for one test."""

import subprocess
from functools import cache, partial

import pytest
from browsing import Window, launched, served
from running import PAGE, Live
from small_book import ROOT, write_book

from tools.build import COMMAND

INDEX = """# A book

```{eval-rst}
.. autofunction:: attnbook.reference.softmax
```
"""


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


@pytest.fixture(scope="session")
def open_in(browser):
    """Open a page of a site: open_in(root, path, scheme=..., width=..., scripts=...)."""
    windows = {scripts: Window(browser, scripts) for scripts in (True, False)}
    return lambda *page, scripts=True, **view: windows[scripts].open(*page, **view)


@pytest.fixture
def visit(open_in, site):
    """Open a page of the built site: visit(path, scheme=..., width=..., scripts=...)."""
    return partial(open_in, site)


@pytest.fixture
def live(visit):
    """Open a page that runs: live(path, width=...)."""
    return lambda path=PAGE, **view: Live(visit(path, **view).page)


@pytest.fixture(scope="module")
def running(browser, site):
    """Pages that run, each opened once for the tests of a file: running(path)."""
    pages = []

    @cache
    def opened(path):
        window = Window(browser).open(site, path)
        pages.append(window.page)
        return Live(window.page, window)

    yield opened
    for page in pages:
        page.context.close()


@pytest.fixture
def live_on(running):
    """A page that runs, as the book has it, in a Python that goes on: live_on(path).

    To begin one takes many seconds. So what needs no new one, and no page that nobody has used,
    goes on where the test before it ended.
    """
    return lambda path=PAGE: running(path).as_it_was()


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """Build a small book with this book's settings: build({"page.md": text}, address)."""

    def run(pages, address=""):
        root = tmp_path_factory.mktemp("book")
        write_book(root, {"index.md": INDEX, **pages}, address)
        done = subprocess.run(COMMAND, cwd=root, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr, root / "_build" / "html"

    return run
