"""Parameters on paper · easy · 6 min

Hints
1. A block has 12 d² + 9 d: four matrices, two wide ones with their biases, and two norms.
2. Around the blocks stand a row for each token, one for each position, a norm, and a row for each
   token.
3. Heads cut the same columns into other pieces. A matrix that is used twice is counted once.

Why
With d = 8 a block has 12 · 64 + 9 · 8 = 840. Three of them, 20 · 8 for the embeddings, 10 · 8 for
the positions, 2 · 8 for the norm and 20 · 8 for the logits are 2936. Four heads change nothing, and
the tied matrix saves 160: 2776.

Notice
In a small model with a large vocabulary the two matrices at its ends outweigh all blocks, so
there tying saves the most.
"""

from attnbook.exercises.engine import predict
from attnbook.models import Block, Transformer


def counted():
    """A block, a model of three, and the same with other heads and one matrix for both ends."""
    block = Block(8, 2)
    model = Transformer(20, 8, 3, 2, max_length=10)
    tied = Transformer(20, 8, 3, 4, max_length=10)
    tied.logits.weight = tied.embedding.weight
    parts = block, model, tied
    return [sum(p.numel() for p in part.parameters()) for part in parts]


MISTAKES = """
attention has four matrices, W_o among them.
    [776, 2744, 2584]
the dense layers have biases: 4 d for the first matrix, and d for the second.
    [800, 2816, 2656]
attention has no biases here.
    [872, 3032, 2872]
there is no such number as a bias of the logits: their matrix has none.
    [840, 2956, 2796]
each of the two norms has a scale and a shift, 2 d numbers.
    [808, 2840, 2680] || [824, 2888, 2728] || [824, 2880, 2720]
the dense layers are two matrices, each of d · 4 d.
    [584, 2168, 2008]
there is one norm more, behind the last block.
    [840, 2920, 2760]
the model has three blocks.
    [840, 1256, 1096]
each position has a vector as well.
    [840, 2856, 2696]
the logits have a matrix of their own, unless they are tied.
    [840, 2776, 2776] || [840, 2776, 2616]
the heads cut the same columns into other pieces: twice as many heads cost nothing.
    [840, 2936, 3544] || [840, 2936, 3704]
tied, the embeddings and the logits are one matrix, which is counted once.
    [840, 2936, 2936]
"""

exercise = predict(counted, MISTAKES, stated=[840, 2936, 2776])
