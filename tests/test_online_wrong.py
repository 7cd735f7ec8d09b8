"""Wrong versions of attention by blocks, each rejected by a test that the right one passes."""

import itertools

import numpy as np
import pytest
from draw import N_K, N_Q, queries_keys_values
from test_online import CASES, right
from test_online import test_blocks_are_the_reference as forward
from test_online import test_the_way_back_needs_the_output_and_lse_alone as backward
from test_online import test_what_is_hidden_has_no_part_forward_or_backward as hidden
from wrong_versions import put

from attnbook import masks, online, reference


def by_definition(mask, rows, columns):
    """Each block cut out and asked, in loops."""
    places = [range(0, n, b) for n, b in zip(mask.shape[-2:], (rows, columns), strict=True)]
    some = np.zeros((*mask.shape[:-2], *map(len, places)), bool)
    every = np.zeros_like(some)
    for (i, top), (j, left) in itertools.product(*map(list, map(enumerate, places))):
        block = mask[..., top : top + rows, left : left + columns]
        some[..., i, j], every[..., i, j] = block.any((-1, -2)), block.all((-1, -2))
    return some, every


MASKS = {
    "causal": masks.causal_mask(9, 9),
    "cached": masks.causal_mask(3, 8),
    "window": masks.sliding_window_mask(8, 8, left=3),
    "padded": masks.padding_mask(np.array([5, 0]), 8),
    "random": np.random.default_rng(4).random((2, 3, 5, 7)) < 0.5,
}


def blocks_are_right(name):
    for rows, columns in itertools.product((1, 2, 3, 4, 10), repeat=2):
        found = online.visible_blocks(MASKS[name], rows, columns)
        expected = by_definition(MASKS[name], rows, columns)
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("name", MASKS)
def test_the_blocks_of_a_mask_are_those_that_loops_find(name):
    blocks_are_right(name)


def test_the_blocks_of_a_causal_mask_can_be_counted():
    some, every = online.visible_blocks(masks.causal_mask(64, 64), 8, 8)
    assert [int(np.sum(x)) for x in (~some, every, some & ~every)] == [28, 28, 8]


def test_a_size_of_nothing_is_refused():
    with pytest.raises(ValueError, match="block is 0; expected 1 or more"):
        online.visible_blocks(MASKS["causal"], 2, 0)


def exchanged(mask, rows, columns):
    return by_definition(mask, rows, columns)[::-1]


def sizes_exchanged(mask, rows, columns):
    return by_definition(mask, columns, rows)


def by_the_corner(mask, rows, columns):
    corners = mask[..., rows - 1 :: rows, ::columns]
    return corners, by_definition(mask, rows, columns)[1]


