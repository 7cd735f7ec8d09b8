"""A project's passes may not hold what they are meant to do without, nor use what is elsewhere."""

import numpy as np
import pytest

from attnbook import exercises
from attnbook.distributed import Work, ring_backward_bytes, ring_bytes, visible_pairs
from attnbook.exercises.chapters.flash_attention import backward, forward
from attnbook.exercises.chapters.many_gpus import backward as ring_backward
from attnbook.exercises.chapters.many_gpus import counted
from attnbook.exercises.chapters.many_gpus import forward as ring_forward


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


def test_what_the_chapter_s_processes_count_a_ring_in_one_process_counts_too():
    work = Work(n=32, n_heads=1, n_kv_heads=1, d=4, itemsize=8)
    given = counted.drawn(np.random.default_rng(2), 4, 8, d_v=4)
    passes = exercises.many_gpus.forward, exercises.many_gpus.backward
    forth, back = (each.through(each.answer) for each in passes)
    out, lse, pairs, sent = forth(*given.values())
    assert pairs == np.sum(visible_pairs(32, 4, "zigzag"))
    assert sent * 8 == ring_bytes(work, 4)
    *_, pairs_back, sent_back = back(np.ones_like(out), *given.values(), out, lse)
    assert pairs_back == pairs and sent_back * 8 == ring_backward_bytes(work, 4)


def test_gradients_of_the_ring_are_those_of_differences():
    """The forward pass, moved a little in one entry, changes as the backward pass says."""
    given = counted.drawn(np.random.default_rng(3), 3, 2)
    passes = exercises.many_gpus.forward, exercises.many_gpus.backward
    forth, back = (each.through(each.answer) for each in passes)
    out, lse, *_ = forth(*given.values())
    weights = np.random.default_rng(4).standard_normal(out.shape)
    grads = dict(zip("qkv", back(weights, *given.values(), out, lse), strict=False))
    for name, grad in grads.items():
        at, step = (1, 1, 2), 1e-5
        moved = {x: array.copy() for x, array in given.items()}
        moved[name][at] += step
        up = np.sum(weights * forth(*moved.values())[0])
        moved[name][at] -= 2 * step
        down = np.sum(weights * forth(*moved.values())[0])
        # the error of a central difference is of the order of step², and of eps / step
        assert grad[at] == pytest.approx((up - down) / (2 * step), rel=0, abs=1e-8)


@pytest.mark.parametrize("module", [ring_forward, ring_backward])
def test_a_ring_that_sends_nothing_is_refused(module):
    (answer,) = module.exercise.parts()

    def without_send(*arguments):
        return answer(*arguments[:-1], lambda x: np.roll(x, 1, axis=0))

    verdict = module.exercise.verdict(without_send)
    assert verdict.state == "wrong" and "nothing has been sent" in verdict.text
