"""A project's passes may not hold what they are meant to do without: all scores at once."""

import numpy as np
import pytest

from attnbook import exercises
from attnbook.exercises.chapters.flash_attention import backward, forward


def all_scores_first(function):
    """The solution, beside an array of the scores of every query and key."""

    def holding(*arguments):
        q, k = arguments[1:3] if function is backward.backward else arguments[:2]
        every = q @ k.T
        return (every, *function(*arguments))[1:]

    return holding


@pytest.mark.parametrize("module", [forward, backward])
def test_a_pass_that_holds_all_scores_is_refused(module):
    (answer,) = module.exercise.parts()
    verdict = module.exercise.verdict(all_scores_first(answer))
    assert verdict.state == "wrong" and "MiB at its peak" in verdict.text
    assert module.exercise.verdict(answer).state == "right"


def test_the_pieces_of_a_reader_make_the_project():
    step = exercises.online.step.answer
    block_gradient = exercises.flash_attention.block_gradient.answer
    rng = np.random.default_rng(1)
    q, k, v = rng.standard_normal((3, 6, 4))
    out, lse = forward.forward(q, k, v, 2, 2, step)
    given = np.ones_like(out), q, k, v, out, lse, 2, 2
    grads = backward.backward(*given, block_gradient)
    for grad, wanted in zip(grads, backward.by_definition(*given), strict=False):
        np.testing.assert_allclose(grad, wanted, rtol=0, atol=1e-13)
