"""Two calls measured one after the other, and a roofline of two roofs."""

import numpy as np

from attnbook.exercises.engine.break_it import Break, Miss
from attnbook.exercises.solutions import cost as solutions
from attnbook.operation import describe


def second_is_faster(slowdown):
    first = 10 * np.median(slowdown[:4])  # four times the first call, of 10 ms
    second = 12 * np.median(slowdown[4:])  # then four times the second, of 12 ms
    return second < first


def never(slowdown):
    """The truth: 12 ms are more than 10."""
    return np.bool_(False)


def _eight(slowdown):
    if not isinstance(slowdown, np.ndarray) or slowdown.dtype.kind not in "fi":
        return f"slowdown is {describe(slowdown)}; the check wants a list of 8 numbers."
    if slowdown.shape != (8,):
        return f"slowdown has the shape {slowdown.shape}; the check wants 8 numbers."
    if not np.all((slowdown >= 1) & (slowdown <= 4)):
        return "each number should be from 1, the machine at its best, to 4."
    return None


one_after_the_other = Break(
    name="cost.one_after_the_other",
    title="One after the other",
    level="easy",
    minutes=4,
    solution_of=solutions.one_after_the_other,
    wrong=second_is_faster,
    right=never,
    allowed=_eight,
    explanation=(
        "While the first call is measured somebody else uses the machine, and all of its times "
        "double: its median is 20 ms, that of the slower call 12. No median mends it, since every "
        "sample is wrong. In turns each round would have shown 12 to 10."
    ),
    hints=(
        "The first call takes 10 ms times the slowdown of the first four calls.",
        "The median of four is the mean of the middle two: more than one of them must be slow.",
        "Which slowdown in the first half makes 10 ms look longer than 12?",
    ),
    misconceptions=(
        Miss(
            (np.ones(8),),
            lambda s: bool(np.all(s == s[0])),
            "the machine is equally slow throughout, and no ratio changes.",
        ),
        Miss(
            (np.array([4.0, 1, 1, 1, 1, 1, 1, 1]),),
            lambda s: np.median(s[:4]) == 1 and s[0:4].max() > 1,
            "one slow call does not move the median of four: slow down more of them.",
        ),
        Miss(
            (np.array([1.0, 1, 1, 1, 2, 2, 2, 2]),),
            lambda s: np.median(s[4:]) > np.median(s[:4]),
            "the machine is slower for the second call, which makes it look even worse.",
        ),
        Miss(
            (np.array([1.1] * 4 + [1.0] * 4),),
            lambda s: True,
            "the first half must be slower by more than 12/10.",
        ),
    ),
    notice="Clocks fall as a chip warms up, and others come and go: take turns.",
)

OPERATIONS, EXPONENTIALS, BYTES = 1e11, 2e9, 1e10  # a second


def limit_by_intensity(n, d):
    operations, moved = 4 * n**2 * d, 4 * 4 * n * d
    ridge = 1e11 / 1e10  # operations a second, bytes a second
    return np.int64(0 if operations / moved > ridge else 2)


def limit_of_three(n, d):
    """The longest of three times: 0 products, 1 exponentials, 2 bytes; of equal ones the last."""
    work = 4 * n**2 * d / OPERATIONS, n**2 / EXPONENTIALS, 16 * n * d / BYTES
    return np.int64(2 - np.argmax(work[::-1]))


def _sizes(n, d):
    for name, size in (("n", n), ("d", d)):
        whole = isinstance(size, int) or (isinstance(size, float) and size.is_integer())
        if isinstance(size, bool) or not whole or not 1 <= size <= 65536:
            return f"{name} is {describe(size)}; the check wants a whole number from 1 to 65536."
    return None


two_roofs = Break(
    name="cost.two_roofs",
    title="A roofline of two roofs",
    level="medium",
    minutes=6,
    solution_of=solutions.two_roofs,
    wrong=limit_by_intensity,
    right=limit_of_three,
    allowed=_sizes,
    explanation=(
        "A score costs $4d$ operations, $4d/10^{11}$ seconds, and one exponential, "
        "$1/(2 \\cdot 10^9)$ seconds. Below $d = 12.5$ the exponentials take longer, and no faster "
        "product helps. Intensity does not see them: it knows two of the three roofs."
    ),
    hints=(
        "What does the function leave out, of the three things that we count?",
        "Seconds for one score: 4d operations at 10¹¹ a second, one exponential at 2·10⁹.",
        "For which width are the two equal? Take a narrower head, and n large enough that bytes "
        "do not matter.",
    ),
    misconceptions=(
        Miss(
            (4096, 64),
            lambda n, d: d > 12 and n > 40,
            "so wide a head has more work in its products than in its exponentials.",
        ),
        Miss(
            (40, 64),
            lambda n, d: d > 12 and n == 40,
            "products and bytes take equally long at n = 40, so either is right.",
        ),
        Miss(
            (16, 64),
            lambda n, d: d > 12,
            "with so few keys the bytes take longest, and the head is too wide for exponentials.",
        ),
        Miss(
            (8, 8),
            lambda n, d: True,
            "the head is narrow enough; with so few keys the bytes take longest, so take more.",
        ),
    ),
    notice="On an H100 the two are level near width 64: see the chapter's published figures.",
)
