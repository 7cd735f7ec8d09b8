"""The contract that every chapter keeps: one rule a function, each returns what it found wrong.

A rule takes a chapter (a notebook, its exercises) and returns sentences, none if all is well. Why
there is such a rule, CONTRIBUTING.md says of each.
"""

import re
import statistics
from itertools import pairwise
from typing import NamedTuple

from cell_names import taken
from clocks import reads_a_clock

from tools.chapter_numbers import LINK

PREDICT = "> **Predict.** "
NEED = "> **You need.** "
EXERCISE = "### Exercise: "
RAW = re.compile(
    r":::|^```\{|\{[\w:-]+\}`|^\([\w-]+\)=|^:[\w-]+: |\$\$ \([\w-]+\)|^% |^</?\w+[^>]*>", re.M
)
KATEX_ALONE = re.compile(r"\\(?:[NRZ]|argmax|argmin|plim|[rR]eals?|infin|isin|exist|empty|sdot)\b")
TOLERANCE = re.compile(r"\b[ra]tol=(\d+\.?\d*(?:e[-+]?\d+)?)")
WHY = re.compile(r"Aside: .*tolerance")
NUMBER = re.compile(r"\bchapters?(?: |\n[ >#]*)\d+", re.IGNORECASE)
PLAIN = {"simply", "just", "obviously", "trivially", "clearly"}


class Chapter(NamedTuple):
    """A notebook, and the exercises of its module."""

    cells: list
    exercises: list


def code(chapter):
    return [cell for cell in chapter.cells if cell.cell_type == "code"]


def prose(chapter):
    return [cell for cell in chapter.cells if cell.cell_type == "markdown"]


def tags(cell):
    return cell.metadata.get("tags", [])


def at(cell):
    """How a rule names a cell: its id and its first line."""
    return f"cell {cell.id} ({cell.source.strip().partition(chr(10))[0][:60]})"


def words(text):
    return len(re.sub(r"[^\w\s'’-]|-{3,}", "", re.sub(r"\$[^$]+\$", "formula", text)).split())


def headings(chapter):
    return re.findall(r"^#+ (.+)$", "\n".join(cell.source for cell in prose(chapter)), re.M)


def promise(chapter):
    """A title, then a promise of at most 60 words, then what the reader needs."""
    first, *rest = prose(chapter)
    title, _, text = first.source.partition("\n")
    paragraph = text.strip().partition("\n> ")[0].strip()
    found = [] if re.match(r"# \S", title) else ["the first cell has no title"]
    if not 0 < words(paragraph) <= 60:
        found.append(f"the promise has {words(paragraph)} words; expected 1 to 60")
    need = "\n".join([first.source, *(cell.source for cell in rest[:1])])
    return found + ([] if NEED in need else ["no box says what the reader needs"])


def imports_first(chapter):
    """The first code cell imports, and at most seeds a generator or sets how arrays print."""
    cells = [cell for cell in code(chapter) if cell.id != "install"]
    allowed = r"(import |from |    \w+,$|\)$|rng = np\.random\.|np\.set_printoptions\(|$)"
    lines = [line for line in cells[0].source.split("\n") if not re.match(allowed, line)]
    later = [c for c in cells[1:] if re.search(r"^(import|from) ", c.source, re.M)]
    found = [f"the first code cell does more than import: {line}" for line in lines]
    return found + [f"{at(cell)} imports, and is not the first" for cell in later]


def sizes(chapter):
    """Code cells are short: at most 20 lines, and 5 in the median."""
    lines = {at(cell): cell.source.count("\n") + 1 for cell in code(chapter)}
    median = statistics.median(lines.values())
    found = [f"{place} has {n} lines; at most 20" for place, n in lines.items() if n > 20]
    if median > 5:
        found.append(f"code cells have {median} lines in the median; at most 5")
    return found


def alternative(cell):
    return cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")


def alternative_text(chapter):
    """Every figure says in words what is to be seen."""
    found = []
    for cell in code(chapter):
        images = [o for o in cell.outputs if any(m.startswith("image/") for m in o.get("data", {}))]
        alt = alternative(cell)
        if images and words(alt) < 8:
            found.append(f"{at(cell)} draws a figure whose alternative text is {alt!r}")
    return found


