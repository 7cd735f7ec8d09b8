r"""A modern layer · hard · 10 min

Hints
1. Count each of the four projections. How wide are K and V with 8 of the 32 heads?
2. There are three dense matrices of 4096 by 14336. How many operations does each take, in units of
   n d²?
3. The mask leaves half of the pairs, so attention takes 2 n² d. Set that equal to the rest.

Why
The projections of $Q$ and $O$ take $2nd^2$ operations each, and those of $K$ and $V$ a quarter of
that each, which makes $5nd^2$. The dense part has three products of $2n \cdot d \cdot 3.5d$,
together $21nd^2$. Causal attention takes half of $4n^2d$. So $2n^2d = 26nd^2$, and
$n = 13d = 53{,}248$.

Notice
Grouped heads make the projections cheaper and a third matrix makes the dense part dearer, so the
length at which attention takes over is not 12 d, as in the chapter's layer, but 13 d.
"""

from attnbook.exercises.engine import predict


def overtakes():
    """2 n² d = 5 n d² + 21 n d² for n."""
    d = 4096
    projections, dense = 2 * (1 + 1 / 4 + 1 / 4 + 1), 2 * 3 * 3.5
    return (projections + dense) / 2 * d


MISTAKES = """
that is half of it: the mask leaves 2 n² d, since each term of a sum is two operations.
    6.5 * 4096
K and V have a quarter of the columns each, and the dense part is 3.5 d wide, not 4.
    14.5 * 4096
there are three dense matrices, 3.5 d wide: 3 · 2 · 3.5 n d² = 21 n d².
    9.5 * 4096 || 2.5 * 4096
that is the chapter's layer, or this one with a single dense matrix; here there are three.
    6 * 4096
that is the chapter's layer under a causal mask, or this one without the projection of Q or of O.
    12 * 4096
21 n d² is the dense part alone, or that of the chapter with the projections, 5 n d².
    10.5 * 4096
that leaves out the mask, and either the 8 of 32 heads or the width 3.5 d.
    7.25 * 4096
that leaves out the mask and the third dense matrix.
    4.75 * 4096
that leaves out the 8 of 32 heads and the third matrix.
    11 * 4096
the projections take 5 n d²: those of Q and O take two each, those of K and V a half each.
    12.75 * 4096 || 13.5 * 4096 || 12.5 * 4096
scores and mixing are two products: 2 n² d in all, causal.
    26 * 4096
a number as small as this may be n/d; the question asks for n itself, and d is 4096.
    13
"""

exercise = predict(overtakes, MISTAKES, stated=53_248, atol=60)
