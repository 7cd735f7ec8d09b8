"""The diagram of alignment says what is true of its date."""

import pytest
from figures import figure_of, words

from attnbook import models, plots
from attnbook.plots import alignment


def letters():
    return [word for word in words(plots.alignment_diagram) if len(word) == 1]


def joined():
    """What a line of the right half joins: the symbol that is written, and letters of the text."""
    return {
        alignment.WRITTEN[symbol]: [alignment.TEXT[n] for n in looks]
        for symbol, looks in alignment.LOOKS.items()
    }


def check():
    text = models.letters_of([alignment.TEXT])
    assert text[1].item() == 11 and len(alignment.WRITTEN) == 10
    both = list(alignment.TEXT.replace(" ", "·") + alignment.WRITTEN)
    assert letters() == both * 2
    assert joined() == {"7": ["7"], "3": ["r", "s"], "8": ["8"]}
    assert all(sum(looks.values()) == pytest.approx(1) for looks in alignment.LOOKS.values())


def test_the_diagram_reads_and_writes_one_date_twice():
    check()
    lines = figure_of(plots.alignment_diagram).axes[0].lines
    assert len(lines) == 4 + sum(map(len, alignment.LOOKS.values()))


def test_a_symbol_that_looks_elsewhere_is_found(monkeypatch):
    monkeypatch.setitem(alignment.LOOKS, 9, {1: 1.0})
    with pytest.raises(AssertionError):
        check()
