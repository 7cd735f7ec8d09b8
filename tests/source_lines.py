"""What begins at a line of a file: where the links beside the API's signatures lead."""

import re

from small_book import ROOT

BEGINS = re.compile(r"\s*(?:def|class) (\w+)")


def begun(path, number):
    """The function or the class that begins at this line of a file, with its decorators."""
    file = ROOT / path
    lines = file.read_text(encoding="utf-8").split("\n")[number - 1 :] if file.is_file() else []
    if lines and lines[0].lstrip().startswith(("@", "def ", "class ")):
        return next(found[1] for found in map(BEGINS.match, lines) if found)