def captions(chapter):
    """Below each figure, and nowhere else, stands a caption that says what to see."""
    found = []
    for cell, after in pairwise([*chapter.cells, None]):
        if cell.cell_type == "code":
            drawn = any(m.startswith("image/") for o in cell.outputs for m in o.get("data", {}))
            if drawn != bool(after and after.source.startswith("**Figure.** ")):
                found.append(f"{at(cell)}: a figure and its caption do not go together")
    return found


def asks_before_it_shows(chapter):
    """At least six times the reader is asked to predict, and then a code cell answers."""
    asked = [i for i, cell in enumerate(chapter.cells) if PREDICT in cell.source]
    found = [] if len(asked) >= 6 else [f"{len(asked)} predictions are asked for; at least 6"]
    for i in asked:
        if i + 1 == len(chapter.cells) or chapter.cells[i + 1].cell_type != "code":
            found.append(f"{at(chapter.cells[i])} asks, and no code cell follows")
    return found


def agreement(chapter):
    """Some cell asserts that two forms agree, and prints nothing."""
    asserts = r"assert_allclose|assert_array_equal|assert np\.(allclose|array_equal)"
    cells = [c for c in code(chapter) if re.search(asserts, c.source) and not c.outputs]
    return [] if cells else ["no cell asserts an agreement"]


def tolerances(chapter):
    """A tolerance above 1e-3 has its reason: a comment beside it, or an aside beside the cell."""
    found, cells = [], [None, *chapter.cells, None]
    for before, cell, after in zip(cells, chapter.cells, cells[2:], strict=False):
        explained = any(each and WHY.search(each.source) for each in (before, after))
        if cell.cell_type == "code" and not explained:
            found += [f"{at(cell)} gives no reason for {line}" for line in _loose(cell)]
    return found


def _loose(cell):
    """The lines with a tolerance above 1e-3 and no comment, unless two things must differ."""
    for above, line in pairwise(["", *cell.source.split("\n")]):
        loose = any(float(number) > 1e-3 for number in TOLERANCE.findall(line))
        commented = "#" in line or above.lstrip().startswith("#")
        if loose and not commented and "assert not " not in line:
            yield line.strip()


def a_break(chapter):
    """Something is broken on purpose, under a heading that says so."""
    found = [h for h in headings(chapter) if re.search(r"\b(break|museum)\b", h, re.I)]
    return [] if found else ["no section breaks anything"]


def ending(chapter):
    """The chapter ends with what the reader can do now, and with further reading."""
    text = "\n".join(cell.source for cell in prose(chapter)[-6:])
    wanted = ("## What we have now", "You can now", "Further reading")
    return [f"the ending lacks {w!r}" for w in wanted if w not in text]


def measured_claims(chapter):
    """A cell whose output varies is followed by one that asserts what is said of it, but of times.

    No cell asserts a time: what a page says of one it says of a machine that it names.
    """
    cells = code(chapter)
    varying = [i for i, cell in enumerate(cells) if "nbval-ignore-output" in tags(cell)]
    varying = [i for i in varying if not reads_a_clock(cells[i].source)]
    bare = [i for i in varying if not any("assert" in c.source for c in cells[i + 1 : i + 2])]
    return [f"{at(cells[i])} varies, and no assertion follows" for i in bare]


def raises_what_it_shows(chapter):
    """A cell tagged as raising does raise: nbval does not look."""
    tagged = [c for c in code(chapter) if {"raises-exception"} & set(tags(c))]
    silent = [c for c in tagged if not any(o.output_type == "error" for o in c.outputs)]
    return [f"{at(cell)} is tagged raises-exception and raises nothing" for cell in silent]


def runs_again(chapter):
    """A reader may go back: no later cell, an exercise's least, takes a name that a cell reads."""
    cells = code(chapter)
    found = taken([cell.source for cell in cells])
    return [f"{at(cells[i])} reads {name}, which {at(cells[j])} takes" for i, name, j in found]


def plain_words(chapter):
    """No word that tells the reader how easy it is."""
    text = "\n".join(cell.source for cell in prose(chapter))
    return [f"{w!r} stands in the prose" for w in PLAIN if re.search(rf"\b{w}\b", text, re.I)]


