"""The products of a tile, and the stages that fit into shared memory."""

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.predict import Predict
from attnbook.exercises.solutions import machine_code as solutions

tile_products = Predict(
    name="machine_code.tile_products",
    title="The products of a tile",
    level="easy",
    minutes=5,
    solution_of=solutions.tile_products,
    atol=0.01,
    explanation=(
        "Two groups of four warps have 64 queries each. For the scores an instruction is 64 × 64 × "
        "16, and eight of them go through the width of 128. For the output it is 64 × 128 × 16, "
        "and four go through the 64 keys. Both products have $2 \\cdot 128 \\cdot 64 \\cdot 128$ "
        "operations, together $2^{22}$, which take $2^{22}/2^{12} = 1024$ clocks."
    ),
    hints=(
        "An instruction does 64 rows, all columns, and 16 terms of the sum that a product is.",
        "Over what is summed in the scores, q · k? And in the output, a row of weights by v?",
        "Each of both products has 2 · 128 · 64 · 128 operations; a clock does 4096.",
    ),
    misconceptions=(
        Misconception(
            [4, 8, 1024],
            "turned round: scores sum over the width, 128 = 8 · 16, outputs over the 64 keys.",
        ),
        Misconception(
            [16, 8, 1024],
            "each group of four warps has its own 64 rows: a warp meets only its own group's.",
        ),
        Misconception(
            [8, 4, 512],
            "4 · 128 · 64 · 128 operations: two products, both groups, multiplying and adding.",
        ),
        Misconception(
            [8, 4, 1024 / 132], "one multiprocessor has this tile; others have tiles of their own."
        ),
        Misconception([4, 2, 1024], "an instruction does 16 terms of a sum of bfloat16, not 32."),
        Misconception(
            [8, 8, 1024], "the outputs sum over keys, of which the tile has 64: 64 / 16."
        ),
        Misconception(
            [4, 4, 1024],
            "the scores sum over the width, which is 128, not over the keys: 128 / 16.",
        ),
        Misconception(
            [8, 4, 256],
            "4 · 128 · 64 · 128 operations; 4096 a clock is what all its tensor cores do together.",
        ),
        Misconception(
            [8, 4, 2048],
            "4096 counts operations, a multiplication and an addition each; the tile has 2²².",
        ),
        Misconception([128, 64, 1024], "one instruction does 16 terms of the sum, not one."),
    ),
    notice="Count the sum's terms in sixteens, and divide operations by 4096.",
)

stages = Predict(
    name="machine_code.stages",
    title="Stages that fit",
    level="medium",
    minutes=5,
    solution_of=solutions.stages,
    atol=0.01,
    explanation=(
        "A block of 128 keys of width 128 in bfloat16 has $128 \\cdot 128 \\cdot 2 = 32768$ bytes, "
        "32 KiB, and so has one of values: 64 KiB a stage. The queries take 32 KiB too, and "
        "$(227 - 32)/64 = 3.05$, so three fit, with little to spare."
    ),
    hints=(
        "How many bytes has a bfloat16, and how many numbers a block?",
        "A stage holds what one turn of the loop loads: a block of keys and one of values.",
        "Take the queries off the 227 KiB first.",
    ),
    misconceptions=(
        Misconception([32, 6], "a stage holds keys and values: two blocks, 64 KiB."),
        Misconception([32, 7], "a stage holds keys and values: two blocks, 64 KiB."),
        Misconception([32, 3], "one block has 32 KiB; a stage holds keys and values."),
        Misconception([96, 2], "queries are loaded once, and belong to no stage."),
        Misconception([64, 2], "(227 − 32) / 64 is 3.05: a third stage fits."),
        Misconception([64, 4], "three stages and the queries make 224 of 227 KiB: no fourth fits."),
        Misconception([128, 1], "a bfloat16 has 2 bytes: a block of 128 by 128 has 32 KiB."),
        Misconception([16, 12], "a bfloat16 has 2 bytes, and a stage holds keys and values."),
        Misconception([64, 3.05], "a stage is whole or not there: round down."),
        Misconception([64, 3.046875], "a stage is whole or not there: round down."),
        Misconception([16, 13], "the width is 128, and a stage holds keys and values: 64 KiB."),
        Misconception([65.536, 3], "a KiB has 1024 bytes, not 1000."),
        Misconception([64, 3.546875], "the queries take 32 of the 227 KiB first; and round down."),
        Misconception([64, 6], "(227 − 32) / 32 counts blocks: a stage takes two, 64 KiB."),
        Misconception([128, 3], "a bfloat16 has 2 bytes: two blocks of 128 by 128 have 64 KiB."),
        Misconception([65536, 3], "the first answer is asked in KiB, of 1024 bytes."),
    ),
    notice="Three stages of 64 KiB and the queries' 32 make 224 KiB.",
)
