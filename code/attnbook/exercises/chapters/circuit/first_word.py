"""Two copies, and a word with nothing before it · medium · 6 min

Hints
1. Write down what the first head writes at each position. What can the first word read?
2. The last word looks for b among what was written, and every match has the same weight.
3. In bRaQb the matches are at the positions 0 and 1; in bRbQb they are at 0, 1 and 3.

Why
The first word can read only itself, so b is written at position 0 as well as at position 1. In
bRaQb the last word therefore reads b and R, half each. In bRbQb it finds b at the positions 0, 1
and 3, and reads b, R and Q, a third each.

Notice
A head that has nothing to look at looks at something, because its weights sum to 1.
"""

import numpy as np

from attnbook.exercises.engine import predict


def first_word():
    """The fractions of b, R and Q that are read, in bRaQb and in bRbQb."""
    fractions = []
    for text in ("bRaQb", "bRbQb"):
        before = text[0] + text[:-1]
        read = [text[j] for j in range(len(text)) if before[j] == text[-1]]
        fractions += [read.count(word) / len(read) for word in "bRQ"]
    return np.array(fractions)


MISTAKES = """
the first word has nothing to read but itself, so b is written at position 0, too.
    [0, 1, 0, 0, 1/2, 1/2] || [0, 1, 0, 1/3, 1/3, 1/3] || [1/2, 1/2, 0, 0, 1/2, 1/2]
the last word looks for b among what the first head has written, and not among the words.
    [1, 0, 0, 1, 0, 0]
equal scores have equal weights: the nearest match is not preferred.
    [1/2, 1/2, 0, 0, 0, 1] || [0, 1, 0, 0, 0, 1]
equal scores have equal weights: the first match is not preferred.
    [0, 1, 0, 0, 1, 0]
the last word reads what stands at a matching position, so Q is read only behind a b.
    [1/3, 1/3, 1/3, 1/3, 1/3, 1/3]
the two texts are exchanged: the fractions of bRaQb come first.
    [1/3, 1/3, 1/3, 1/2, 1/2, 0]
the last word reads what stands behind an earlier b, and not what stands before itself.
    [0, 0, 1, 0, 0, 1]
these are counts: divide by the number of matches, so that the fractions of each text sum to 1.
    [1, 1, 0, 1, 1, 1]
what stands at the matching positions is read, and not what stands before them.
    [1, 0, 0, 2/3, 0, 1/3]
"""

exercise = predict(first_word, MISTAKES, stated=[1 / 2, 1 / 2, 0, 1 / 3, 1 / 3, 1 / 3], atol=0.004)
