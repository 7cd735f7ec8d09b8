"""What one test asks of two libraries, NumPy's functions and PyTorch's: each takes its arrays."""

import numpy as np
import pytest
import torch

from attnbook import pytorch, reference

BOTH = pytest.mark.parametrize("library", [reference, pytorch], ids=["numpy", "torch"])


def taken_by(library, *arrays):
    """Arrays as a library takes them; what is none stays as it is."""
    return [x if library is reference else tensor(x) for x in arrays]


def ones(library, *shape, dtype=float):
    (array,) = taken_by(library, np.ones(shape, dtype))
    return array


def tensor(x):
    return torch.from_numpy(x) if isinstance(x, np.ndarray) else x


def array(x):
    return x.numpy() if isinstance(x, torch.Tensor) else x
