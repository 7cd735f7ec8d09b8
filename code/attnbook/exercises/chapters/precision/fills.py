"""Which fills does float16 refuse? · medium · 4 min

Hints
1. The largest float16 is 65504, and the lowest −65504.
2. bfloat16 has as many bits, but the range of float32: what is its lowest number?
3. Is −∞ a number of float16?

Why
A fill must lie within the range of the type, or be infinite. The range of float16 ends at 65504. So
−1e4 and −65504 pass, −1e5 and the lowest bfloat16, −3.4e38, are refused, and −∞ passes: it is a
number of every float type.

Notice
An error is the kind outcome: a product that leaves the range becomes −∞ in silence.
"""

import torch

from attnbook.exercises.engine import predict


def fills():
    """Which of five fills a tensor of float16 refuses."""
    zeros = torch.zeros(2, dtype=torch.float16)
    everywhere = torch.tensor([True, True])
    lowest = torch.finfo(torch.bfloat16).min
    refused = []
    for fill in (-1e4, -65504.0, -1e5, lowest, -torch.inf):
        try:
            zeros.masked_fill(everywhere, fill)
            refused.append(False)
        except RuntimeError:
            refused.append(True)
    return refused


MISTAKES = """
−∞ is a number of every float type: it passes.
    [False, False, True, True, True]
−65504 is the lowest float16 itself: it passes.
    [False, True, True, True, False]
−65504 is the lowest float16 and −∞ a number of every float type: both pass.
    [False, True, True, True, True]
both types have 16 bits, but bfloat16 reaches as far as float32, to −3.4e38.
    [False, False, True, False, False]
−1e5 is −100,000, below −65504: it is refused.
    [False, False, False, True, False]
an operation would round to −∞ here, but masked_fill refuses what lies outside.
    [False, False, False, False, False]
here True stands for what passes: it should stand for what is refused.
    [True, True, False, False, True]
"""

exercise = predict(fills, MISTAKES, stated=[False, False, True, True, False])
