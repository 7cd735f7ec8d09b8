"""The arrays that tests use. All four sizes differ, so that no axis can be taken for another."""

import numpy as np

N_Q, N_K, D_K, D_V = 3, 5, 4, 6
BATCHES = [(), (2,), (2, 3), (2, 1, 3)]


def queries_keys_values(batch=(), dtype=np.float64):
    rng = np.random.default_rng(0)
    shapes = (N_Q, D_K), (N_K, D_K), (N_K, D_V)
    return [rng.standard_normal((*batch, *shape)).astype(dtype) for shape in shapes]


def scores(batch=(), dtype=np.float64, size=3):
    return size * np.random.default_rng(1).standard_normal((*batch, N_Q, N_K)).astype(dtype)


def matrices(dtype=np.float64, *shapes):
    """Parameters, divided by 2 so that their products stay near 1."""
    rng = np.random.default_rng(3)
    return [(rng.standard_normal(shape) / 2).astype(dtype) for shape in shapes]


def mask(batch=()):
    """Two keys in three are visible; query 0 sees nothing and query 1 sees everything."""
    mask = np.random.default_rng(2).random((*batch, N_Q, N_K)) < 2 / 3
    mask[..., 0, :], mask[..., 1, :] = False, True
    return mask


def assert_close(actual, expected, dtype=np.float64):
    """Equal but for rounding.

    A score sums 4 products of numbers near 1 and is off by some 2 eps, its exponential by as much
    relative to itself, a mix of 5 values by a few more. The largest difference seen is 2.2 eps; 16
    leaves room for another order of summation. A wrong formula is off by 10^10 eps in float64.
    """
    assert actual.shape == np.shape(expected)
    tolerance = 16 * np.finfo(dtype).eps
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)
