"""Write the ways through the book, its minutes, and the map: `python -m tools ways`.

What a chapter needs stands in its box "You need"; a way has no chapter without those that it needs.
"""

import os
import re
from pathlib import Path

import nbformat

from attnbook import plots
from tools import toc
from tools.reproducible import ROOT

INDEX, MAP = ROOT / "book" / "index.md", ROOT / "book" / "_static" / "map.svg"
BEGIN, END = "% The ways, written by `make notebooks`", "% The ways end"
NAMES = {"gpus": "GPUs", "triton": "Triton", "flash attention": "FlashAttention", "scale": "why √d"}
NAMES |= {"heads": "several heads", "linear": "without the softmax", "online": "online softmax"}
NAMES |= {"precision": "short floats", "additive": "additive score", "twins": "twins in PyTorch"}
NAMES |= {"museum": "museum of bugs", "cost": "what it costs", "fused": "fused programs"}
NAMES |= {"flex attention": "FlexAttention", "transformer": "a Transformer", "teach": "teach it"}
NAMES |= {"weights": "what weights tell", "circuit": "circuit inside"}
CLOSED = re.compile(r"^> \*\*Aside.*(\n>.*)*", re.M)  # a note that opens when it is asked for
EXERCISE = re.compile(r"^\*(?:Predict|Write|Break) · \w+ · (\d+) min", re.M)
ROW = r"^(\d+\. \[.+?\]\({}\.ipynb\): .+?)(?: \*\(\d+ \+ \d+ min\)\*)?$"
# What a reader wants; the heading on the map; where the way leads, and where it goes on.
WAYS = {
    "**understand the Transformer**": (
        "Transformer",
        "three-ways positions",
        "modules teach",
    ),
    "**know why it is fast**": ("speed", "online", "roofline many-gpus triton"),
    "**find the bug in a mask**": ("masks", "museum", "libraries"),
    "**trust the numbers**": ("numbers", "scale museum", "error-budget"),
}


def needs(files, cells):
    """For each chapter the numbers of those that its box names."""
    for file, notebook in zip(files, cells, strict=True):
        text = next(c.source for c in notebook if "**You need.**" in c.source)
        box = "\n".join(line for line in text.splitlines() if line.startswith(">"))
        folder = Path(file).parent
        linked = re.findall(r"\]\(([^)#]+)\.ipynb", box)
        yield sorted({files.index(os.path.normpath(folder / link)) for link in linked})


def closed(wanted, before):
    """The chapters that are wanted, and all that they need."""
    found = set(wanted)
    while more := {b for n in found for b in before[n]} - found:
        found |= more
    return found


def reduced(before):
    """What each chapter needs, but for what one of those needs in turn."""
    return [
        [b for b in all_of if not any(b in closed(before[o], before) for o in all_of)]
        for all_of in before
    ]


def minutes(cells):
    """Of reading a chapter up to its exercises, without its closed notes.

    Words at 180 a minute, a minute and a half for each prediction, 24 seconds for each cell.
    """
    total, aside = 0, False
    for cell in cells:
        if cell.source.startswith("## Exercises"):
            break
        text = cell.cell_type == "markdown"
        open_text = CLOSED.sub("", cell.source)
        for part in re.split("^(?=#{1,3} )", open_text, flags=re.M) if text else [cell.source]:
            if text and (heading := re.match(r"#{1,3} (Aside)?", part)):
                aside = bool(heading[1])
            if not aside:
                words = len(re.findall(r"\w+", part)) / 180 if text else 0.4
                total += words + 1.5 * text * part.count("> **Predict.")
    return total


def exercise_minutes(cells):
    return sum(int(found) for cell in cells for found in EXERCISE.findall(cell.source))


def with_minutes(page, files, cells):
    """The first page, with the minutes behind each chapter of its list, in fives."""
    for file, notebook in zip(files, cells, strict=True):
        times = [5 * round(of(notebook) / 5) for of in (minutes, exercise_minutes)]
        row = ROW.format(file.removeprefix("book/"))
        page = re.sub(row, "\\1 *({} + {} min)*".format(*times), page, flags=re.M)
    return page


def name(file):
    plain = Path(file).stem.replace("-", " ")
    return NAMES.get(plain) or " ".join(NAMES.get(word, word) for word in plain.split())


def ways(files, before):
    """For each way its heading, its chapters, and those with which it goes on."""
    stems = [Path(file).stem for file in files]
    for wish, (heading, *ends) in WAYS.items():
        first, more = (closed([stems.index(s) for s in end.split()], before) for end in ends)
        yield wish, heading, sorted(first), sorted(more - first)


def table(files, before, times):
    """The ways as a table in Markdown."""
    rows = ["| You want to … | Chapters | Reading |", "|---|---|---|"]
    for wish, _, *parts in ways(files, before):
        for begin, some in zip((wish, "… and go on"), parts, strict=True):
            links = [f"[{name(files[n])}]({files[n].removeprefix('book/')}.ipynb)" for n in some]
            hours = round(sum(times[n] for n in some) / 15) / 4
            told = f"{'+ ' * (begin != wish)}{hours:g} h".replace(".25", "¼").replace(".5", "½")
            rows.append(f"| {begin} | {' · '.join(links)} | {told.replace('.75', '¾')} |")
    whole = round(sum(times) / 60)
    rows.append(f"| **walk the whole road** | all {len(files)}, in their order | {whole} h |")
    return "\n".join(rows)


def written():
    """The text of the first page, and the map."""
    files = toc.chapters()
    cells = [nbformat.read(ROOT / f"{file}.ipynb", as_version=4).cells for file in files]
    before = list(needs(files, cells))
    text = INDEX.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    rows = table(files, before, [minutes(notebook) for notebook in cells])
    page = f"{head}{BEGIN}\n\n{rows}\n\n{END}{rest.partition(END)[2]}"
    lines = {heading: (some, more) for _, heading, some, more in ways(files, before)}
    addresses = {name(file): f"../{file}.html" for file in files}  # for pages in book
    drawing = plots.ways_map(addresses, reduced(before), lines)
    return with_minutes(page, files, cells), drawing.svg


def main():
    page, drawing = written()
    INDEX.write_text(page, encoding="utf-8")
    MAP.write_text(drawing, encoding="utf-8")


if __name__ == "__main__":
    main()
