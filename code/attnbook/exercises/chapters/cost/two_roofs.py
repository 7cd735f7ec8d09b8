r"""4. A roofline of two roofs · medium · 6 min

Hints
1. What does the function leave out, of the three things that we count?
2. Seconds for one score: 4d operations at 10¹¹ a second, one exponential at 2·10⁹.
3. For which width are the two equal? Take a narrower head, and n large enough that bytes do not
   matter.

Why
A score costs $4d$ operations, $4d/10^{11}$ seconds, and one exponential, $1/(2 \cdot 10^9)$
seconds. Below $d = 12.5$ the exponentials take longer, and no faster product helps. Intensity does
not see them: it knows two of the three roofs.

Notice
On an H100 the two are level near width 64: see the chapter's published figures.
"""

import numpy as np

from attnbook.exercises.chapters.cost.roofs import BYTES, EXPONENTIALS, OPERATIONS
from attnbook.exercises.engine.break_it import whole_numbers
from attnbook.exercises.engine.module import break_it


def two_roofs():
    """Narrow heads: a score has few operations, and one exponential all the same."""
    return 4096, 8


def limit_by_intensity(n, d):
    operations, moved = 4 * n**2 * d, 4 * 4 * n * d
    ridge = 1e11 / 1e10  # operations a second, bytes a second
    return np.int64(0 if operations / moved > ridge else 2)


def limit_of_three(n, d):
    """The longest of three times: 0 products, 1 exponentials, 2 bytes; of equal ones the last."""
    work = 4 * n**2 * d / OPERATIONS, n**2 / EXPONENTIALS, 16 * n * d / BYTES
    return np.int64(2 - np.argmax(work[::-1]))


MISTAKES = """
so wide a head has more work in its products than in its exponentials.
    4096, 64
    if d > 12 and n > 40
products and bytes take equally long at n = 40, so either is right.
    40, 64
    if d > 12 and n == 40
with so few keys the bytes take longest, and the head is too wide for exponentials.
    16, 64
    if d > 12
the head is narrow enough; with so few keys the bytes take longest, so take more.
    8, 8
    if True
"""

exercise = break_it(
    two_roofs,
    MISTAKES,
    broken=limit_by_intensity,
    right=limit_of_three,
    allowed=lambda n, d: whole_numbers(1, 65536, n=n, d=d),
    stated=(1, 0),
)
