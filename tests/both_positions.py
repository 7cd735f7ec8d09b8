"""`attnbook.positions` and its twin in PyTorch, both on arrays: what one test asks of both."""

import one_line
import torch
from libraries import tensor

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


class NumPy:
    """The functions as they are now: a test may have put a mistake into one."""

    module = positions

    def __getattr__(self, name):
        return getattr(self.module, name)

    def put(self, monkeypatch, name, change):
        one_line.put(monkeypatch, getattr(self.module, name), change)


class Torch:
    module = pytorch.positions

    def __getattr__(self, name):
        return on_arrays(getattr(self.module, name))

    def put(self, monkeypatch, name, change):
        """The change, said of NumPy, in the words of PyTorch."""
        in_torch = change.replace("np.", "torch.").replace(".astype(", ".to(")
        one_line.put(monkeypatch, getattr(self.module, name), in_torch)


BOTH = {"numpy": NumPy(), "torch": Torch()}
