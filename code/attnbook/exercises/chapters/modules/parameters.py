"""What is learned, and what is saved · easy · 6 min

Hints
1. Go through the attributes one by one: is it a parameter, a module, a buffer, or something that
   the module does not look at?
2. `w_q` and `w_k` are two names of one layer. An optimiser must not change it twice; a state has a
   line for each name.
3. With shared heads, W_k and W_v have as many columns as the key-value heads need: 2 · 12 / 4.

Why
`parameters()` lists the layer once, 6 · 4 + 4 = 28, and `scale`, 4: that is 32. The list and the
plain mask are not registered. The state has the layer under both of its names, 28 + 28, the 4 of
`scale` and the 6 of the buffer: 66. In the third module W_q and W_o have 12 · 12 + 12 = 156 numbers
each, and W_k and W_v, for two heads of width 3, have 12 · 6 + 6 = 78 each: 468.

Notice
The same layer under two names is called tied weights: many models use one matrix to read words and
to write them.
"""

import torch
from torch import nn

from attnbook.exercises.engine import predict
from attnbook.pytorch import MultiHeadAttention


class Puzzle(nn.Module):
    """A layer with two names, a list, a parameter, a buffer and a plain tensor."""

    def __init__(self):
        super().__init__()
        self.w_q = nn.Linear(6, 4)
        self.w_k = self.w_q
        self.w_v = [nn.Linear(6, 4)]
        self.scale = nn.Parameter(torch.ones(4))
        self.register_buffer("angles", torch.zeros(3, 2))
        self.mask = torch.ones(3, 3)


def parameters():
    """How many numbers are learned and saved, and how many a layer with shared heads learns."""
    puzzle = Puzzle()
    shared = MultiHeadAttention(d_model=12, n_heads=4, n_kv_heads=2, bias=True)
    parts = puzzle.parameters(), shared.parameters()
    learned, more = (sum(p.numel() for p in part) for part in parts)
    return [learned, sum(x.numel() for x in puzzle.state_dict().values()), more]


MISTAKES = """
a layer with two names is one layer, and `parameters()` lists it once.
    [60, 66, 468] || [84, 66, 468] || [88, 94, 468]
a Python list is not looked into: nothing in it is learned or saved.
    [60, 94, 468] || [32, 94, 468] || [56, 90, 468]
a layer has a bias unless it was made with bias=False: one number more for each output.
    [28, 58, 468] || [28, 34, 468] || [28, 66, 468] || [32, 58, 468]
a buffer is saved, and not learned.
    [38, 66, 468] || [38, 72, 468] || [32, 60, 468] || [32, 32, 468] || [38, 38, 468]
a plain tensor is neither learned nor saved.
    [32, 75, 468] || [41, 75, 468] || [32, 47, 468] || [41, 66, 468]
a state has a line for each name, so it holds the layer with two names twice.
    [32, 38, 468]
with two key-value heads for four query heads, W_k and W_v have 6 columns, not 12.
    [32, 66, 624]
all four layers have biases, as many as they have columns: 12, 6, 6 and 12.
    [32, 66, 432] || [32, 66, 480] || [32, 66, 444] || [32, 66, 456]
a head has the width 12 / 4 = 3, however many share it, so two key-value heads have 6 columns: W_k and
W_v hold 12 · 6 + 6 numbers each.
    [32, 66, 390] || [32, 66, 364] || [32, 66, 396] || [32, 66, 388]
"""

exercise = predict(parameters, MISTAKES, stated=[32, 66, 468])
