"""How many rows move, and which shapes cross-attention has."""

from attnbook.exercises.additive.parts import mistakes_in_parts
from attnbook.exercises.exercise import Misconception
from attnbook.exercises.predict import Predict
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
_COLUMNS = "the mask hides keys: its columns are the 7 source words."
_PAIRS = "scores pair the 5 target words with the 7 source words."

shapes = Predict(
    name="three_ways.shapes",
    title="Shapes across two sentences",
    level="easy",
    minutes=6,
    solution_of=solutions.shapes,
    explanation=(
        "The target asks: q has its 5 words. The source answers: k and v have its 7 words. Scores "
        "pair 5 queries with 7 keys, and the output has one row for each target word, as wide as "
        "a value. The mask needs no row of its own for each query: one serves all."
    ),
    hints=(
        "Which sentence gives the queries, which the keys and the values?",
        "A product with a matrix changes the last axis only: (2, 5, 12) @ (12, 8) is (2, 5, 8).",
        "The mask of padding_mask has an axis of length 1 for the queries.",
    ),
    misconceptions=(
        Misconception(
            [(2, 7, 8), (2, 5, 8), (2, 5, 6), (2, 1, 5), (2, 7, 5), (2, 7, 6)],
            "you have exchanged the two sides: the target asks and the source answers.",
        ),
        Misconception(
            [(2, 5, 12), (2, 7, 16), (2, 7, 16), (2, 1, 7), (2, 5, 7), (2, 5, 16)],
            "the matrices have not been applied: w_q turns width 12 into 8.",
        ),
        *mistakes_in_parts(
            [(2, 5, 8), (2, 7, 8), (2, 7, 6), (2, 1, 7), (2, 5, 7), (2, 5, 6)],
            (
                (0, (2, 7, 8), "the queries come from the target: 5 words."),
                (0, (2, 5, 12), "w_q turns the 12 numbers of a target word into 8."),
                (1, (2, 5, 8), "the keys come from the source: 7 words."),
                (1, (2, 8, 7), "k has a row for each source word; it is transposed in the scores."),
                (1, (2, 7, 16), "w_k turns the 16 numbers of a source word into 8."),
                (2, (2, 5, 6), "the values come from the source too: each key has its value."),
                (2, (2, 7, 8), "the values have a matrix of their own, and 6 numbers each."),
                (2, (2, 7, 16), "w_v turns the 16 numbers of a source word into 6."),
                (3, (2, 1, 5), _COLUMNS),
                (3, (2, 5, 5), _COLUMNS),
                (
                    3,
                    (2, 7, 1),
                    "the mask has its axis of 1 for the queries: rows, before the keys.",
                ),
                (
                    3,
                    (2, 5, 7),
                    "padding_mask returns one row for all queries of a sentence: its middle axis "
                    "is 1.",
                ),
                (3, (2, 7, 7), "the mask's rows are for queries, and one row serves them all: 1."),
                (4, (2, 7, 5), "the scores are transposed: rows are queries, columns are keys."),
                (4, (2, 5, 5), _PAIRS),
                (4, (2, 7, 7), _PAIRS),
                (5, (2, 7, 6), "the output has one row for each query, not for each key."),
                (5, (2, 5, 8), "the output mixes values: it is as wide as a value, 6."),
                (5, (2, 5, 7), "these are the weights' shape; the output mixes values of width 6."),
            ),
        ),
    ),
    notice="The widths 12 and 16 have gone: the matrices let any two kinds of vectors meet.",
)
