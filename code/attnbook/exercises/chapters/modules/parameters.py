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
W_o is missing: there are four matrices, the last mixes the heads.
    [0, 63, 432, 624]
    [0, 63, 432, 468]
    [0, 63, 432, 480]
the dot product has no matrix: it learns nothing.
    [12, 63, 576, 624]
that adds the widths; a matrix has as many numbers as rows times columns.
    [0, 15, 576, 624]
two layers only have a bias here: all four do, 4 · 12.
    [0, 63, 576, 600]
that adds widths; each of the four matrices has 12 · 12 numbers.
    [0, 63, 48, 624]
a dropout rate is set, not learned: it is no parameter.
    [0.1, 63, 576, 624]
    [1, 63, 576, 624]
w_k is missing: 3 · 7 numbers for the keys.
    [0, 42, 576, 624]
w_q is missing: 5 · 7 numbers for the queries.
    [0, 28, 576, 624]
w_v is missing: 7 numbers from the hidden layer to 1.
    [0, 56, 576, 624]
the layers of the additive score have no bias in this book.
    [0, 64, 576, 624]
    [0, 70, 576, 624]
    [0, 71, 576, 624]
    [0, 77, 576, 624]
    [0, 78, 576, 624]
queries and keys have a matrix each, (5, 7) and (3, 7); their shapes do not multiply.
    [0, 105, 576, 624]
heads share the width, they do not multiply it: each has a piece of the matrices.
    [0, 63, 1728, 2496]
    [0, 63, 1728, 1776]
    [0, 63, 1728, 2304]
    [0, 63, 1728, 2352]
    [0, 63, 1728, 624]
that is one head's share; the module owns the pieces of all its heads.
    [0, 63, 192, 144]
    [0, 63, 192, 156]
    [0, 63, 192, 192]
    [0, 63, 192, 624]
the bias of a layer has 12 numbers, and there are four.
    [0, 63, 576, 636]
all four layers have a bias, not only the last: 4 · 12 more.
    [0, 63, 576, 588]
a bias has one number for each number that comes out, 12, not one.
    [0, 63, 576, 580]
bias=True adds 12 numbers to each of the four layers.
    [0, 63, 576, 576]
W_o has a bias as well: four layers, 4 · 12 more.
    [0, 63, 576, 612]
that is one matrix; there are four: W_q, W_k, W_v and W_o.
    [0, 63, 144, 156]
"""

exercise = predict(parameters, MISTAKES, stated=[0, 63, 576, 624])
