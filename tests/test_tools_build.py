"""`make book` shows what changed, says where a mistake is, and ends in one sentence."""

import os
import signal
import subprocess
import sys
import time

import nbformat
import pytest
import yaml
from small_book import PAGES, ROOT, write_book

from tools import build

TINY = nbformat.v4.new_notebook(
    cells=[
        nbformat.v4.new_markdown_cell("# A notebook", id="a"),
        nbformat.v4.new_markdown_cell("One line.\n\nA line with [a bad link](#nowhere).", id="b"),
    ]
)


def start(folder, **variables):
    return subprocess.Popen(
        [sys.executable, "-m", "tools", "build"],
        cwd=folder,
        env=os.environ | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def built(folder, **variables):
    process = start(folder, **variables)
    said = process.communicate(timeout=300)[0]
    return process.returncode, said


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A small book, built at a time when SOURCE_DATE_EPOCH is set, as it is for notebooks."""
    folder = write_book(tmp_path_factory.mktemp("small"))
    status, said = built(folder, SOURCE_DATE_EPOCH="0")
    assert status == 0, said
    return folder


def test_the_year_on_the_page_is_the_one_in_the_settings(book):
    settings = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    year = settings["sphinx"]["config"]["html_context"]["since"]
    page = (book / "_build/html/book/second.html").read_text(encoding="utf-8")
    assert f"© {year} the authors" in page


def append(path, text):
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def holds(path, text):
    return text in path.read_text(encoding="utf-8")


def test_a_changed_stylesheet_arrives_in_the_built_site(book):
    append(book / "book/_static/book.css", "\n.a-new-rule {}\n")
    assert built(book)[0] == 0
    assert holds(book / "_build/html/_static/book.css", ".a-new-rule")


def test_what_is_written_to_a_file_has_no_colours_and_no_line_of_settings(book):
    said = built(book)[1]
    assert "\x1b" not in said and "ParserConfig" not in said
    coloured = "\x1b[01mreading sources... \x1b[39;49;00m[100%]"
    assert build.readable(coloured, colours=True) == coloured
    assert build.readable(coloured, colours=False) == "reading sources... [100%]"


def test_a_notebook_that_the_contents_lack_is_told(book):
    assert "is not in the book" not in built(book)[1]
    notebook = book / "book/numpy/sinks.ipynb"
    notebook.parent.mkdir()
    notebook.write_text(nbformat.writes(TINY), encoding="utf-8")
    status, said = built(book)
    notebook.unlink()
    assert status == 0
    assert said.endswith("book/numpy/sinks.ipynb is not in the book: _toc.yml does not list it.\n")


def test_a_changed_extension_arrives_in_the_built_site(book):
    append(book / "book/_ext/book_access.py", "\nMENDED['<p>'] = '<p class=\"new\">'\n")
    assert built(book)[0] == 0
    assert holds(book / "_build/html/book/index.html", '<p class="new">')


def test_a_mistake_in_a_notebook_is_named_by_cell_and_line(tmp_path):
    folder = write_book(tmp_path, PAGES | {"tiny.ipynb": nbformat.writes(TINY)})
    status, said = built(folder)
    assert status
    assert "tiny.ipynb, cell 2, line 3: WARNING" in said
    *_, again, last = said.splitlines()
    assert "tiny.ipynb, cell 2, line 3: WARNING" in again
    assert last == "The book was not built: each warning and error is listed above."


def test_each_warning_and_error_is_said_again_once():
    said = "reading\na.md:3: WARNING: it\nwriting\nb.md:1: ERROR: that\na.md:3: WARNING: it\n"
    assert build.faults(said) == ["a.md:3: WARNING: it", "b.md:1: ERROR: that"]
    assert build.faults("\x1b[91mWARNING: it") == ["\x1b[91mWARNING: it"]
    assert build.faults("WARNINGS: none, and an error is not one\n") == []


def test_ctrl_c_ends_the_build_in_one_sentence_and_leaves_no_process(book):
    process = start(book, PYTHONUNBUFFERED="1")
    said = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    rest = process.communicate(timeout=60)[0]
    assert process.returncode
    assert rest.endswith("\nStopped before the book was built: run it again to go on.\n")
    assert "Traceback" not in said + rest


def test_two_builds_at_once_wait_for_each_other(book):
    first = start(book)
    time.sleep(0.5)
    status, said = built(book)
    first.communicate(timeout=300)
    assert (first.returncode, status) == (0, 0)
    assert "Waiting for another make" in said
    assert "no targets are out of date" in said


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("OSError: [Errno 28] No space left on device", "The disk is full"),
        ("ModuleNotFoundError: No module named 'docutils'", "remove the folder .venv"),
        ("Could not import extension myst_nb", "remove the folder .venv"),
        ("No module named 'attnbook.no'", "each warning and error is listed above"),
        ("a.md:3: WARNING: something", "each warning and error is listed above"),
    ],
)
def test_each_cause_has_its_own_sentence(said, sentence):
    assert sentence in build.why(said)
