"""Every chapter keeps the contract, and every rule of the contract can fail."""

import re
from functools import cache
from pathlib import Path

import nbformat
import pytest
from contract import EXERCISE, PREDICT, RULES, Chapter, code, open_road, prose

from attnbook import exercises
from tools import toc
from tools.chapter_numbers import LINK
from tools.install_cell import place
from tools.reproducible import ROOT

ADDRESS = "https://github.com/someone/a-book"
BOOK = ROOT / "book"
NOTEBOOKS = sorted(BOOK.glob("*/*.ipynb"))
BY_NAME = {rule.__name__: rule for rule in RULES}


def module(path):
    """The name of a chapter's exercises."""
    return path.stem.replace("-", "_")


def chapter(path, address=None):
    """A chapter, with the install cell that an address brings."""
    mine = [e for e in exercises.every() if e.name.startswith(f"{module(path)}.")]
    notebook = nbformat.read(path, as_version=4)
    if address:
        place(notebook, address)
    return Chapter(notebook.cells, mine)


def test_every_chapter_of_exercises_has_a_notebook():
    assert set(exercises.CHAPTERS) <= {module(path) for path in NOTEBOOKS}


unspoiled = cache(chapter)  # a rule only reads it


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_the_chapter_keeps_the_rule(path, rule):
    assert rule(unspoiled(path)) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_the_chapter_keeps_every_rule_once_the_book_has_an_address(path):
    published = chapter(path, ADDRESS)
    assert [cell.id for cell in published.cells].count("install") == 1
    assert {r.__name__: found for r in RULES if (found := r(published))} == {}


CHAPTERS = toc.chapters()
INDEX = (BOOK / "index.md").read_text(encoding="utf-8")
ROWS = [f"book/{page}" for page in re.findall(r"^\w+\. \[[^]]+\]\((.+?)\.ipynb\)", INDEX, re.M)]


def unlisted(path):
    """The lists that lack a chapter: without them no page is built, or no exercise is checked."""
    page = path.relative_to(ROOT).with_suffix("").as_posix()
    lists = {
        "_toc.yml": (page, CHAPTERS),
        "book/index.md": (page, ROWS),
        "exercises.CHAPTERS": (module(path), exercises.CHAPTERS),
    }
    return [f"{name} lacks {it!r}" for name, (it, listed) in lists.items() if it not in listed]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_the_chapter_is_listed_wherever_it_must_be(path):
    assert unlisted(path) == []


def test_a_chapter_that_is_not_listed_is_told():
    assert unlisted(BOOK / "numpy/not-there.ipynb") == [
        "_toc.yml lacks 'book/numpy/not-there'",
        "book/index.md lacks 'book/numpy/not-there'",
        "exercises.CHAPTERS lacks 'not_there'",
    ]


def misnumbered(text, folder):
    """The links of a page whose text numbers another chapter than the one they lead to."""
    for number, target, _ in LINK.findall(text):
        page = (folder / target).resolve().relative_to(ROOT).with_suffix("").as_posix()
        if page not in CHAPTERS:
            yield f"{page} is no chapter of _toc.yml"
        elif number != str(CHAPTERS.index(page) + 1):
            yield f"Chapter {number} is {page}: run make notebooks"


@pytest.mark.parametrize("path", [*NOTEBOOKS, BOOK / "index.md"], ids=lambda path: path.name)
def test_a_link_to_a_chapter_has_its_number(path):
    assert list(misnumbered(path.read_text(encoding="utf-8"), path.parent)) == []


def test_a_link_with_another_number_is_found():
    links = "[Chapter 2](softmax.ipynb), [Chapter 3](softmax.ipynb#it), [Chapter 4](x.ipynb)"
    assert [*misnumbered(links, BOOK / "numpy")] == [
        "Chapter 3 is book/numpy/softmax: run make notebooks",
        "book/numpy/x is no chapter of _toc.yml",
    ]


def test_the_first_page_and_the_exercises_list_the_chapters_in_their_order():
    assert ROWS == CHAPTERS
    assert [*exercises.CHAPTERS] == [module(Path(page)) for page in CHAPTERS]
    numbers = re.findall(r"^(\d+)\. \[", INDEX, re.M)
    assert numbers == [str(n) for n in range(1, len(CHAPTERS) + 1)], "run make notebooks"


def first(cells, part):
    return next(cell for cell in cells if part in cell.source)


def spoil_promise(c):
    prose(c)[0].source = "# Title\n" + "word " * 61


def spoil_imports(c):
    code(c)[0].source += "\nx = 1"


