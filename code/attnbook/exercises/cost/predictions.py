"""Bytes of heads that share keys, the roof over five calls, a layer that attention overtakes."""

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.predict import Predict
from attnbook.exercises.solutions import cost as solutions

shared_keys = Predict(
    name="cost.shared_keys",
    title="Heads that share their keys",
    level="easy",
    minutes=5,
    solution_of=solutions.shared_keys,
    atol=0.01,
    explanation=(
        "One head of one array has $2^{10} \\cdot 2^7$ numbers of 2 bytes, a quarter of a MiB. "
        "$Q$ and $O$ have 32 such heads, 8 MiB each; $K$ and $V$ have 8, 2 MiB each: 20 MiB. Every "
        "query head has its own scores: $32 \\cdot 2^{20} \\cdot 2$ bytes are 64 MiB."
    ),
    hints=(
        "How many bytes has one head of Q? 1024 positions, 128 numbers, 2 bytes each.",
        "How many heads have Q, K, V and O? O has one for each query head.",
        "Scores are not shared: each of the 32 query heads has a matrix of its own.",
    ),
    misconceptions=(
        Misconception([32, 64], "K and V have 8 heads, not 32: that is what sharing saves."),
        Misconception([40, 128], "16 bits are 2 bytes, not 4."),
        Misconception([10, 32], "you counted numbers: each takes 2 bytes."),
        Misconception([12, 64], "O, which is written, is missing: it is as large as Q."),
        Misconception([10, 64], "V, as large as K, and O, as large as Q, are missing."),
        Misconception([20, 16], "shared keys do not share scores: each query head has its own."),
        Misconception([20, 2], "that is S of one head; there are 32."),
        Misconception([16, 64], "K and V are missing: 2 MiB each."),
        Misconception([18, 64], "K and V are two arrays, of 2 MiB each."),
        Misconception([8, 64], "only K and V have 8 heads: Q and O have 32."),
        Misconception([20, 128], "128 is S in 32 bits, or S and A: asked are scores, of 2 bytes."),
        Misconception(
            [20, 32], "that is half of S: all pairs have a score, of 2 bytes; no mask is named."
        ),
        Misconception([20.125, 64], "that is with L: asked are Q, K, V and O alone."),
        Misconception([160, 512], "that is in bits: a byte has 8 of them."),
        Misconception([20 * 2**20 / 1e6, 64 * 2**20 / 1e6], "a MiB has 2^20 bytes, not a million."),
        Misconception([20 * 2**20, 64 * 2**20], "that is in bytes; a MiB has 2^20 of them."),
    ),
    notice="Fused, 20 MiB travel; with the whole matrix, S and A are written and read beside them.",
)

SOFTMAX = "softmax has 0.5 ms of exponentials, and 0.8 ms of bytes: it reads and writes 4 MB."
USED_ONCE = "each key and value is used once: 0.8 GB travel, 80 ms, for 4 ms of products."
THIN = "4 MB are written for only 20 million operations: 0.4 ms of bytes against 0.2 ms."
NARROW = "at width 8 a score has 32 operations, 0.32 ns, and an exponential, 0.5 ns."
ENOUGH = "200 million operations take 2 ms, and 4.8 MB less than half of one."

