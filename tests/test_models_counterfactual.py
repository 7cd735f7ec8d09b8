"""Distances between distributions, and other weights under which a model says nearly the same."""

import math

import numpy as np
import pytest
import torch
from scipy.spatial.distance import jensenshannon

from attnbook.models import jensen_shannon, other_weights, total_variation
from attnbook.models.counterfactual import STEEP

KEYS, LENS = 6, torch.tensor([6, 4, 6])
MASK = torch.arange(KEYS) < LENS[:, None]


def rows(seed, mask=MASK):
    scores = torch.randn(mask.shape, generator=torch.Generator().manual_seed(seed)).double()
    return scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)


def test_total_variation_is_the_largest_difference_of_an_event():
    p, q = rows(0), rows(1)
    events = np.array(list(np.ndindex(*(2,) * KEYS)))
    largest = abs((p - q).numpy() @ events.T).max(axis=-1)
    np.testing.assert_allclose(total_variation(p, q), largest, atol=1e-15)


def disagreement(divergence):
    """How far it is from SciPy's, whose square is this divergence; zeros and equal rows too."""
    p, q = rows(0), rows(1)
    p = torch.cat([p, p, torch.eye(KEYS).double()[:2]])
    q = torch.cat([q, p[:3], torch.eye(KEYS).double()[1:3]])
    expected = jensenshannon(p, q, axis=-1) ** 2
    found = divergence(p, q).numpy()
    return np.nan_to_num(abs(found - expected), nan=np.inf).max()


def one_sided(p, q):
    return torch.where(p > 0, p * (2 * p / (p + q)).log(), 0).nan_to_num().sum(dim=-1)


def without_zeros(p, q):
    m = (p + q) / 2
    return ((p * (p / m).log()) + (q * (q / m).log())).sum(dim=-1) / 2


def in_bits(p, q):
    return jensen_shannon(p, q) / math.log(2)


def test_jensen_shannon_is_scipys():
    assert disagreement(jensen_shannon) < 1e-12  # some rounding, under a square root and back


@pytest.mark.parametrize("wrong", [one_sided, without_zeros, in_bits])
def test_a_wrong_divergence_is_found(wrong):
    assert disagreement(wrong) > 1e-3


def test_jensen_shannon_is_at_most_ln_2_and_has_a_gradient_at_0():
    p = torch.tensor([1.0, 0.0, 0.0]).double().requires_grad_()
    q = torch.tensor([0.0, 0.5, 0.5]).double()
    found = jensen_shannon(p, q)
    found.backward()
    assert found.item() == pytest.approx(math.log(2)) and p.grad.isfinite().all()


def distributions(values):
    """A model whose output is a softmax of the mixed values, of shape (3, n_k, n)."""
    return lambda weights: torch.einsum("rk,rkn->rn", weights, values).softmax(dim=-1)


def search(values, seek=other_weights, **settings):
    """How far the weights went, how far the output, and what lies on padding."""
    weights, predict = rows(0), distributions(values)
    other = seek(weights, predict, MASK, **settings)
    away = jensen_shannon(weights, other)
    moved = total_variation(predict(weights), predict(other))
    return away, moved, (other * ~MASK).sum(), other.sum(dim=-1)


def free_and_pinned():
    """Values that are all the same, which leave every freedom; and, in the last row, large ones
    that are all different, of as many numbers as there are keys."""
    values = torch.ones(3, KEYS, KEYS).double()
    values[2] = 30 * torch.eye(KEYS)
    return values


def check(seek=other_weights):
    away, moved, padding, sums = search(free_and_pinned(), seek)
    assert moved.max() <= 0.01 and padding == 0
    assert torch.allclose(sums, torch.ones(3).double())
    assert away[:2].min() > 0.3 > 0.1 > away[2]


def test_weights_are_found_where_they_are_free_and_only_there():
    check()


def nothing_found(weights, predict, mask):
    return weights


def everything_found(weights, predict, mask):
    return weights.flip(-1)


def on_padding(weights, predict, mask):
    return other_weights(weights, predict, torch.ones_like(mask))


@pytest.mark.parametrize("wrong", [nothing_found, everything_found, on_padding])
def test_a_search_that_finds_nothing_too_much_or_padding_is_found(wrong):
    with pytest.raises(AssertionError):
        check(wrong)


def test_a_row_outside_the_tolerance_keeps_its_weights():
    away, moved, _, _ = search(free_and_pinned(), steps=1)
    assert away[2] == moved[2] == 0
    assert STEEP * 0.1 > math.log(2)  # so a tenth outside costs more than any distance gains


def test_the_search_is_seeded_and_leaves_gradients_alone():
    values = free_and_pinned().requires_grad_()
    first, again = (other_weights(rows(0), distributions(values), MASK) for _ in range(2))
    assert torch.equal(first, again) and values.grad is None and not first.requires_grad
    assert not torch.equal(first, other_weights(rows(0), distributions(values), MASK, seed=1))


@pytest.mark.parametrize("settings", [{"tolerance": 0.0}, {"steps": 0}])
def test_a_search_without_room_or_steps_is_refused(settings):
    with pytest.raises(ValueError, match="expected above 0"):
        search(free_and_pinned(), **settings)


def test_distributions_of_other_lengths_are_refused():
    with pytest.raises(TypeError, match="q"):
        total_variation(torch.ones(3) / 3, torch.ones(4) / 4)
