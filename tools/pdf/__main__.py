"""Print the book that was built into `_build/attention.pdf`: `python -m tools pdf`."""

import sys

from tools.build import BUILT
from tools.command import ending
from tools.pdf.join import document, pages
from tools.pdf.printing import beginnings, launched, opened, printed, too_wide
from tools.pdf.sheets import half_empty

MADE = BUILT / "attention.pdf"


def main():
    html = document(BUILT / "html", pages())
    print("Printing the book twice, since its contents name pages: it takes minutes.", flush=True)
    with launched() as chromium:
        page = opened(chromium, html, BUILT / "html")
        if wide := too_wide(page):
            sys.exit(f"Not printed, since a sheet is too narrow for what begins with: {wide}")
        made = printed(page)
        sparse = half_empty(made, beginnings(page, made))
    MADE.write_bytes(made)
    for number in sparse:
        print(f"Page {number} is less than half full: what stands on the next one is too high.")
    print(f"The book is {MADE.relative_to(BUILT.parent)}, {len(made) / 1e6:.0f} MB.")


if __name__ == "__main__":
    with ending("Stopped before the book was printed."):
        main()