roofs = Predict(
    name="cost.roofs",
    title="Which roof?",
    level="medium",
    minutes=8,
    solution_of=solutions.roofs,
    explanation=(
        "In ms, for products, exponentials and bytes: 0.2, 0, 0.41; 2, 0, 0.48; 0, 0.5, 0.8; "
        "0.32, 0.5, 0.013; 4, 0.5, 80. A product may be limited by its bytes, and attention by "
        "its exponentials."
    ),
    hints=(
        "For each compute three times, in ms: operations/10⁸, exponentials/(2·10⁶), bytes/10⁷.",
        "The first product reads 80 kB and writes 4 MB; how many operations has it?",
        "The fused form reads and writes four arrays of 1000 by 8; the query of the last meets "
        "a million keys and as many values.",
    ),
    misconceptions=(
        Misconception([0, 0, 2, 1, 2], THIN),
        Misconception([2, 2, 2, 1, 2], ENOUGH),
        Misconception([2, 0, 1, 1, 2], SOFTMAX),
        Misconception([2, 0, 2, 0, 2], NARROW),
        Misconception([2, 0, 2, 2, 2], "the fused form moves only 0.13 MB: 0.013 ms."),
        Misconception([2, 0, 2, 1, 0], USED_ONCE),
        Misconception([2, 0, 2, 1, 1], USED_ONCE),
        Misconception([0, 0, 1, 0, 0], "by its name alone no call tells its roof: count, divide."),
        Misconception([3, 1, 3, 2, 3], "numbered from 0: products 0, exponentials 1, bytes 2."),
        Misconception([1, 0, 2, 1, 2], "the first is a product: it takes no exponential."),
        Misconception([2, 1, 2, 1, 2], "the second is a product: it takes no exponential."),
        Misconception([2, 0, 0, 1, 2], "softmax is no product: it has exponentials and bytes."),
    ),
    notice="Three divisions tell which part of a machine a faster program would have to spare.",
)


def _times(widths):
    return widths * 4096


overtakes = Predict(
    name="cost.overtakes",
    title="A layer of today",
    level="hard",
    minutes=10,
    solution_of=solutions.overtakes,
    atol=60,
    explanation=(
        "Projections: $Q$ and $O$ have $2nd^2$ operations each, $K$ and $V$ a quarter, together "
        "$5nd^2$. Dense: three products of $2n \\cdot d \\cdot 3.5d$, together $21nd^2$. Causal "
        "attention: half of $4n^2d$. So $2n^2d = 26nd^2$ at $n = 13d = 53{,}248$."
    ),
    hints=(
        "Count each of the four projections: how wide are K and V with 8 of 32 heads?",
        "Three dense matrices of 4096 by 14336: operations of each, in units of n d².",
        "The mask leaves half of the pairs, so 2 n² d. Set that equal to the rest.",
    ),
    misconceptions=(
        Misconception(
            _times(6.5),
            "that is half: the mask leaves 2 n² d, and a product has two operations a pair.",
        ),
        Misconception(
            _times(14.5),
            "K and V have a quarter of the columns each, and the dense part is 3.5 d wide, not 4.",
        ),
        Misconception(_times(9.5), "there are three dense matrices, not two: 3 · 2 · 3.5 n d²."),
        Misconception(
            _times(6),
            "that is the chapter's layer, or this one with one dense matrix: here are three.",
        ),
        Misconception(
            _times(12),
            "that is the chapter's layer, causal, or this one without the projection of Q or of O.",
        ),
        Misconception(
            _times(10.5),
            "21 n d² is the dense part alone, or the chapter's with the projections, 5 n d².",
        ),
        Misconception(
            _times(7.25), "the mask is not in that; nor the 8 of 32 heads, or the width 3.5 d."
        ),
        Misconception(_times(4.75), "neither the mask nor the third dense matrix is in that."),
        Misconception(_times(11), "neither the 8 of 32 heads nor the third matrix is in that."),
        Misconception(_times(12.75), "one projection is missing: K and V have half an n d² each."),
        Misconception(_times(2.5), "the dense layers are missing: 21 n d²."),
        Misconception(_times(26), "scores and mixing are two products: 2 n² d in all, causal."),
        Misconception(_times(13.5), "K and V are both a quarter: 2 + 1/2 + 1/2 + 2, not 6."),
        Misconception(_times(12.5), "K and V have projections as well: half an n d² each."),
        Misconception(13, "so small a number may be n/d: asked is n itself, and d is 4096."),
    ),
    notice="Grouped heads and wide dense layers move the place where attention takes over.",
)
