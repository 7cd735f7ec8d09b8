"""`attnbook.positions` and its twin in PyTorch, both on arrays: what one test asks of both."""

import numpy as np
import torch
from libraries import array, tensor

from attnbook import positions, pytorch

NAMES = (
    "frequencies",
    "stretched",
    "yarn",
    "sinusoidal",
    "rope",
    "rotate",
    "halves_from_neighbours",
    "neighbours_from_halves",
    "alibi_bias",
)


def on_arrays(function):
    """A function of tensors, on arrays, in float64 where PyTorch's default would be float32."""
    given = {"dtype": torch.float64} if function.__name__ in ("sinusoidal", "alibi_bias") else {}
    return lambda *args, **named: function(*map(tensor, args), **named, **given).numpy()


def on_tensors(function):
    """A function of arrays in the place of one of tensors."""

    def call(*args):
        out = function(*(array(x) for x in args if not _is_device(x)))
        return torch.from_numpy(np.ascontiguousarray(out))

    return call


def _is_device(x):
    return isinstance(x, torch.device)


class NumPy:
    """The functions as they are now: a test may have put a wrong one in the place of one."""

    module = positions

    def __getattr__(self, name):
        return getattr(self.module, name)

    def put(self, monkeypatch, name, wrong):
        monkeypatch.setattr(self.module, name, wrong)


class Torch:
    module = pytorch.positions

    def __getattr__(self, name):
        return on_arrays(getattr(self.module, name))

    def put(self, monkeypatch, name, wrong):
        monkeypatch.setattr(self.module, name, on_tensors(wrong))


BOTH = {"numpy": NumPy(), "torch": Torch()}
