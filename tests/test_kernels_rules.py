"""Kernels under rules: the definition's answers both ways, and nothing looked at that is hidden."""

import re

import kernel_oracle as oracle
import numpy as np
import pytest
import torch

from attnbook import kernels
from attnbook.kernels import arguments
from attnbook.pytorch import rules
from attnbook.pytorch.options import Options

APART = torch.tensor([0, 1, 0, 1, 2] * 20)


def packed(*lengths):
    """The documents of so many places each."""
    return torch.repeat_interleave(torch.arange(len(lengths)), torch.tensor(lengths))


SIZES = {"square": (100, 100), "fewer": (70, 100), "more": (100, 70)}
of_each_batch = torch.stack([packed(10, 40, 50), packed(64, 1, 35)])
turned = torch.flip(packed(30, 40, 30), (0,))
RULES = {
    "window on both sides": lambda n_q, n_k: rules.sliding_window(9, 20),
    "prefix": lambda n_q, n_k: rules.prefix(40),
    "documents": lambda n_q, n_k: documents(packed(20, 50, 30), n_q, n_k),
    "documents of each batch": lambda n_q, n_k: documents(of_each_batch, n_q, n_k),
    "packed sequences": lambda n_q, n_k: rules.packed(
        torch.tensor([0, 20, 20, n_q]), torch.tensor([0, 30, 50, n_k])
    ),
    "documents in another order": lambda n_q, n_k: rules.documents(
        turned[:n_q], packed(30, 40, 30)[:n_k]
    ),
    "lengths of queries": lambda n_q, n_k: rules.padding(
        (torch.arange(2 * n_q).reshape(2, n_q) * 13) % (n_k + 1)
    ),
    "all": lambda n_q, n_k: (
        documents(of_each_batch, n_q, n_k)
        & rules.prefix(33)
        & rules.sliding_window(30, 8)
        & rules.padding(torch.tensor([60, 0]))
    ),
}
every_rule = pytest.mark.parametrize("name", RULES)
every_size = pytest.mark.parametrize("sizes", SIZES)


def documents(numbers, n_q, n_k):
    """The last queries stand at the last keys."""
    n = max(n_q, n_k)
    numbers = numbers[..., :n]
    return rules.documents(numbers[..., n - n_q :], numbers[..., n - n_k :])


def asked(sizes, seed=0):
    n_q, n_k = SIZES[sizes]
    return oracle.drawn((2, 2, n_q, 16), (2, 1, n_k, 16), seed=seed, count=4)


def test_every_field_of_a_rule_is_tried():
    tried = [{"rule": rule(*SIZES["square"])} for rule in RULES.values()]
    assert oracle.never_set(tried) == set()
    without = [{"rule": rules.prefix(3)}, {"causal": True, "window": 3}]
    assert oracle.never_set(without) == {"valid_lens", "documents"}


@every_size
@every_rule
def test_forward_is_the_definition(name, sizes):
    q, k, v, _ = asked(sizes)
    rule = RULES[name](*SIZES[sizes])
    out, lse = kernels.flash_attention_with_lse(q, k, v, rule=rule, softcap=5.0)
    assert_right(out, lse, oracle.definition(q, k, v, rule=rule, softcap=5.0), v)


def assert_right(out, lse, right, v):
    near = oracle.tolerance(torch.float32, np.where(np.isfinite(right[2]), right[2], 0), v)
    np.testing.assert_allclose(out.numpy(), right[0], rtol=0, atol=near)
    np.testing.assert_allclose(lse.numpy(), right[1], rtol=0, atol=near)


@every_size
@every_rule
def test_gradients_are_those_of_the_definition_both_ways_back(name, sizes):
    """Sums of at most 200 products of numbers below 5, in float32: 1e-4 is ten times their error,
    and a thousandth of what one key or query gives.
    """
    q, k, v, grad_out = asked(sizes)
    rule = RULES[name](*SIZES[sizes])
    out, lse = kernels.flash_attention_with_lse(q, k, v, rule=rule)
    expected = oracle.gradients(grad_out, q, k, v, rule=rule)
    for atomic in (False, True):
        grads = kernels.flash_attention_backward(
            grad_out, q, k, v, out, lse, rule=rule, atomic=atomic
        )
        for found, right in zip(grads, expected, strict=True):
            np.testing.assert_allclose(found.numpy(), right.numpy(), rtol=0, atol=1e-4)


