"""The contract that every chapter keeps: one rule a function, each returns what it found wrong.

A rule takes a chapter (a notebook, its exercises) and returns sentences, none if all is well.
"""

import re
import statistics
from typing import NamedTuple

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


def words(text):
    return len(re.sub(r"[^\w\s'’-]|-{3,}", "", re.sub(r"\$[^$]+\$", "formula", text)).split())


def headings(chapter):
    return re.findall(r"^#+ (.+)$", "\n".join(cell.source for cell in prose(chapter)), re.M)


def promise(chapter):
    """A title, then a promise of at most 60 words, then what the reader needs."""
    first, *rest = prose(chapter)
    title, _, text = first.source.partition("\n")
    paragraph = text.strip().partition(":::")[0].strip()
    found = [] if re.match(r"# \S", title) else ["the first cell has no title"]
    if not 0 < words(paragraph) <= 60:
        found.append(f"the promise has {words(paragraph)} words; expected 1 to 60")
    need = "\n".join([first.source, *(cell.source for cell in rest[:1])])
    return found + ([] if ":class: need" in need else ["no box says what the reader needs"])


def imports_first(chapter):
    """The first code cell imports, and at most seeds a generator or sets how arrays print."""
    cells = [cell for cell in code(chapter) if cell.id != "install"]
    allowed = r"(import |from |    \w+,$|\)$|rng = np\.random\.|np\.set_printoptions\(|$)"
    lines = [line for line in cells[0].source.split("\n") if not re.match(allowed, line)]
    later = [c for c in cells[1:] if re.search(r"^(import|from) ", c.source, re.M)]
    found = [f"the first code cell does more than import: {line}" for line in lines]
    return found + ["a later cell imports" for _ in later]


def sizes(chapter):
    """Cells are short: code at most 20 lines and 5 in the median, prose at most 120 words."""
    lines = [cell.source.count("\n") + 1 for cell in code(chapter)]
    found = [f"a code cell has {n} lines; expected at most 20" for n in lines if n > 20]
    if statistics.median(lines) > 5:
        found.append(f"code cells have {statistics.median(lines)} lines in the median; at most 5")
    for cell in prose(chapter):
        if words(cell.source) > 120:
            found.append(f"a cell has {words(cell.source)} words; at most 120: {cell.source[:40]}")
    if not 30 <= len(chapter.cells) <= 100:
        found.append(f"the chapter has {len(chapter.cells)} cells; expected 30 to 100")
    return found


def alternative_text(chapter):
    """Every figure says in words what is to be seen."""
    found = []
    for cell in code(chapter):
        images = [o for o in cell.outputs if any(m.startswith("image/") for m in o.get("data", {}))]
        alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
        if images and words(alt) < 8:
            found.append(f"a figure has the alternative text {alt!r}: {cell.source[-40:]}")
    return found


def asks_before_it_shows(chapter):
    """At least eight times the reader is asked to predict, and then a code cell answers."""
    asked = [i for i, cell in enumerate(chapter.cells) if ":class: predict" in cell.source]
    found = [] if len(asked) >= 8 else [f"{len(asked)} predictions are asked for; at least 8"]
    for i in asked:
        if i + 1 == len(chapter.cells) or chapter.cells[i + 1].cell_type != "code":
            found.append(f"no code cell follows the prediction: {chapter.cells[i].source[:80]}")
    return found


def agreement(chapter):
    """Some cell asserts that two forms agree, and prints nothing."""
    asserts = r"assert_allclose|assert_array_equal|assert np\.(allclose|array_equal)"
    cells = [c for c in code(chapter) if re.search(asserts, c.source) and not c.outputs]
    return [] if cells else ["no cell asserts an agreement"]


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
    """A cell whose output varies is followed by a cell that asserts what the prose says of it."""
    cells = code(chapter)
    varying = [i for i, cell in enumerate(cells) if "nbval-ignore-output" in tags(cell)]
    bare = [i for i in varying if not any("assert" in c.source for c in cells[i + 1 : i + 2])]
    return [f"no assertion follows a varying output: {cells[i].source[:40]}" for i in bare]


def raises_what_it_shows(chapter):
    """A cell tagged as raising does raise: nbval does not look."""
    tagged = [c for c in code(chapter) if {"raises-exception"} & set(tags(c))]
    silent = [c for c in tagged if not any(o.output_type == "error" for o in c.outputs)]
    return [f"a cell tagged raises-exception does not: {c.source[:40]}" for c in silent]


def plain_words(chapter):
    """No word that tells the reader how easy it is."""
    text = "\n".join(cell.source for cell in prose(chapter))
    return [f"{w!r} stands in the prose" for w in PLAIN if re.search(rf"\b{w}\b", text, re.I)]


def exercises(chapter):
    """Five exercises or more, of all three kinds, each stated, checked and solved, in order."""
    kinds = {e.kind for e in chapter.exercises}
    found = [f"no exercise is a {k}" for k in ("Predict", "Write", "Break") if k not in kinds]
    if len(chapter.exercises) < 5:
        found.append(f"there are {len(chapter.exercises)} exercises; at least 5")
    stated = re.findall(r":label: ex-(\w+)-(\w+)", "\n".join(c.source for c in prose(chapter)))
    if [".".join(name) for name in stated] != [e.name for e in chapter.exercises]:
        found.append("the exercises stated are not those of the module, in its order")
    return found + [p for e in chapter.exercises for p in _exercise(chapter, e)]


def _exercise(chapter, exercise):
    label, text = exercise.name.replace(".", "-"), [c.source for c in prose(chapter)]
    statement = next((t for t in text if f":label: ex-{label}\n" in t), "")
    check = f"exercises.{exercise.name}.check("
    stubs = [c for c in code(chapter) if check in c.source]
    found = []
    if f"*{exercise.header()}*" not in statement:
        found.append(f"the statement of {exercise.name} lacks its header {exercise.header()!r}")
    if not any(t.strip().startswith(f":::{{solution-of}} {exercise.name}\n") for t in text):
        found.append(f"{exercise.name} has no solution box")
    if [o.get("text", "") for c in stubs for o in c.outputs] != ["Not attempted yet.\n"]:
        found.append(f"the stub of {exercise.name} does not print that it was not attempted")
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


RULES = (
    promise,
    imports_first,
    sizes,
    alternative_text,
    asks_before_it_shows,
    agreement,
    a_break,
    ending,
    measured_claims,
    raises_what_it_shows,
    plain_words,
    exercises,
    no_spoilers,
)
