r"""7. A layer of today · hard · 10 min

Hints
1. Count each of the four projections: how wide are K and V with 8 of 32 heads?
2. Three dense matrices of 4096 by 14336: operations of each, in units of n d².
3. The mask leaves half of the pairs, so 2 n² d. Set that equal to the rest.

Why
Projections: $Q$ and $O$ have $2nd^2$ operations each, $K$ and $V$ a quarter, together $5nd^2$.
Dense: three products of $2n \cdot d \cdot 3.5d$, together $21nd^2$. Causal attention: half of
$4n^2d$. So $2n^2d = 26nd^2$ at $n = 13d = 53{,}248$.

Notice
Grouped heads and wide dense layers move the place where attention takes over.
"""

from attnbook.exercises.engine.module import predict


def overtakes():
    """2 n² d = 5 n d² + 21 n d² for n."""
    d = 4096
    projections, dense = 2 * (1 + 1 / 4 + 1 / 4 + 1), 2 * 3 * 3.5
    return (projections + dense) / 2 * d


MISTAKES = """
that is half: the mask leaves 2 n² d, and a product has two operations a pair.
    6.5 * 4096
K and V have a quarter of the columns each, and the dense part is 3.5 d wide, not 4.
    14.5 * 4096
there are three dense matrices, 3.5 d wide: 3 · 2 · 3.5 n d² = 21 n d².
    9.5 * 4096 || 2.5 * 4096
that is the chapter's layer, or this one with one dense matrix: here are three.
    6 * 4096
that is the chapter's layer, causal, or this one without the projection of Q or of O.
    12 * 4096
21 n d² is the dense part alone, or the chapter's with the projections, 5 n d².
    10.5 * 4096
the mask is not in that; nor the 8 of 32 heads, or the width 3.5 d.
    7.25 * 4096
neither the mask nor the third dense matrix is in that.
    4.75 * 4096
neither the 8 of 32 heads nor the third matrix is in that.
    11 * 4096
the projections have 5 n d²: those of Q and O two each, those of K and V a half each.
    12.75 * 4096 || 13.5 * 4096 || 12.5 * 4096
scores and mixing are two products: 2 n² d in all, causal.
    26 * 4096
so small a number may be n/d: asked is n itself, and d is 4096.
    13
"""

exercise = predict(overtakes, MISTAKES, stated=53_248, atol=60)
