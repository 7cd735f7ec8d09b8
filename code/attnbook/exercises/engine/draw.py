"""Arrays of random numbers by their names, as the arguments of a case."""

import numpy as np


def draw(rng, shapes, batch=(), dtype=np.float64):
    """Normal numbers in arrays of these shapes, each behind the axes of the batch."""
    arrays = {name: rng.standard_normal((*batch, *shape)) for name, shape in shapes.items()}
    return {name: x.astype(dtype) for name, x in arrays.items()}


def draw_qkv(rng, n_q, n_k, d_k=4, d_v=3, batch=(), dtype=np.float64):
    """Queries, keys and values."""
    return draw(rng, {"q": (n_q, d_k), "k": (n_k, d_k), "v": (n_k, d_v)}, batch, dtype)