def spoil_sizes(c):
    code(c)[1].source = "\n".join(["x = 1"] * 21)


def spoil_alt(c):
    next(cell for cell in code(c) if "image" in cell.metadata.get("mystnb", {})).metadata = {}


def spoil_caption(c):
    first(prose(c), "**Figure.**").source = "A figure without a caption."


def spoil_predict(c):
    i = next(i for i, cell in enumerate(c.cells) if PREDICT in cell.source)
    c.cells.insert(i + 1, nbformat.v4.new_markdown_cell("The answer is yes."))


def spoil_agreement(c):
    for cell in code(c):
        cell.source = cell.source.replace("assert", "print")


def spoil_tolerance(c):
    code(c)[1].source += "\nnp.testing.assert_allclose(1, 2, rtol=1e9)"


def spoil_break(c):
    for cell in prose(c):
        cell.source = cell.source.replace("## Break", "## Repair")


def spoil_ending(c):
    c.cells[-1].source = "The end."


def spoil_measured(c):
    code(c)[1].metadata.tags = ["nbval-ignore-output"]


def spoil_raises(c):
    code(c)[1].metadata.tags = ["raises-exception"]


def spoil_names(c):
    first(code(c), ".check(").source += "\nhead = ..."


def spoil_words(c):
    prose(c)[3].source += " This is obviously so."


def spoil_shades(c):
    prose(c)[3].source += " The darker a cell, the larger its weight."


def spoil_exercises(c):
    first(code(c), ".check(").outputs = []


def spoil_header(c):
    cell = first(prose(c), EXERCISE)
    cell.source = cell.source.replace(" min", " minutes")


def spoil_order(c):
    c.exercises.reverse()


def spoil_surprise(c):
    long = next(e for e in c.exercises if e.kind == "Write")
    code(c)[-1].source = long.solution_markdown().split("```")[1].removeprefix("python\n")


def spoil_number_of_cells(c):
    c.cells[3:3] = [nbformat.v4.new_code_cell("x") for _ in range(26)]


def spoil_markup(c):
    prose(c)[3].source += " {cite}`vaswani2017attention`"


def spoil_number(c):
    prose(c)[3].source += " As in Chapter 1."


def spoil_formula(c):
    prose(c)[3].source += r" Here $\R^n$."


def test_what_is_closed_is_not_on_the_open_road():
    code, prose = nbformat.v4.new_code_cell, nbformat.v4.new_markdown_cell
    cells = [
        *(prose("# It\n\n> **Aside: why.** Closed.\n> More.\n\nOpen again."), code("open")),
        *(prose("### Aside: a table\n\nClosed."), code("closed")),
        *(prose("## Next\n\nOpen."), code("open, too")),
        *(prose("### Exercise: it\n\nClosed."), code("closed")),
    ]
    assert [cell.source for cell in open_road(Chapter(cells, []))] == ["open", "open, too"]


SPOILED = [
    ("promise", spoil_promise),
    ("imports_first", spoil_imports),
    ("sizes", spoil_sizes),
    ("alternative_text", spoil_alt),
    ("captions", spoil_caption),
    ("asks_before_it_shows", spoil_predict),
    ("agreement", spoil_agreement),
    ("tolerances", spoil_tolerance),
    ("a_break", spoil_break),
    ("ending", spoil_ending),
    ("measured_claims", spoil_measured),
    ("raises_what_it_shows", spoil_raises),
    ("runs_again", spoil_names),
    ("plain_words", spoil_words),
    ("either_light", spoil_shades),
    ("exercises", spoil_exercises),
    ("exercises", spoil_header),
    ("exercises", spoil_order),
    ("one_sitting", spoil_number_of_cells),
    ("readable_anywhere", spoil_markup),
    ("readable_anywhere", spoil_formula),
    ("no_spoilers", spoil_surprise),
    ("numbers_in_links", spoil_number),
]


def test_every_rule_is_shown_to_fail():
    assert {name for name, _ in SPOILED} == set(BY_NAME)


def test_contributors_are_told_each_rule_and_its_reason():
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (.+) \| (.+) \|$", page, re.M)
    assert [name for name, _, _ in rows] == [rule.__name__ for rule in RULES]


@pytest.mark.parametrize(("name", "spoil"), SPOILED, ids=lambda x: getattr(x, "__name__", x))
def test_a_spoiled_chapter_breaks_the_rule(name, spoil):
    spoiled = chapter(NOTEBOOKS[0])
    assert BY_NAME[name](spoiled) == []
    spoil(spoiled)
    assert BY_NAME[name](spoiled) != []
