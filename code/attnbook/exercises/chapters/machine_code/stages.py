r"""Stages that fit · medium · 5 min

Hints
1. How many bytes does a bfloat16 take, and how many numbers are there in a block?
2. A stage holds what one iteration of the loop loads: a block of keys and one of values.
3. Subtract the queries from the 227 KiB first.

Why
A block of 128 keys of width 128 in bfloat16 takes $128 \cdot 128 \cdot 2 = 32768$ bytes, which is
32 KiB. A block of values takes as much, so a stage takes 64 KiB. The queries take 32 KiB too, and
$(227 - 32)/64 = 3.05$, so three stages fit, with little to spare.

Notice
Three stages of 64 KiB and the queries' 32 make 224 KiB.
"""

from attnbook.exercises.engine import predict


def stages():
    """KiB of a block of keys and one of values, and how many such pairs fit beside the queries."""
    block = 128 * 128 * 2 / 1024
    return [2 * block, (227 - block) // (2 * block)]


MISTAKES = """
a stage holds keys and values, two blocks of 128 · 128 numbers of 2 bytes: 64 KiB.
    [32, 6] || [32, 7] || [32, 3] || [64, 6] || [16, 12] || [16, 13] || [128, 1] || [128, 3]
queries are loaded once, and belong to no stage.
    [96, 2]
(227 − 32) / 64 is 3.05: three stages fit, and no fourth.
    [64, 2] || [64, 4]
the queries take 32 of the 227 KiB first. And there is no part of a stage, so round down.
    [64, 3.05] || [64, 3.046875] || [64, 3.546875]
the question asks for KiB, which have 1024 bytes, not 1000.
    [65.536, 3] || [65536, 3]
"""

exercise = predict(stages, MISTAKES, stated=[64, 3], atol=0.01)
