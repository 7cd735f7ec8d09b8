"""What stands on the pages of a PDF, where its links lead, and what is wrong there."""

import re
import unicodedata
from ctypes import c_float, c_int
from typing import NamedTuple

from pypdfium2 import raw

FOOT = 60  # points, below which stand the chapter and the number of the page
ABOVE = 56  # points, the upper margin: Chromium 156 leads to places higher by as much
NUMBER = re.compile(r"(?:Exercise)?(\d+\.\d+)")


class Link(NamedTuple):
    """A link of a PDF: its page and words, the page that it leads to, and what begins there."""

    page: int
    words: str
    leads_to: int
    beginning: str


def bare(text):
    """The text without blanks and hyphens at the ends of lines, and each ligature as letters."""
    return re.sub(r"[\s\x02\ufffe]", "", unicodedata.normalize("NFKC", text))


def _target(pdf, link):
    """The index of the page to which a link leads, and the height there; None if to elsewhere."""
    dest = raw.FPDFLink_GetDest(pdf, link)
    if not dest:
        return None
    has, at = [c_int() for _ in range(3)], [c_float() for _ in range(3)]
    raw.FPDFDest_GetLocationInPage(dest, *has, *at)
    return raw.FPDFDest_GetDestPageIndex(pdf, dest), at[1].value - ABOVE


def links(pdf):
    """All links that lead to a page of the PDF itself."""
    texts = [page.get_textpage() for page in pdf]
    for number, page in enumerate(pdf):
        place, link = c_int(), raw.FPDF_LINK()
        while raw.FPDFLink_Enumerate(page, place, link):
            if target := _target(pdf, link):
                box = raw.FS_RECTF()
                raw.FPDFLink_GetAnnotRect(link, box)
                words = texts[number].get_text_bounded(box.left, box.bottom, box.right, box.top)
                below = texts[target[0]].get_text_bounded(bottom=FOOT, top=target[1])
                yield Link(number + 1, bare(words), target[0] + 1, bare(below))


def wrong_entries(pdf, contents):
    """The entries on the pages of contents that lead to another heading or name another page."""
    entries = [link for link in links(pdf) if link.page in contents]
    assert entries, "the contents have no links"
    return [
        link.words
        for link in entries
        if link.words.removesuffix(str(link.leads_to)) == link.words
        or not link.beginning.startswith(link.words.removesuffix(str(link.leads_to)))
    ]


def lost(pdf, lines):
    """The lines that the PDF does not hold whole; what is cut off at an edge it does not hold."""
    text = "".join(bare(page.get_textpage().get_text_range()) for page in pdf)
    return [line for line in lines if bare(line) not in text]


def _named(pdf, words):
    """The links that begin with these words, by the number of the exercise they lead to."""
    some = (link for link in links(pdf) if link.words.startswith(bare(words)))
    found = ((NUMBER.match(link.beginning), link) for link in some)
    return {number[1]: link for number, link in found if number}


def answered(pdf):
    """The numbers of the exercises from which links lead to the solution, and back to the card."""
    there, back = _named(pdf, "Solution on page"), _named(pdf, "The exercise on page")
    return {
        number
        for number in there.keys() & back.keys()
        if there[number].leads_to == back[number].page
        and there[number].page - back[number].leads_to in (0, 1, 2)  # at the end of its card
    }
