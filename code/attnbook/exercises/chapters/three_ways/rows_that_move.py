"""Count the rows that move · easy · 6 min

Hints
1. Ask of each row: may its query look at the changed word? Is it that word's own query?
2. In cross-attention the target's words give queries only, and nobody looks at a query.
3. Word 4 of a sentence of length 4 is padding: the words count from 0.

Why
A row moves if its query may look at the changed word, or if the query itself has changed and sees at
least two keys. Bidirectional: all 6. Causal: rows 2, 3, 4 and 5, so 4. In cross-attention a target
word asks, and answers nobody, so 1 row. A source word moves every row of the encoder's output, and
all 4 rows of the decoder read from there. Real words never look at padding, so 0.

Notice
In one column of a mask you can read which rows a word reaches; the word's own row moves besides, if
its query sees at least two keys.
"""

import numpy as np

from attnbook.exercises.engine import predict
from attnbook.masks import causal_mask, padding_mask


def rows_that_move():
    """How many rows see the changed word, in the five situations."""
    everything, causal = np.ones((6, 6), bool), causal_mask(6, 6)
    target_word, source_word = np.eye(4, dtype=bool), np.ones((4, 6), bool)
    real_rows = (padding_mask(np.array([4]), 6) & causal)[0, :4]
    columns = everything[:, 2], causal[:, 2], target_word[:, 2], source_word[:, 2]
    return [int(column.sum()) for column in (*columns, real_rows[:, 4])]


MISTAKES = """
the changed word's own row moves too: its query has changed.
    [5, 3, 0, 4, 0]
you have exchanged the two sides: the target asks, and only the source is looked at.
    [6, 4, 4, 1, 0]
in the fourth case every target word sees the source word, not one alone.
    [6, 4, 1, 1, 0]
in the first case the word's own row moves too: its query has changed.
    at 0: 5
in the first case every query sees the changed word, not its own alone.
    at 0: 1
in the second case row 2 moves as well: the diagonal is visible, and the query itself has changed.
    at 1: 3
rows 0 and 1 stand still in the second case, so the other 4 of the 6 move.
    at 1: 2
the words count from 0: word 2 is the third, and two rows come before it.
    at 1: 5
in the second case rows 0 and 1 do not see word 2: it is their future.
    at 1: 6
in the second case the rows behind word 2 see it too, not its own alone.
    at 1: 1
in the third case the target word's own row moves: its query has changed.
    at 2: 0
no causal mask takes part in the third case, and a target word is no key: only its own row moves.
    at 2: 2
in the third case the target word gives a query only, and queries do not look at each other.
    at 2: 4 || 6
the decoder has one row for each of its 4 target words; the 6 source words give it keys and values.
    at 3: 6
in the fourth case cross-attention carries the source word to all target words: it is a key.
    at 3: 0
the decoder's causal mask hides its own words alone: every target word sees the whole source.
    at 3: 2 || 3
those are the padded rows, 4 and 5; only the rows of the 4 real words count.
    at 4: 2
in the last case word 4 is padding, and its own row is not counted.
    at 4: 1
in the last case the padding is hidden from every real word, so no real row moves.
    at 4: 4 || 6
"""

exercise = predict(rows_that_move, MISTAKES, stated=[6, 4, 1, 4, 0])
