r"""6. Differences in float32 · medium · 5 min

Hints
1. Truncation and rounding meet where h² = ε/h, or h = ε/h for the one-sided difference.
2. So the steps are the cube root and the square root of ε = 1.2e-7.
3. 0.0049 and 0.00035. Which powers of ten lie nearest on a logarithmic axis?

Why
The steps are $\varepsilon^{1/3} = 0.0049$ and $\varepsilon^{1/2} = 0.00035$. The central difference
is then right to about $\varepsilon^{2/3}$, five digits, and the one-sided one to about
$\varepsilon^{1/2}$, three or four: with a step of 1e-5, the best in float64, float32 leaves two.

Notice
Gradient checks are run in float64 for this reason, whatever a model is trained in.
"""

import numpy as np

from attnbook.exercises.engine.module import predict


def steps_in_float32():
    """The powers of ten next to the cube root and the square root of epsilon."""
    eps = np.finfo(np.float32).eps
    return np.round(np.log10([eps ** (1 / 3), eps ** (1 / 2)]))


MISTAKES = """
these are the steps of float64: float32 has ε = 1.2e-7.
    [-5, -8]
they are exchanged: the central difference bears larger steps.
    [-3, -2]
the steps are small: the exponents are negative.
    [2, 3]
these are natural logarithms: of a power of ten the exponent is log10.
    [-5.312, -7.968] || [-5.3, -8] || [-5.3, -7.97]
these are the steps: of 0.01 the exponent is -2.
    [0.01, 0.001] || [0.0049, 0.00035]
that is ε itself: with such a step nothing is left but rounding.
    [-7, -7]
that is the step of the chapter, for float64: float32 needs larger ones.
    [-5, -5]
one-sided, h meets ε/h at the square root of ε, not at the cube root.
    [-2, -2]
these are the exponents themselves: round to whole ones.
    at 0: -2.31 || -2.3
    at 1: -3.46 || -3.5
10⁻³ is near the central difference's step. On a logarithmic axis ratios are distances, and another
power is nearer.
    at 0: -3
ε^(2/3) is the error at the bottom; the step is ε^(1/3).
    at 0: -5
the central difference's step is far below 10⁻¹.
    at 0: -1
10⁻⁴ is near the one-sided step. On a logarithmic axis ratios are distances, and another power is
nearer.
    at 1: -4
one-sided, the step is √ε; ε itself leaves nothing but rounding.
    at 1: -7
"""

exercise = predict(steps_in_float32, MISTAKES, stated=[-2, -3], atol=0.01)
