"""Three numbers by hand, and the blocks that a causal mask leaves."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.predict import Predict
from attnbook.exercises.solutions import online as solutions

three_numbers = Predict(
    name="online.three_numbers",
    title="Three numbers by hand",
    level="easy",
    minutes=4,
    solution_of=solutions.three_numbers,
    atol=0.001,
    explanation=(
        "After the first score $m = \\ln 2$, $\\ell = 1$ and $o = 6$. The second raises the "
        "maximum to $\\ln 8$, so $c = 2/8$: $\\ell = 1/4 + 1$ and $o = 6/4 + 1$. The third does "
        "not, and adds $p = 4/8$: $\\ell = 1.75$ and $o = 2.5 + 1 = 3.5$. The output is "
        "$3.5/1.75 = 2$, which is $(2 \\cdot 6 + 8 \\cdot 1 + 4 \\cdot 2)/14$."
    ),
    hints=(
        "All is relative to the largest exponential so far: first to 2, then to 8.",
        "When 8 arrives, what stands in l and o was relative to 2. By which factor does it shrink?",
        "The third score is no maximum: it adds 4/8 to l, and 4/8 times its value to o.",
    ),
    misconceptions=(
        Misconception(
            [4, 5.5, 26],
            "the factor is turned round: c = exp(m_old - m_new), and never above 1.",
        ),
        Misconception(
            [1 / 4, 14, 28],
            "these are the sums themselves: l and o are kept relative to the largest, e^m.",
        ),
        Misconception(
            [1 / 4, 2.5, 8],
            "c is right, and neither l nor o is multiplied by it when the maximum rises.",
        ),
        Misconception(
            [4, 1.75, 3.5], "the factor is turned round: l and o shrink by it, from 2 to 8."
        ),
        Misconception(
            [1 / 4, 3, 3.5],
            "l counts scores: each adds its exponential, relative to the largest.",
        ),
        Misconception([1 / 4, 1.75, 8], "o is not multiplied by c: it has to shrink as l does."),
        Misconception([1 / 4, 2.5, 3.5], "l is not multiplied by c: it has to shrink as o does."),
        Misconception(
            [1 / 4, 1.5, 2], "the first score is missing: shrunk by c, it counts as before."
        ),
        Misconception([1 / 4, 1.75, 2], "2 is the output, o / l: asked is o, before the division."),
        Misconception(
            [1 / 2, 1.75, 3.5], "1/2 is what the third score adds: c belongs to the second."
        ),
        Misconception(
            [1, 1.75, 3.5], "the maximum rises at the second score, so c is below 1 there."
        ),
        Misconception(
            [1 / 4, 1.625, 3.25],
            "at the third score the maximum stays: c is 1, and its exponential is 4/8.",
        ),
        Misconception(
            [1 / 4, 1.25, 2.5], "the third score is missing: it adds 4/8 and 4/8 times 2."
        ),
        *(
            Misconception(wrong, "that is after two scores: the third adds 4/8 to l and 1 to o.")
            for wrong in ([1 / 4, 1.25, 3.5], [1 / 4, 1.75, 2.5])
        ),
        Misconception(
            [1 / 4, 1.125, 2.25],
            "at the third score the maximum stays at ln 8, so nothing shrinks there.",
        ),
        Misconception(
            [1 / 4, 1, 2.75],
            "c multiplies what came before; what the second score adds is not multiplied.",
        ),
        Misconception(
            [np.exp(-6), 1 + np.exp(-6) + np.exp(-4), 1 + 6 * np.exp(-6) + 2 * np.exp(-4)],
            "2, 8 and 4 are exponentials already, so c is 2 / 8.",
        ),
        Misconception([3 / 4, 1.75, 3.5], "3/4 belongs to the row of the chapter; here 2 meets 8."),
        Misconception(
            [2 / 14, 1.75, 3.5], "14 is the sum; c compares the old maximum with the new one."
        ),
        Misconception([np.log(8), 1.75, 3.5], "that is m; asked is c, by which l and o shrink."),
        Misconception(
            [1 / 4, np.log(14), 3.5], "that is L = m + ln l; asked is l, the sum itself."
        ),
        Misconception([1 / 4, np.log(1.75), 3.5], "that is ln l; asked is l, the sum itself."),
        Misconception(
            [1 / 4, 1.75, 9], "the values are added as they are: each counts by its exponential."
        ),
        Misconception(
            [1 / 4, 3.5, 7], "the numbers are relative to the maximum, 8, not to the last score."
        ),
        Misconception(
            [1 / 4, 7, 14], "the numbers are relative to the maximum, 8, not to the first score."
        ),
        Misconception(
            [1 / 4, 1.75, 4.5],
            "the third value, 2, is added whole: it counts 4/8, as its score does.",
        ),
        Misconception(
            [np.log(1 / 4), 1.75, 3.5],
            "that is the difference of the maxima: c is its exponential.",
        ),
    ),
    notice="The output is 3.5 / 1.75 = 2; the factor that both share has cancelled.",
)

causal_blocks = Predict(
    name="online.causal_blocks",
    title="Blocks under a causal mask",
    level="medium",
    minutes=6,
    solution_of=solutions.causal_blocks,
    explanation=(
        "The last query sees the last key, so query 0 stands at key 1536, the first of block 12. "
        "The four rows of blocks have their cut block at 12, 13, 14 and 15, full ones before it "
        "and empty ones after: $12 + 13 + 14 + 15 = 54$ full, $3 + 2 + 1 + 0 = 6$ empty, 4 cut."
    ),
    hints=(
        "How many rows and columns of blocks are there? 512 / 128 and 2048 / 128.",
        "At which key does query 0 stand, when query 511 stands at key 2047? In which block?",
        "In each row of blocks one is cut; those before it are full, those after it empty.",
    ),
    misconceptions=(
        Misconception(
            [54, 6, 4],
            "query 0 does not stand at key 0: the last query sees the last key.",
        ),
        Misconception(
            [6, 58, 0],
            "the blocks on the diagonal show a part: cut they are, neither full nor empty.",
        ),
        Misconception(
            [6, 58, 4],
            "58 blocks show something, but those on the diagonal only a part: they are cut, and "
            "not full as well.",
        ),
        Misconception(
            [10, 54, 4],
            "10 blocks hide something, but those on the diagonal only a part: they are cut, and "
            "not empty as well.",
        ),
        Misconception(
            [0, 64, 0], "a causal mask hides from each query what comes behind its own place."
        ),
        Misconception(
            [10, 54, 0], "the blocks on the diagonal show a part: they may not be left out."
        ),
        Misconception(
            [120, 120, 16], "there are 512 queries, not 2048: four rows of blocks, of sixteen each."
        ),
        Misconception(
            [6 * 128**2, 54 * 128**2, 4 * 128**2],
            "these are scores: count blocks, of 128 by 128 each.",
        ),
        Misconception(
            [6, 6, 4],
            "these are the last 512 keys alone: 12 blocks of keys before them are seen by all.",
        ),
        Misconception([30, 30, 4], "half is full only where there are as many queries as keys."),
        Misconception([28, 32, 4], "half is full only where there are as many queries as keys."),
        Misconception([32, 28, 4], "half is full only where there are as many queries as keys."),
        Misconception(
            [4, 54, 6], "these are the right numbers: the order asked for is empty, full, cut."
        ),
        Misconception(
            [54, 4, 6], "these are the right numbers: the order asked for is empty, full, cut."
        ),
        Misconception(
            [4, 6, 54], "these are the right numbers: the order asked for is empty, full, cut."
        ),
        Misconception(
            [6, 4, 54], "these are the right numbers: the order asked for is empty, full, cut."
        ),
        Misconception(
            [10, 50, 4],
            "one block too far left: query 0 stands in a later one, and all before that are full.",
        ),
        Misconception(
            [6, 48, 4],
            "48 fill the first 12 columns of blocks; in the last 4, some left of the diagonal are "
            "full too.",
        ),
        Misconception(
            [6, 42, 4], "the later a query, the more it sees: full blocks grow from row to row."
        ),
        *(
            Misconception(
                wrong,
                "a block begins where query 0 stands, at key 1536: in each row the diagonal "
                "crosses one block alone.",
            )
            for wrong in ([6, 50, 8], [10, 46, 8], [0, 48, 16])
        ),
        Misconception([0, 54, 10], "a block that is hidden wholly is empty, not cut."),
        Misconception([0, 60, 4], "behind the cut block of the first row three blocks are empty."),
    ),
    notice="With a long cache few blocks are empty: causal saves half only where n_q = n_k.",
)
