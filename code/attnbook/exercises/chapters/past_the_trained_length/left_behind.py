r"""Project, step 3: what a word leaves behind · hard · 15 min

Hints
1. What is a key of layer 2 made of, that a key of layer 1 is not?
2. Draw the words 3, 8, 9 and 10 in each layer, with an arrow from each to those that it sees: once
   for the text of 12 words, and once for that of 8.
3. A key agrees if everything that its arrows lead to, through all layers below, is the same in both
   drawings.

Why
The numbers are 8, 4, 4 and 8, 7, 6. (`agreeing` builds both models with random numbers and counts.)
The keys of layer 1 are made of single words, so that all 8 agree. From layer 2 on a key is made of
outputs. Under a causal mask every word behind the gap had seen the four words, and only the 4 words
before it agree. Under the window word 8 alone had seen one of them, word 7, so that 7 keys agree in
layer 2; word 9 had seen word 8, so that 6 agree in layer 3.

Notice
A word that has left the cache lives on in the keys and values of those who saw it. A cache with a
closed gap is that of the shortened text in one layer only.
"""

import numpy as np

from attnbook.exercises.engine import predict
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
in no layer is anything lost, you say: but some of the 8 words were read while the four were there.
    [8, 8, 8, 8, 8, 8]
too few agree: before the gap are words that never saw those that left.
    [8, 0, 0, 8, 0, 0] || [8, 0, 0, 8, 7, 6] || [4, 0, 0, 4, 0, 0] || [4, 0, 0, 4, 3, 2]
    at 1: 0 || 1 || 2 || 3
    at 2: 0 || 1 || 2 || 3
too few agree in the first layer: its keys are made before a word has seen any other, and the gap is
closed.
    [4, 4, 4, 4, 4, 4] || [4, 4, 4, 4, 3, 2] || [4, 4, 4, 7, 6, 5] || [0, 0, 0, 0, 0, 0]
    [4, 4, 4, 7, 7, 7] || [4, 4, 4, 7, 6, 6]
    at 0: 0 || 4
    at 3: 0 || 4 || 5 || 6 || 7
too many agree under the causal mask: behind the gap is a word that had seen one of those that left.
    at 1: 5 || 6 || 7 || 8
    at 2: 5 || 6 || 7 || 8
too few agree under the window: behind the gap are words that are too far from it to have seen a word
that left, or to have heard of one.
    at 4: 3 || 4 || 5 || 6
    at 5: 2 || 3 || 4 || 5
too many agree under the window: one word sees something else now, and so does who sees that word.
    at 4: 8
    at 5: 7 || 8
these are numbers of keys that agree, not of those that differ.
    [0, 4, 4, 0, 1, 2]
the four words that left are counted as well: 8 are left.
    [12, 8, 8, 12, 11, 10] || [12, 4, 4, 12, 11, 10] || [12, 8, 8, 12, 7, 6]
"""

exercise = predict(left_behind, MISTAKES, stated=[8, 4, 4, 8, 7, 6])
