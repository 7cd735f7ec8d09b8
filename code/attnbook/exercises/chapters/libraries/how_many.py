"""How many keys · easy · 6 min

Hints
1. Draw both triangles for three queries and five keys: one ends at the bottom right, one begins at
   the top left.
2. The turned mask shows what the mask hides. And a 0.0 that is added to a score multiplies the
   weight by exp(0): how much is that?

Why
By our mask the last of the three queries sees all five keys, so the second sees four. With
`is_causal` query 0 sees one key and query 1 sees two. In SDPA True means may look, so the turned
mask leaves the second query key 4 alone. Floats are added to the scores, so that a key with 0.0 is
still seen, and all five are.

Notice
Four calls, four answers, and no error: a mask is right only together with the function that takes
it.
"""

import torch
import torch.nn.functional as F

from attnbook import pytorch
from attnbook.exercises.engine import predict


def how_many():
    """How many of five keys the second of three queries sees, in four calls."""
    causal = pytorch.causal_mask(3, 5)
    q, k, v = torch.zeros(3, 5), torch.zeros(5, 5), torch.eye(5)
    outputs = (
        pytorch.scaled_dot_product_attention(q, k, v, mask=causal),
        F.scaled_dot_product_attention(q, k, v, is_causal=True),
        F.scaled_dot_product_attention(q, k, v, attn_mask=~causal),
        F.scaled_dot_product_attention(q, k, v, attn_mask=causal.float()),
    )
    return [int((out[1] > 0).sum()) for out in outputs]


MISTAKES = """
our causal_mask is anchored at the bottom right: the last query sees all five keys.
    [2, 2, 1, 5] || [2, 2, 3, 5]
is_causal is anchored at the top left: query 0 sees key 0 alone, and query 1 sees two keys.
    [4, 4, 1, 5] || [4, 4, 4, 4] || [4, 1, 1, 5]
in SDPA True means may look: turned round, our mask shows what it should hide, key 4 alone.
    [4, 2, 4, 5] || [4, 2, 4, 4] || [4, 2, 0, 5] || [4, 2, 3, 5]
floats are added to the scores: 0.0 hides no key, it only favours the others.
    [4, 2, 1, 4] || [4, 2, 1, 0] || [4, 2, 1, 1]
the second query is query 1: these are the numbers of another query.
    [3, 1, 2, 5] || [5, 3, 0, 5] || [3, 2, 2, 5]
"""

exercise = predict(how_many, MISTAKES, stated=[4, 2, 1, 5])
