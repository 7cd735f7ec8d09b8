"""The numbers of chapters: `_toc.yml` gives them, `make notebooks` writes them, nobody types one.

They stand in links of the whole book, `[Chapter 7](../numpy/scale.ipynb)`, and in the list of
book/index.md, which is sorted by them. In a new one any word holds the place: `[Chapter N](…)`.
"""

import os
import re
from pathlib import Path

from tools import toc

LINK = re.compile(r"\[Chapter (\w+)\]\(([^()#\s]+\.ipynb)(#[^()\s]*)?\)")
ROW = re.compile(r"(\w+)\. (\[.+?\]\(([^()#\s]+\.ipynb)\).*\n)")
LIST = re.compile(r"(?:^\w+\. \[.+?\]\([^()#\s]+\.ipynb\).*\n)+", re.MULTILINE)


def numbered(text, page, order):
    """The text of a page with the numbers that this order gives; what leads elsewhere stays."""
    folder = Path(page).parent
    numbers = {os.path.relpath(f"{page}.ipynb", folder): n for n, page in enumerate(order, 1)}

    def link(found):
        n = numbers.get(os.path.normpath(found[2]), found[1])
        return f"[Chapter {n}]({found[2]}{found[3] or ''})"

    def rows(found):
        listed = {row[3]: row[2] for row in ROW.finditer(found[0])}
        if not listed.keys() <= numbers.keys():
            return found[0]
        return "".join(
            f"{numbers[each]}. {listed[each]}" for each in sorted(listed, key=numbers.get)
        )

    return LIST.sub(rows, LINK.sub(link, text))


def main():
    order = toc.chapters()
    for path in [*sorted(Path("book").glob("[!.]*/*.ipynb")), Path("book/index.md")]:
        before = path.read_text(encoding="utf-8")
        if (after := numbered(before, path, order)) != before:
            path.write_text(after, encoding="utf-8")
            print(f"{path}: the numbers of chapters are written anew")


if __name__ == "__main__":
    main()
