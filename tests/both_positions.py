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

    def assert_rejected(self, monkeypatch, name, change, claim):
        """A change of the function with this name, said in the words of NumPy."""
        function = getattr(self.module, name)
        one_line.assert_rejected(monkeypatch, function, change, lambda: claim(self))


class Torch(NumPy):
    module = pytorch.positions

    def __getattr__(self, name):
        return on_arrays(super().__getattr__(name))

    def assert_rejected(self, monkeypatch, name, change, claim):
        in_torch = change.replace("np.", "torch.").replace(".astype(", ".to(")
        super().assert_rejected(monkeypatch, name, in_torch, claim)


BOTH = {"numpy": NumPy(), "torch": Torch()}
