"""1. How much there is to learn · easy · 6 min

Hints
1. Write down the shape of each matrix, and multiply.
2. Additive: d_q × d_hidden, d_k × d_hidden, d_hidden. Multi-head: four matrices from d_model to
   d_model, whatever the number of heads.
3. A bias adds one number for each number that comes out of a layer, in all four layers.

Why
The dot product learns nothing, and dropout neither. Additive: 5 · 7 + 3 · 7 + 7 = 63. Multi-head:
4 · 12² = 576, however the 12 are cut into heads; biases add 4 · 12 = 48.

Notice
The number of heads does not appear in it: heads are a way to use the parameters, not more of them.
"""

from attnbook import pytorch
from attnbook.exercises.engine.module import predict


def parameters():
    """How many numbers each of four modules has to learn."""
    modules = (
        pytorch.DotProductAttention(dropout=0.1),
        pytorch.AdditiveAttention(d_q=5, d_k=3, d_hidden=7),
        pytorch.MultiHeadAttention(d_model=12, n_heads=3),
        pytorch.MultiHeadAttention(d_model=12, n_heads=4, bias=True),
    )
    return [sum(p.numel() for p in module.parameters()) for module in modules]


MISTAKES = """
there are four matrices of 12 · 12 numbers: W_q, W_k, W_v, and W_o, which mixes the heads.
    [0, 63, 432, 624] || [0, 63, 432, 468] || [0, 63, 432, 480] || [0, 63, 48, 624]
    [0, 63, 144, 156]
a dot product has no matrix, and a dropout rate is set, not learned: 0.
    [12, 63, 576, 624] || [0.1, 63, 576, 624] || [1, 63, 576, 624]
the additive score has a matrix for queries, (5, 7), one for keys, (3, 7), and 7 numbers more: rows
times columns, all three.
    [0, 15, 576, 624] || [0, 42, 576, 624] || [0, 28, 576, 624] || [0, 56, 576, 624]
    [0, 105, 576, 624]
each of the four layers has a bias, of 12 numbers: 4 · 12 more.
    [0, 63, 576, 600] || [0, 63, 576, 636] || [0, 63, 576, 588] || [0, 63, 576, 580]
    [0, 63, 576, 576] || [0, 63, 576, 612]
the layers of the additive score have no bias in this book.
    [0, 64, 576, 624] || [0, 70, 576, 624] || [0, 71, 576, 624] || [0, 77, 576, 624]
    [0, 78, 576, 624]
heads share the width: each has a piece of the matrices, and the module owns the pieces of all.
    [0, 63, 1728, 2496] || [0, 63, 1728, 1776] || [0, 63, 1728, 2304] || [0, 63, 1728, 2352]
    [0, 63, 1728, 624] || [0, 63, 192, 144] || [0, 63, 192, 156] || [0, 63, 192, 192]
    [0, 63, 192, 624]
"""

exercise = predict(parameters, MISTAKES, stated=[0, 63, 576, 624])
