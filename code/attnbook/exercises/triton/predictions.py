"""How many programs a grid has, and how many numbers a thread holds."""

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.predict import Predict
from attnbook.exercises.solutions import triton as solutions

programs = Predict(
    name="triton.programs",
    title="How many programs",
    level="easy",
    minutes=5,
    solution_of=solutions.programs,
    explanation=(
        "A softmax has a program for each row of scores, $2 \\cdot 4 \\cdot 300 = 2400$; the next "
        "power of two after 900 is 1024. Attention has one for each block of queries: 300 queries "
        "fill two blocks of 128 and begin a third, for each of the $2 \\cdot 4$ heads, and "
        "$3 \\cdot 128 - 300 = 84$ rows of the third are idle."
    ),
    hints=(
        "A row of scores belongs to one query of one head of one sequence.",
        "Lanes come in powers of two: what is the first that holds 900?",
        "How many blocks of 128 do 300 queries need? A block never mixes two heads.",
    ),
    misconceptions=(
        Misconception([300, 124, 3, 84], "each sequence and each head has programs of its own."),
        Misconception([600, 124, 6, 84], "there are 2 sequences of 4 heads: 8 times as many."),
        Misconception([2400, 124, 3, 84], "each sequence and each head has programs of its own."),
        Misconception([2400, 124, 8, 84], "a program has one block of queries, not a whole head."),
        Misconception([8, 124, 24, 84], "our softmax has a program for each row, not for a head."),
        Misconception([2400, 124, 2400, 84], "a program has a block of 128 queries, not one."),
        Misconception([2400, 124, 18.75, 84], "a block of queries that is not full counts too: 3."),
        Misconception([1200, 124, 12, 84], "there are 2 sequences of 4 heads: 8 times as many."),
        Misconception(
            [2400, 124, 16, 84], "two blocks hold 256 of 300 queries: a third is needed."
        ),
        Misconception([2400, 124, 24, 212], "three blocks have 384 rows, and 300 are in use."),
        Misconception([2400, 124, 24, 44], "44 rows of the third block are in use; 84 are idle."),
        Misconception(
            [2400, 124, 24, 672], "84 in the last block of each head; asked is one head."
        ),
        Misconception([2400, 0, 24, 84], "900 is no power of two: tl.arange needs one, 1024."),
        Misconception([2400, 297600, 24, 84], "asked are the closed lanes of one program."),
        Misconception([2400, 1024, 24, 84], "1024 lanes in all, of which 900 have a number."),
        Misconception(
            [2400, 900, 24, 84], "900 lanes have a number; asked are those that have none."
        ),
        Misconception([2400, 60, 24, 84], "960 is a multiple of 64 and no power of two: 1024 is."),
        Misconception(
            [2400, 252, 24, 84], "the block has to hold the whole row, in one piece of 1024."
        ),
        Misconception(
            [2160000, 124, 24, 84], "a program takes a row of scores, not a single score."
        ),
        Misconception([7200, 124, 24, 84], "a program takes a row of 900 keys, not of 300."),
        Misconception([2400, 124, 64, 84], "blocks of queries: n_q = 300 counts, not n_k."),
        Misconception([2400, 124, 19, 32], "a block never mixes heads: each has three blocks."),
        Misconception([2400, 124, 192, 84], "a program takes all keys of its queries, in a loop."),
    ),
    notice="So few programs for attention: with 132 processors, 24 leave most of them idle.",
)

registers = Predict(
    name="triton.registers",
    title="Numbers for each thread",
    level="medium",
    minutes=5,
    solution_of=solutions.registers,
    explanation=(
        "Four warps have 128 threads. $o$ holds $128 \\cdot 128$ numbers, 128 for each thread, and "
        "$s$ holds $128 \\cdot 64$, 64 for each. With $m$, $\\ell$, addresses and what the "
        "products need, that comes close to the 255 registers that a thread may have. Eight warps "
        "share the same numbers among 256 threads: $(128 \\cdot 128 + 128 \\cdot 64)/256 = 96$."
    ),
    hints=(
        "How many threads have four warps? And eight?",
        "o has a row for each query and a column for each feature of a value.",
        "s has a row for each query and a column for each key of the block.",
    ),
    misconceptions=(
        Misconception([4096, 2048, 3072], "a warp has 32 threads, which share its numbers."),
        Misconception([512, 256, 768], "four warps have 4 · 32 threads, not 32."),
        Misconception([128, 64, 192], "eight warps have twice as many threads: half the numbers."),
        Misconception([128, 64, 384], "twice as many threads share them: half the numbers."),
        Misconception([128, 64, 64], "64 is for o alone; s adds 32."),
        Misconception([128, 64, 32], "32 is for s alone; o adds 64."),
        Misconception([64, 128, 96], "o has 128 columns, s has 64: they are exchanged."),
        Misconception([64, 64, 64], "o is as wide as a value, 128; the block has 64 keys."),
        Misconception([128, 128, 128], "s has a column for each of the 64 keys of a block."),
        Misconception(
            [256, 128, 192], "a float32 fills one register: count numbers, of 128 threads."
        ),
        Misconception([512, 256, 384], "a register holds the 4 bytes of a float32: count numbers."),
        Misconception([64, 32, 48], "four warps have 128 threads, not 256."),
        Misconception([16384, 8192, 24576], "the threads of a program share them."),
    ),
    notice=(
        "A thread of an H100 has at most 255 registers: these 192 fit, and with twice the width o "
        "alone would not, which is why a wide head wants 8 warps."
    ),
)