def test_autograd_keeps_the_rule():
    q, k, v, grad_out = asked("fewer")
    rule = RULES["all"](*SIZES["fewer"])
    leaves = [x.clone().requires_grad_() for x in (q, k, v)]
    out = kernels.flash_attention(*leaves, rule=rule)
    found = torch.autograd.grad((out * grad_out).sum(), leaves)
    for x, right in zip(found, oracle.gradients(grad_out, q, k, v, rule=rule), strict=True):
        np.testing.assert_allclose(x.numpy(), right.numpy(), rtol=0, atol=1e-4)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of maxima of NaN
@pytest.mark.parametrize("bad", [torch.nan, torch.inf])
def test_hidden_documents_may_hold_anything_in_blocks_that_are_skipped(bad):
    """The keys of a document of whole blocks: no other one's queries meet them."""
    q, k, v, _ = oracle.drawn((1, 2, 128, 16), (1, 2, 128, 16), count=4)
    rule = documents(packed(64, 64), 128, 128)
    right = kernels.flash_attention(q, k, v, rule=rule)
    k[:, :, 64:], v[:, :, 64:] = bad, bad
    assert torch.equal(kernels.flash_attention(q, k, v, rule=rule)[:, :, :64], right[:, :, :64])


def blocks_read(rule, n=256, way="forward"):
    """How often a block of keys, or of queries on the way back over keys, is read."""
    q, k, v, grad_out = oracle.drawn((1, 1, n, 16), (1, 1, n, 16), count=4)
    out, lse = kernels.flash_attention_with_lse(q, k, v, rule=rule)
    wide = torch.zeros(1, 1, n, 17)  # rows that no descriptor takes: read by addresses
    q, k, v = (wide.clone()[..., :16].copy_(x) for x in (q, k, v))
    with kernels.watch() as seen:
        if way == "forward":
            kernels.flash_attention(q, k, v, rule=rule)
        else:
            kernels.flash_attention_backward(grad_out, q, k, v, out, lse, rule=rule, atomic=True)
    array = "v" if way == "forward" else "q"
    return sum(each.array == array for each in seen)


def needed(rule, n, rows=64, keys=32):
    """Blocks between the first and the last that a block of queries sees anything of."""
    mask = rule.mask(n, n).reshape(n // rows, rows, n // keys, keys).any(3).any(1)
    return int(mask.sum())


@pytest.mark.parametrize(
    "rule",
    [
        rules.sliding_window(40, 20),
        rules.prefix(64),
        rules.documents(*[packed(64, 128, 64)] * 2),
        rules.documents(*[packed(64, 128, 64)] * 2) & rules.causal(),
    ],
)
def test_blocks_that_nobody_sees_are_not_read(rule):
    n = 256
    assert blocks_read(rule) == needed(rule, n) < needed(rules.padding(torch.tensor([n])), n)
    assert blocks_read(rule, way="backward") == needed(rule, n)


def test_what_a_mask_of_causal_window_and_lengths_says_takes_no_intervals():
    q, k, _, _ = asked("square")
    for rule in (rules.causal(), rules.sliding_window(3), rules.padding(torch.tensor([3, 4]))):
        assert arguments.options(q, k, Options(rule=rule)).intervals is None
    lens = rules.padding(torch.ones(2, dtype=int))
    given = arguments.options(q, k, Options(causal=True, window=5, rule=lens))
    assert given.causal and given.window == 5 and given.valid_lens.tolist() == [1, 1]


def test_documents_that_lie_apart_are_refused():
    q, k, v, _ = asked("square")
    with pytest.raises(
        ValueError, match=re.escape("rule has documents whose keys are not contiguous")
    ):
        kernels.flash_attention(q, k, v, rule=rules.documents(APART, APART))
    with pytest.raises(ValueError, match="documents have the shapes"):
        kernels.flash_attention(q, k, v, rule=rules.documents(APART[:5], APART))
