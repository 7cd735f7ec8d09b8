"""The bibliography holds what the book cites, each source with an address, and nothing else."""

import re

import pytest
from book_citations import address, author
from pybtex.database import parse_file

from tools.reproducible import ROOT

ENTRIES = parse_file(str(ROOT / "book/references.bib")).entries
PAGES = [*ROOT.glob("book/*/*.ipynb"), *ROOT.glob("book/*.md")]
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
CODE = "\n".join(path.read_text(encoding="utf-8") for path in ROOT.glob("code/**/*.py"))


def is_cited(entry, text, code):
    """By a link to its address, or in a docstring by its first author's name and the year."""
    named = rf"{re.escape(author(entry))}[\w ,.]* \({entry.fields['year']}\)"
    return f"({address(entry.fields)})" in text or bool(re.search(named, code))


@pytest.mark.parametrize("key", ENTRIES)
def test_an_entry_has_an_address_and_is_cited(key):
    entry = ENTRIES[key]
    assert {"url", "doi", "eprint"} & set(entry.fields)
    assert is_cited(entry, TEXT, CODE)


def test_two_entries_never_share_an_address():
    addresses = [address(entry.fields) for entry in ENTRIES.values()]
    assert len(addresses) == len(set(addresses))


def test_an_entry_that_nobody_cites_is_found():
    entry = ENTRIES["vaswani2017attention"]
    assert is_cited(entry, "(https://arxiv.org/abs/1706.03762)", "")
    assert is_cited(entry, "", "Source: Vaswani et al. (2017), equation 1.")
    assert not is_cited(entry, "(https://arxiv.org/abs/1706.0376)", "Vaswani et al. (2018)")
