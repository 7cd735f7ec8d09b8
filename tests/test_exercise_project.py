"""A project's passes may not hold what they are meant to do without, nor use what is elsewhere."""

import inspect
import json

import numpy as np
import pytest

from attnbook import exercises
from attnbook.distributed import Work, ring_backward_bytes, ring_bytes, visible_pairs
from attnbook.exercises.chapters.flash_attention import backward, forward
from attnbook.exercises.chapters.gradients import _differences as differences
from attnbook.exercises.chapters.gradients import trains_anyway as bugs
from attnbook.exercises.chapters.gradients.judge import judge, slopes
from attnbook.exercises.chapters.many_gpus import _counted as counted
from attnbook.exercises.chapters.many_gpus import backward as ring_backward
from attnbook.exercises.chapters.many_gpus import forward as ring_forward
from attnbook.exercises.engine.edits import made
from attnbook.masks import causal_mask
from attnbook.online import merge
from tools.reproducible import ROOT


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


def test_a_ring_that_reads_a_copy_of_what_lies_elsewhere_is_refused():
    """It sends, too, and throws away what has arrived."""

    def reads_a_copy(q, k, v, attend, send):
        kv, w = np.concatenate([k, v], axis=-1), len(q)
        half, d_k = q.shape[1] // 2, k.shape[-1]
        found = [attend(q[r], k[r], v[r], True) for r in range(w)]
        out, lse = map(np.stack, zip(*found, strict=True))
        for step in range(1, w):
            send(kv)
            for r in range(w):
                there = (r - step) % w
                rows = slice(0 if there < r else half, None)
                keys = kv[there, : half if there < r else None]
                part = attend(q[r, rows], keys[:, :d_k], keys[:, d_k:], False)
                out[r, rows], lse[r, rows] = merge(out[r, rows], lse[r, rows], *part)
        return out, lse

    verdict = ring_forward.exercise.verdict(reads_a_copy)
    assert verdict.state == "wrong" and "reads keys where they lie on another" in verdict.text


def test_a_judge_with_two_slips_hears_what_the_first_pass_that_it_fails_shows():
    """One tolerance for all sizes, and a shape that nobody compares: no known mistake has both."""

    def judge_like_the_chapter(forward, backward, *arrays):
        arrays = [x.astype(float) for x in arrays]
        found = []
        for n, grad in enumerate(backward(np.ones_like(forward(*arrays)), *arrays)):

            def loss(x, n=n):
                return np.sum(forward(*arrays[:n], x, *arrays[n + 1 :]))

            found.append(np.allclose(grad, slopes(loss, arrays[n]), rtol=0, atol=1e-8))
        return tuple(found)

    told = exercises.gradients.judge.verdict(judge_like_the_chapter).text
    assert "mixes up the features of G_O" in told and "right is False, False, False" in told


def verdicts(backward, heads, shared, n_q, n_k):
    """What the project's judge says of a pass on arrays of these sizes."""
    given = differences.drawn(
        np.random.default_rng(5), heads, shared, n_q, n_k, causal_mask(n_q, n_k)
    )
    _, q, k, v, theta, mask = given.values()

    def attend(*arrays):
        return differences.attend(*arrays, theta, mask)

    return judge(attend, lambda grad_out, *qkv: backward(grad_out, *qkv, theta, mask), q, k, v)


SIZES = {  # heads, shared heads, queries, keys: which gradients of the pass that trains are right
    (2, 1, 3, 3): (True, True, True),
    (2, 2, 3, 3): (True, True, True),
    (2, 1, 3, 5): (False, True, True),
    (4, 2, 3, 3): (True, False, False),
    (4, 2, 3, 5): (False, False, False),
}


@pytest.mark.parametrize("sizes", SIZES)
def test_the_pass_that_trains_is_right_on_sizes_that_agree_alone(sizes):
    assert verdicts(bugs.trains_well, *sizes) == SIZES[sizes]
    assert verdicts(bugs.mended, *sizes) == (True, True, True)


@pytest.mark.parametrize("left", bugs.trains_anyway())
def test_each_of_its_bugs_alone_is_rejected(left):
    """The mended pass with one line of the other."""
    lines = {x: inspect.getsource(x).splitlines() for x in (bugs.trains_well, bugs.mended)}
    lines[bugs.mended][left] = lines[bugs.trains_well][left]
    one_bug = made("mended", "\n".join(lines[bugs.mended]), bugs.mended)
    assert verdicts(one_bug, 4, 2, 3, 5) != (True, True, True)


def test_the_chapter_shows_the_pass_in_which_bugs_are_to_be_found():
    text = (ROOT / "book/numpy/gradients.ipynb").read_text(encoding="utf-8")
    sources = ["".join(cell["source"]) for cell in json.loads(text)["cells"]]
    assert inspect.getsource(bugs.trains_well).strip() in sources


def test_the_pieces_of_a_reader_make_an_endless_cache():
    """Step 2 with the step 1 of a reader, who moves the keys as complex numbers."""
    project = exercises.past_the_trained_length
    given = [c.arguments for c in project.endless.cases]
    for arguments in given:
        out = project.endless.answer(*arguments.values(), project.closed_gap.oracle)
        wanted, _ = project.endless.oracle(*arguments.values())
        np.testing.assert_allclose(out, wanted, rtol=0, atol=1e-13)
