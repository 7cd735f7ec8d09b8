"""How many output rows move with a word, in five situations."""

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.predict import Predict
from attnbook.exercises.families.parts import mistakes_in_parts
from attnbook.exercises.solutions import three_ways as solutions

_QUERIES_ONLY = (
    "in the third case the target word gives a query only, and queries do not look at each other."
)
_TARGET_ROWS = (
    "the output of cross-attention has one row for each of the 4 target words; the 6 source words "
    "are its keys."
)
_NO_FUTURE = (
    "no causal mask takes part in the fourth case: the source is known to every target word."
)
_PADDING = "in the last case the padding is hidden from every real word, so no real row moves."

rows_that_move = Predict(
    name="three_ways.rows_that_move",
    title="Count the rows that move",
    level="easy",
    minutes=6,
    solution_of=solutions.rows_that_move,
    explanation=(
        "A row moves if its query may look at the changed word, or is that word's own. "
        "Bidirectional: all 6. Causal: rows 2, 3, 4 and 5, so 4. A target word asks, and answers "
        "nobody, so 1 row. A source word answers all 4 target words. Real words never look at "
        "padding, so 0."
    ),
    hints=(
        "Ask of each row: may its query look at the changed word? Is it that word's own query?",
        "In cross-attention the target's words give queries only, and nobody looks at a query.",
        "Word 4 of a sentence of length 4 is padding: the words count from 0.",
    ),
    misconceptions=(
        Misconception(
            [5, 3, 0, 4, 0], "the changed word's own row moves too: its query has changed."
        ),
        Misconception(
            [6, 4, 4, 1, 0],
            "you have exchanged the two sides: the target asks, and only the source is looked at.",
        ),
        Misconception(
            [6, 4, 1, 1, 0],
            "in the fourth case every target word sees the source word, not one alone.",
        ),
        *mistakes_in_parts(
            [6, 4, 1, 4, 0],
            (
                (0, 5, "in the first case the word's own row moves too: its query has changed."),
                (0, 1, "in the first case every query sees the changed word, not its own alone."),
                (
                    1,
                    3,
                    "in the second case row 2 moves as well: the diagonal is visible, and the "
                    "query itself has changed.",
                ),
                (
                    1,
                    2,
                    "rows 0 and 1 stand still in the second case, so the other 4 of the 6 move.",
                ),
                (1, 5, "the words count from 0: word 2 is the third, and two rows come before it."),
                (1, 6, "in the second case rows 0 and 1 do not see word 2: it is their future."),
                (1, 1, "in the second case the rows behind word 2 see it too, not its own alone."),
                (
                    2,
                    0,
                    "in the third case the target word's own row moves: its query has changed.",
                ),
                (
                    2,
                    2,
                    "no causal mask takes part in the third case, and a target word is no key: "
                    "only its own row moves.",
                ),
                (2, 4, _QUERIES_ONLY),
                (2, 6, _QUERIES_ONLY),
                (3, 6, _TARGET_ROWS),
                (3, 0, "in the fourth case all target words see the source word: it is a key."),
                (3, 2, _NO_FUTURE),
                (3, 3, _NO_FUTURE),
                (
                    4,
                    2,
                    "those are the padded rows, 4 and 5; only the rows of the 4 real words count.",
                ),
                (4, 1, "in the last case word 4 is padding, and its own row is not counted."),
                (4, 4, _PADDING),
                (4, 6, _PADDING),
            ),
        ),
    ),
    notice=(
        "In one column of a mask you can read which rows a word reaches; the word's own row moves "
        "besides."
    ),
)
