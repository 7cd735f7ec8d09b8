"""The diagram of targets shows those that the package makes of the same text."""

from figures import figure_of

from attnbook import models, plots
from attnbook.plots import teaching


def asked(text):
    signs = models.WORD_SIGNS
    tokens = models.tokens_of(text, signs)[None]
    targets = models.answer_targets(tokens, signs.index("="), signs.index("_"))[0]
    return [None if t == models.IGNORED else signs[t] for t in targets.tolist()]


def test_what_should_be_said_is_what_the_package_asks_for():
    assert teaching.ASKED == asked(teaching.TEXT)
    assert [None, *teaching.ASKED[:-1]] != asked(teaching.TEXT)  # one place too late


def test_every_token_that_is_read_or_said_is_drawn():
    ax = figure_of(plots.targets_diagram).axes[0]
    said = [label.get_text() for label in ax.texts]
    for sign in set(teaching.TEXT):
        assert said.count(sign) == teaching.READ.count(sign) + teaching.ASKED.count(sign)
