r"""A roofline of two roofs · medium · 6 min

Hints
1. We count three kinds of work. Which of them does the function leave out?
2. How many seconds does one score take, with 4d operations at 10¹¹ a second and one exponential at
   2·10⁹ a second?
3. At what width are these two equal? Take a narrower head, and n large enough that the bytes do not
   matter.

Why
A score costs $4d$ operations, which take $4d/10^{11}$ seconds, and one exponential, which takes
$1/(2 \cdot 10^9)$ seconds. Below $d = 12.5$ the exponential takes longer, and a faster product
would not help. The intensity does not see this, because it knows only two of the three roofs.

Notice
On an H100 the two are level near width 64, as *The third roof* finds.
"""

import numpy as np

from attnbook.exercises.chapters.roofline.roofs import BYTES, EXPONENTIALS, OPERATIONS
from attnbook.exercises.engine import break_it, whole_numbers


def two_roofs():
    """A narrow head, whose scores take few operations and one exponential all the same."""
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
in a head as wide as this, the products take longer than the exponentials.
    4096, 64
    if d > 12 and n > 40
at n = 40 products and bytes take equally long, so either answer is right.
    40, 64
    if d > 12 and n == 40
with so few keys the bytes take longest, and the head is too wide for the exponentials to matter.
    16, 64
    if d > 12
the head is narrow enough, but with so few keys the bytes take longest; take more keys.
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
