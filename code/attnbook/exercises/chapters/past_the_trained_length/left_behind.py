r"""8. Project, step 3: what a word leaves behind · hard · 15 min

Hints
1. A key in layer 1 is made of its own word alone. What is a key in layer 2 made of?
2. Follow one word behind the gap: which words had it seen in layer 1, before they left? Which words
   does it see in the text that is computed again?
3. With the window, word 8 saw word 7, and word 9 saw word 8. How far does the difference spread in
   each layer?

Why
The keys of layer 1 are made of single words, so that all 8 agree. From layer 2 on a key is made of
outputs. Under a causal mask every word behind the gap had seen the four words, and only the 4 words
before it agree. Under the window word 8 alone had seen one of them, word 7, so that 7 keys agree in
layer 2; word 9 had seen word 8, so that 6 agree in layer 3.

Notice
A word that has left the cache lives on in the keys and values of those who saw it. A cache with a
closed gap is that of the shortened text in one layer only.
"""

import numpy as np

from attnbook.exercises.engine.module import predict
from attnbook.masks import causal_mask, sliding_window_mask
from attnbook.positions import rope
from attnbook.reference import scaled_dot_product_attention

THETA = np.array([1.0, 0.1])


def caches(x, mask_of, layers=3):
    """The rotated keys of each layer, whose outputs are added to what went in."""
    rng, at = np.random.default_rng(0), np.arange(len(x))
    for _ in range(layers):
        w_q, w_k, w_v = rng.standard_normal((3, 4, 4))
        q, k = rope(x @ w_q, at, THETA), rope(x @ w_k, at, THETA)
        yield k
        x = x + scaled_dot_product_attention(q, k, x @ w_v, mask_of(len(x)))


def agreeing(mask_of):
    """In each layer, the number of keys that a closed gap leaves as a shorter text makes them."""
    x, left = (
        np.random.default_rng(1).standard_normal((12, 4)),
        np.delete(np.arange(12), range(4, 8)),
    )
    moves = np.where(left < 4, 0, -4)
    pairs = zip(caches(x, mask_of), caches(x[left], mask_of), strict=True)
    return [
        int(np.sum(np.all(np.isclose(rope(long[left], moves, THETA), short), axis=-1)))
        for long, short in pairs
    ]


def left_behind():
    """Three layers under a causal mask, then under a window of a word and the one before."""
    causal = agreeing(lambda n: causal_mask(n, n))
    return [*causal, *agreeing(lambda n: sliding_window_mask(n, n, left=1))]


MISTAKES = """
these agree in every layer only if no word that is left had seen one of those that went.
    [8, 8, 8, 8, 8, 8]
the words before the gap never saw those that left: under a causal mask their keys agree in every
layer.
    [8, 0, 0, 8, 0, 0] || [8, 0, 0, 8, 7, 6] || [4, 0, 0, 4, 0, 0] || [4, 0, 0, 4, 3, 2]
    at 1: 0
    at 2: 0
a key of the first layer is made of its own word alone, and moves when the gap is closed.
    [4, 4, 4, 4, 4, 4] || [4, 4, 4, 4, 3, 2] || [4, 4, 4, 7, 6, 5] || [0, 0, 0, 0, 0, 0]
    [4, 4, 4, 7, 7, 7] || [4, 4, 4, 7, 6, 6]
    at 0: 4
    at 3: 4
    at 3: 7
what is lost does not grow under the causal mask: behind the gap every word has seen the four words
already in the first layer.
    at 2: 3
    at 2: 2
behind the gap nothing agrees under the causal mask: all four words had seen what left.
    at 1: 7
    at 1: 5
    at 1: 8
    at 2: 8
    at 2: 6
    at 2: 7
the window hides most words from most: of those behind the gap only word 8 had seen a word that left.
    at 4: 4
    at 4: 5
    at 4: 6
    at 5: 4
    at 5: 3
with the window too a word had seen one of those that left: word 8 had seen word 7, and now follows
word 3.
    at 4: 8
    at 5: 8
from layer to layer a word hears, through its neighbour, of one word more.
    at 5: 7
    at 5: 5
these are numbers of keys that agree, not of those that differ.
    [0, 4, 4, 0, 1, 2]
the four words that left are counted as well: 8 are left.
    [12, 8, 8, 12, 11, 10] || [12, 4, 4, 12, 11, 10] || [12, 8, 8, 12, 7, 6]
"""

exercise = predict(left_behind, MISTAKES, stated=[8, 4, 4, 8, 7, 6])
