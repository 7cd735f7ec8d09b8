"""What the check of an exercise says of an answer, as most tests of answers ask for it."""

from attnbook import exercises


def assert_wrong(name, answer, sentence):
    """The exercise refuses the answer, and begins with this cause."""
    verdict = exercises.find(name).verdict(answer)
    assert verdict.state == "wrong"
    assert verdict.text.startswith(f"Not yet: {sentence}"), verdict.text


def assert_right(name, answer):
    """The exercise takes the answer."""
    verdict = exercises.find(name).verdict(answer)
    assert verdict.state == "right", verdict.text
