r"""Three numbers by hand · easy · 4 min

Hints
1. Everything is counted in units of the largest exponential so far: first of 2, then of 8.
2. Before 8 arrives, l and o are in units of 2. What is such a unit worth in units of 8?
3. The third score is no new maximum: it adds 4/8 to l, and 4/8 times its value to o.

Why
After the first score $m = \ln 2$, $\ell = 1$ and $o = 6$. The second score raises the maximum to
$\ln 8$, so that $c = 2/8$: now $\ell = 1/4 + 1$ and $o = 6/4 + 1$. The third does not raise it, and
adds $p = 4/8$: $\ell = 1.75$ and $o = 2.5 + 1 = 3.5$. The output is $3.5/1.75 = 2$, which is
$(2 \cdot 6 + 8 \cdot 1 + 4 \cdot 2)/14$.

Notice
The output is 3.5 / 1.75 = 2; the unit in which both are counted has cancelled.
"""

import numpy as np

from attnbook.exercises.engine import predict


def three_numbers():
    """The factor at the second score, and l and o after the third."""
    c, p = 2 / 8, 4 / 8
    return [c, c * 1 + 1 + p, c * 6 + 1 + p * 2]


MISTAKES = """
c is upside down: it is exp(m_old - m_new), which is never above 1.
    [4, 5.5, 26]
these are the sums themselves: l and o are kept in units of the largest exponential, e^m.
    [1 / 4, 14, 28]
c is right, but neither l nor o is multiplied by it when the maximum rises.
    [1 / 4, 2.5, 8]
c is upside down: from units of 2 to units of 8, l and o shrink.
    [4, 1.75, 3.5]
l is the number of scores here: each should add its exponential, in units of the largest.
    [1 / 4, 3, 3.5]
o is not multiplied by c: it has to shrink as l does.
    [1 / 4, 1.75, 8]
l is not multiplied by c: it has to shrink as o does.
    [1 / 4, 2.5, 3.5]
the first score is missing: it is multiplied by c, but it still counts.
    [1 / 4, 1.5, 2]
2 is the output, o / l; the question is about o, before the division.
    [1 / 4, 1.75, 2]
1/2 is what the third score adds; the question is about c at the second.
    [1 / 2, 1.75, 3.5]
the maximum rises at the second score, so c is below 1 there.
    [1, 1.75, 3.5]
the maximum stays at the third score: c is 1 there, and the score adds 4/8.
    [1 / 4, 1.625, 3.25]
the third score is missing: it adds 4/8 to l, and 4/8 times 2 to o.
    [1 / 4, 1.25, 2.5]
that is l or o after two scores: the third adds 4/8 to l and 1 to o.
    [1 / 4, 1.25, 3.5]
    [1 / 4, 1.75, 2.5]
the maximum stays at ln 8 at the third score, so nothing shrinks there.
    [1 / 4, 1.125, 2.25]
c multiplies what came before, and not what the second score itself adds.
    [1 / 4, 1, 2.75]
2, 8 and 4 are exponentials already, so c is 2 / 8.
    [np.exp(-6), 1 + np.exp(-6) + np.exp(-4), 1 + 6 * np.exp(-6) + 2 * np.exp(-4)]
3/4 belongs to the row of the chapter; here the maximum rises from ln 2 to ln 8.
    [3 / 4, 1.75, 3.5]
14 is the sum of all three; c compares the old maximum with the new one.
    [2 / 14, 1.75, 3.5]
that is m; the question is about c, by which l and o shrink.
    [np.log(8), 1.75, 3.5]
that is L = m + ln l; the question is about l, the sum itself.
    [1 / 4, np.log(14), 3.5]
that is ln l; the question is about l, the sum itself.
    [1 / 4, np.log(1.75), 3.5]
the values are added as they are: each should be multiplied by its exponential first.
    [1 / 4, 1.75, 9]
the numbers are in units of the largest exponential, 8, and not of the last one.
    [1 / 4, 3.5, 7]
the numbers are in units of the largest exponential, 8, and not of the first one.
    [1 / 4, 7, 14]
the third value, 2, is added whole: it counts 4/8, as its exponential does.
    [1 / 4, 1.75, 4.5]
that is the difference of the two maxima; c is its exponential.
    [np.log(1 / 4), 1.75, 3.5]
"""

exercise = predict(three_numbers, MISTAKES, stated=[0.25, 1.75, 3.5], atol=0.001)
