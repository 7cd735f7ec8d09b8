"""Where each order overflows · medium · 6 min

Hints
1. The score is 64 a² / 8 = 8 a², whichever comes first. What is the largest number on the way to
   it?
2. With the product first the largest number is 64 a²; with the query first it is the score itself,
   8 a².
3. A float16 is infinite from 65520 on. With the product first, a² has to reach 65520 / 64 = 1023.75;
   with the query first, 65520 / 8 = 8190. Which is the first whole number whose square reaches
   1023.75, and which is the first for 8190?

Why
The largest float16 is 65504, and what is nearer to it than to the next number, 65536, is rounded to
it: infinite is what lies at 65520 or beyond. The product alone is 64 a², which does so from a = 32
on, since 64 · 32² = 65,536. The scaled query has entries a/8, and 64 · (a/8) · a = 8 a² does so from
a = 91 on, since 8 · 91² = 66,248: only where the score itself does not fit.

Notice
The scale on the query buys a factor √8 = 2.8 in the entries, and all that can be had: beyond it the
score itself does not fit.
"""

import numpy as np

from attnbook.exercises.engine import predict


def overflow():
    """The first whole entry at which each order of product and scale is infinite in float16."""
    entries = np.arange(1, 200)
    products = 64 * entries**2, 64 * (entries / 8) * entries
    return [entries[product >= 65520][0] for product in products]


MISTAKES = """
the two are in the wrong order: the product first comes first.
    [91, 32]
these are where the bounds lie; a is whole, so the next number is meant.
    [31.996, 90.499]
31 and 90 still fit, as 64 · 31² = 61,504 and 8 · 90² = 64,800: give the first that do not.
    [31, 90] || [32, 90] || [31, 91]
32 and 91 are already too large: 64 · 32² = 65,536 and 8 · 91² = 66,248.
    [33, 91] || [32, 92]
the scaled query is eight times smaller, and so is its product: 8 a².
    [32, 32]
the score is the same, but with the product first 64 a² stands on the way to it.
    [91, 91]
the scaled query is 8 times smaller, so its product is 8 times smaller, not the entry 8 times
larger: the entry counts twice.
    [32, 256]
these are the entries whose own square, or an eighth of it, does not fit; 64 of them add up.
    [256, 724]
these are a², not a: take the root.
    [1024, 8190]
"""

exercise = predict(overflow, MISTAKES, stated=[32, 91])
