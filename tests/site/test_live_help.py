"""What a page that runs says to a reader who is stuck: each time what to press."""

from running import NEEDS_PYTHON

pytestmark = NEEDS_PYTHON


def test_a_name_that_is_lost_is_told_with_what_to_press(live):
    opened = live("book/numpy/masks.html")
    number = opened.exercise("masks.causal_mask")
    check = "exercises.masks.causal_mask.check(causal_mask)"
    opened.write(number, f"def causal_mask(n_q, n_k):\n    return mine(n_q, n_k)\n\n{check}")
    told = opened.run(number)
    assert "NameError: name 'mine' is not defined" in told and "Run or Check below it" in told
    opened.write(number, f"del exercises\n{check}")
    told = opened.run(number)
    assert "NameError: name 'exercises' is not defined" in told
    assert "press Run or Check" in told and "press Restart at the top" in told