def either_light(chapter):
    """No cell is called dark or pale: on a dark page what is strong is light."""
    texts = [cell.source for cell in prose(chapter)] + [alternative(c) for c in code(chapter)]
    found = re.findall(r"\b(?:dark|pale)(?:er|est|r|st)?\b", "\n".join(texts), re.I)
    return [f"{word!r} stands in the text; expected strong or faint" for word in found]


def exercises(chapter):
    """Four exercises or more, of all three kinds, each stated and checked, in order."""
    kinds = {e.kind for e in chapter.exercises}
    found = [f"no exercise is a {k}" for k in ("Predict", "Write", "Break") if k not in kinds]
    if len(chapter.exercises) < 4:
        found.append(f"there are {len(chapter.exercises)} exercises; at least 4")
    stated = re.findall(rf"^{EXERCISE}(.+)$", "\n".join(c.source for c in prose(chapter)), re.M)
    if stated != [e.title for e in chapter.exercises]:
        found.append("the exercises stated are not those of the module, in its order")
    return found + [p for e in chapter.exercises for p in _exercise(chapter, e)]


def _exercise(chapter, exercise):
    text = [cell.source for cell in prose(chapter)]
    statement = next((t for t in text if f"{EXERCISE}{exercise.title}\n" in t), "")
    check = f"exercises.{exercise.name}.check("
    stubs = [c for c in code(chapter) if check in c.source]
    found = []
    if f"*{exercise.header()}*" not in statement:
        header = f"the statement of {exercise.name} lacks its header {exercise.header()!r}"
        found.append(f"{header}, which make notebooks writes where {EXERCISE!r} begins the cell")
    if [o.get("text", "") for c in stubs for o in c.outputs] != ["Not attempted yet.\n"]:
        found.append(f"the stub of {exercise.name} does not print that it was not attempted")
    return found


def open_road(chapter):
    """The code cells outside exercises and closed notes, which every reader runs."""
    closed = False
    for cell in chapter.cells:
        if cell.cell_type == "markdown":
            for heading in re.findall(r"^#{1,3} .*", cell.source, re.M):
                closed = heading.startswith(("## Exercises", EXERCISE, "### Aside: "))
        elif not closed and cell.id != "install":
            yield cell


def one_sitting(chapter):
    """The open road takes 30 to 45 minutes with its predictions: at most 25 cells are run."""
    number = len(list(open_road(chapter)))
    return [] if number <= 25 else [f"the open road has {number} run cells; at most 25"]


def readable_anywhere(chapter):
    """Text is plain Markdown, and a formula plain TeX, which every viewer of notebooks shows."""
    found = []
    for cell in prose(chapter):
        if raw := RAW.search(cell.source):
            found.append(f"{at(cell)} shows {raw[0]!r} where MyST is not read")
        if command := KATEX_ALONE.search(cell.source):
            found.append(f"{at(cell)} has {command[0]}, which the site knows and no other viewer")
    return found


def no_spoilers(chapter):
    """No solution of more than one line stands in the notebook itself."""
    text = "\n".join(cell.source for cell in chapter.cells)
    return [
        f"the notebook contains the solution of {e.name}"
        for e in chapter.exercises
        if len(body := e.solution_markdown().split("```")[1].split("\n")[2:-1]) > 1
        and "\n".join(body) in text
    ]


def numbers_in_links(chapter):
    """The number of a chapter stands in a link, where a tool writes it, and nowhere else."""
    return [
        f"{at(cell)} has {number!r} outside a link: link it, or say its subject in words"
        for cell in chapter.cells
        for number in unlinked(f"{cell.source}\n{cell.get('outputs', '')}\n{cell.metadata}")
    ]


def unlinked(text):
    """Numbers of chapters outside links; "chapters 2 to 6" beside a source's address is its own."""
    for found in NUMBER.finditer(text := LINK.sub("", text)):
        line = text[text.rfind("\n", 0, found.start()) + 1 :].partition("\n")[0]
        if found[0][0] == "C" or "](http" not in line:
            yield found[0]


RULES = (
    promise,
    imports_first,
    sizes,
    alternative_text,
    captions,
    asks_before_it_shows,
    agreement,
    tolerances,
    a_break,
    ending,
    measured_claims,
    raises_what_it_shows,
    runs_again,
    plain_words,
    either_light,
    exercises,
    one_sitting,
    readable_anywhere,
    no_spoilers,
    numbers_in_links,
)
