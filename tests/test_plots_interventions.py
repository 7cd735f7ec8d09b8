"""The diagram of changes behind a map has its weights, and each change once."""

import pytest
from figures import figure_of, words

from attnbook import models, plots
from attnbook.plots import interventions


def check():
    assert sum(interventions.WEIGHTS) == pytest.approx(1)
    assert max(interventions.WEIGHTS) == interventions.WEIGHTS[interventions.TOUCHED]
    (length,) = models.letters_of([interventions.TEXT])[1]
    assert length == len(interventions.WEIGHTS)
    shown = words(plots.interventions_diagram)
    letters = list(interventions.TEXT.replace(" ", "·"))
    assert [word for word in shown if len(word) == 1] == [interventions.WRITTEN, *letters]
    for _, name, meaning in interventions.CHANGES:
        assert shown.count(name) == shown.count(meaning) == 1


def test_the_diagram_has_the_letters_their_weights_and_three_changes():
    check()
    widths = [line.get_linewidth() for line in figure_of(plots.interventions_diagram).axes[0].lines]
    assert widths[: len(interventions.WEIGHTS)] == [0.6 + 6 * w for w in interventions.WEIGHTS]


def test_weights_that_do_not_sum_to_1_are_found(monkeypatch):
    monkeypatch.setattr(interventions, "WEIGHTS", (0.01, 0.01, 0.01, 0.11, 0.01, 0.84, 0.1))
    with pytest.raises(AssertionError):
        check()


def test_a_frame_around_another_letter_is_found(monkeypatch):
    monkeypatch.setattr(interventions, "TOUCHED", 1)
    with pytest.raises(AssertionError):
        check()
