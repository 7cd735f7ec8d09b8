"""Which calls run FLASH, and which blocks of packed documents are computed."""

import functools

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.predict import Predict
from attnbook.exercises.engine.settings import plain_settings
from attnbook.exercises.solutions import fused as solutions


def _in_a_fresh_pytorch(solution):
    """The same answer, whatever the session has forbidden SDPA."""

    @functools.wraps(solution)
    def call():
        with plain_settings():
            return solution()

    return call


LEARNS = "a mask that learns: on a CPU FLASH has no gradient for one."
WIDTHS = "values of another width than the keys: FLASH wants one width for all."
MASK = "a boolean mask is no reason: on a CPU FLASH takes one. On a GPU it would refuse."
DROPOUT = "dropout: no fused program of a CPU has any."
SIDE = "transposed in memory, the numbers of a key do not lie side by side; FLASH wants them so."
PLAIN = "no mask, one width, side by side, no dropout: the first call has nothing to refuse."

which_flash = Predict(
    name="fused.which_flash",
    title="Which program",
    level="easy",
    minutes=5,
    solution_of=_in_a_fresh_pytorch(solutions.which_flash),
    hints=(
        "Does FLASH on a CPU take a mask? Look at the table of the chapter.",
        "FLASH wants one width, numbers side by side, no dropout and no mask that learns.",
    ),
    explanation=(
        "The first and the fourth run FLASH: a boolean mask is taken on a CPU. The others have a "
        "mask that learns, a narrower value, ask for dropout, or have keys transposed in memory."
    ),
    misconceptions=(
        Misconception([1, 1, 0, 1, 0, 0], LEARNS),
        Misconception([1, 0, 1, 1, 0, 0], WIDTHS),
        Misconception([1, 0, 0, 0, 0, 0], MASK),
        Misconception([1, 0, 0, 1, 1, 0], DROPOUT),
        Misconception([1, 0, 0, 1, 0, 1], SIDE),
        Misconception([0, 0, 0, 1, 0, 0], PLAIN),
        Misconception([0, 1, 1, 0, 1, 1], "1 stands for FLASH and 0 for MATH: turn them round."),
    ),
    notice="Four of these calls write all scores to memory, and none of them says so.",
)

SWAPPED = "the order is empty, full, cut: two of the numbers stand in each other's place."
BETWEEN = "15 blocks lie above the diagonal; those below it between two documents are empty too."

document_blocks = Predict(
    name="fused.document_blocks",
    title="Blocks of packed documents",
    level="medium",
    minutes=6,
    solution_of=solutions.document_blocks,
    hints=(
        "24 words are 6 blocks a side; the documents are 2 and 4 blocks long.",
        "A document of N blocks has N on its diagonal, and N(N − 1)/2 below.",
    ),
    explanation=(
        "The documents have 2 + 4 = 6 blocks on their diagonals, which the triangle cuts, and "
        "1 + 6 = 7 below, which are full. The other 36 − 13 = 23 are empty."
    ),
    misconceptions=(
        Misconception(
            [15, 15, 6],
            "these are the blocks of a causal mask; words of another document are hidden too.",
        ),
        Misconception(
            [16, 20, 0], "these are the blocks of the documents; each is causal in itself too."
        ),
        Misconception(
            [23, 13, 0], "on the diagonal a query sees not all keys of the block: it is cut."
        ),
        Misconception([29, 7, 0], "the blocks on the diagonals are cut, not empty."),
        Misconception([29, 1, 6], "below the diagonal of the longer document blocks are full too."),
        Misconception([7, 23, 6], SWAPPED),
        Misconception([23, 6, 7], SWAPPED),
        Misconception([15, 7, 6], BETWEEN),
        Misconception(
            [16, 7, 6], "each is causal in itself: blocks above its diagonal are empty too."
        ),
        Misconception([23, 13, 6], "of the 13 that are left 6 are cut; the other 7 are full."),
        Misconception([23, 0, 13], "below the diagonal a block of one document is full."),
        Misconception([16, 4, 5], "that is the chapter's row of 20 words: here are 8 and 16."),
        Misconception(
            [13, 7, 6], "13 blocks are left to compute: the first number is the others'."
        ),
        Misconception([24, 6, 6], "the documents are not equally long: 2 and 4 blocks a side."),
        Misconception([26, 4, 6], "a document of N blocks a side has N(N − 1)/2 below: 1 and 6."),
        Misconception([376, 156, 44], "count blocks of 4 by 4, of which there are 36."),
    ),
    notice="Of 36 blocks 13 are computed, and only 6 look at the rule.",
)