def without_the_last(mask, rows, columns):
    whole = mask[..., : mask.shape[-1] // columns * columns]
    return by_definition(whole, rows, columns)


@pytest.mark.parametrize("wrong", [exchanged, sizes_exchanged, by_the_corner, without_the_last])
def test_wrong_blocks_are_rejected(monkeypatch, wrong):
    put(monkeypatch, online, "visible_blocks", wrong)
    with pytest.raises(AssertionError):
        for name in MASKS:
            blocks_are_right(name)


@pytest.mark.parametrize("block", [1, 2, 3])
def test_only_blocks_in_which_something_is_visible_are_computed(monkeypatch, block):
    computed, whole = [], online.attention_with_lse

    def counted(q, k, *more, **options):
        computed.append(k.shape[-2])
        return whole(q, k, *more, **options)

    mask = np.zeros((N_Q, N_K), bool)
    mask[:, 1] = True
    put(monkeypatch, online, "attention_with_lse", counted)
    out, _ = online.attention_blockwise(*queries_keys_values(()), mask, block=block)
    assert len(computed) == 1
    np.testing.assert_array_equal(out, np.repeat(queries_keys_values(())[2][1:2], N_Q, axis=0))


def blockwise(merged=right, cut=lambda x, keys: x[..., keys], last=0, start=-np.inf):
    """`attention_blockwise` with a mistake."""

    def attention(q, k, v, mask=None, bias=None, scale=None, block=128):
        out = np.zeros((*q.shape[:-1], v.shape[-1]))
        lse = np.full(q.shape[:-1], start)
        for first in range(0, k.shape[-2] - last, block):
            keys = slice(first, first + block)
            given = [x if x is None else cut(x, keys) for x in (mask, bias)]
            part = online.attention_with_lse(q, k[..., keys, :], v[..., keys, :], *given, scale)
            out, lse = merged(out, lse, *part)
        return out, lse

    return attention


def first_block_of_all(x, keys):
    return x[..., : keys.stop - keys.start][..., : x.shape[-1] - keys.start]


def lse_of_the_last(out_a, lse_a, out_b, lse_b):
    return right(out_a, lse_a, out_b, lse_b)[0], lse_b


def shares_exchanged(out_a, lse_a, out_b, lse_b):
    return right(out_b, lse_a, out_a, lse_b)


def in_base_two(out_a, lse_a, out_b, lse_b):
    lse = np.logaddexp2(lse_a, lse_b)
    shift = np.where(lse == -np.inf, 0, lse)
    return np.exp2(lse_a - shift)[..., None] * out_a + np.exp2(lse_b - shift)[
        ..., None
    ] * out_b, lse


FORWARD = {
    "the last key is lost": blockwise(last=1),
    "L of the last block": blockwise(merged=lse_of_the_last),
    "the first block's mask for all": blockwise(cut=first_block_of_all),
    "shares exchanged": blockwise(merged=shares_exchanged),
    "merged in base two": blockwise(merged=in_base_two),
    "a start at 0": blockwise(start=0.0),
}


def every_forward_test():
    for case in CASES:
        for block in (2, 3):
            forward(case, block, ())


def test_the_pattern_of_the_wrong_versions_is_right(monkeypatch):
    put(monkeypatch, online, "attention_blockwise", blockwise(cut=online.blocks._cut))
    every_forward_test()


@pytest.mark.parametrize("name", FORWARD)
def test_a_wrong_pass_forward_is_rejected(monkeypatch, name):
    put(monkeypatch, online, "attention_blockwise", FORWARD[name])
    with pytest.raises(AssertionError):
        every_forward_test()


def way_back(
    delta=lambda grad, out, w, dw: np.sum(grad * out, axis=-1, keepdims=True),
    guard=lambda lse: np.where(np.isfinite(lse), lse, 0),
    weigh=lambda scores, lse, seen: np.where(seen, np.exp(scores - lse[..., None]), 0),
    biased=lambda scores, bias: scores + bias,
    added=lambda total, part: total + part,
    factor=lambda scale: scale,
):
    """`attention_blockwise_backward` with a mistake."""

    def gradients(grad, q, k, v, out, lse, mask=None, bias=None, scale=None, block=128):
        scale = q.shape[-1] ** -0.5 if scale is None else scale
        grad_q, grad_k, grad_v = map(np.zeros_like, (q, k, v))
        for first in range(0, k.shape[-2], block):
            keys = slice(first, first + block)
            here, values = k[..., keys, :], v[..., keys, :]
            scores = scale * q @ np.swapaxes(here, -1, -2)
            scores = scores if bias is None else biased(scores, bias[..., keys])
            seen = True if mask is None else mask[..., keys]
            w, dw = weigh(scores, guard(lse), seen), grad @ np.swapaxes(values, -1, -2)
            pull = factor(scale) * w * (dw - delta(grad, out, w, dw))
            grad_q = added(grad_q, pull @ here)
            grad_k[..., keys, :] = np.swapaxes(pull, -1, -2) @ q
            grad_v[..., keys, :] = np.swapaxes(w, -1, -2) @ grad
        return grad_q, grad_k, grad_v

    return gradients


BACKWARD = {
    "rowsum over the block": way_back(delta=lambda _, __, w, dw: (w * dw).sum(-1, keepdims=True)),
    "no rowsum": way_back(delta=lambda *_: 0),
    "a mean for the rowsum": way_back(delta=lambda g, o, *_: (g * o).mean(-1, keepdims=True)),
    "weights of the block alone": way_back(
        weigh=lambda scores, _, seen: reference.softmax(scores, np.broadcast_to(seen, scores.shape))
    ),
    "the mask ignored": way_back(weigh=lambda scores, lse, _: np.exp(scores - lse[..., None])),
    "the mask inverted": way_back(
        weigh=lambda s, lse, seen: np.where(np.logical_not(seen), np.exp(s - lse[..., None]), 0)
    ),
    "the bias ignored": way_back(biased=lambda scores, bias: scores),
    "L in base two": way_back(guard=lambda lse: np.where(np.isfinite(lse), lse / np.log(2), 0)),
    "queries of the last block": way_back(added=lambda total, part: part),
    "no scale": way_back(factor=lambda scale: 1),
    "the scale twice": way_back(factor=lambda scale: scale**2),
}


def every_test_backward():
    for case in set(CASES) - {"mask for all rows"}:
        backward(case, 2)


def test_the_pattern_of_the_wrong_ways_back_is_right(monkeypatch):
    put(monkeypatch, online, "attention_blockwise_backward", way_back())
    every_test_backward()


@pytest.mark.parametrize("name", BACKWARD)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_wrong_way_back_is_rejected(monkeypatch, name):
    put(monkeypatch, online, "attention_blockwise_backward", BACKWARD[name])
    with pytest.raises(AssertionError):
        every_test_backward()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_way_back_in_which_a_hidden_nan_counts_is_rejected(monkeypatch):
    put(monkeypatch, online, "attention_blockwise_backward", way_back())
    with pytest.raises(AssertionError):
        hidden(np.nan)
