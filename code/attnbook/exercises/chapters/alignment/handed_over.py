"""What is handed over · easy · 6 min

Hints
1. Without attention the writer begins with one state, and sees nothing else of the text.
2. With attention it has a state for each letter beside it, padding not counted.
3. Each symbol that is written is a query, and each letter a key. The additive score makes a hidden
   layer for each pair.

Why
Without attention it is one state of 32 numbers, for a text of any length. With attention there are
24 states of letters as well, 25 · 32 = 800 numbers. Ten queries meet 24 keys, which makes 240
scores, and for each of them the hidden layer has 32 numbers: 7680.

Notice
What attention hands over grows with the text; a single vector doesn't. So does what it costs: each
symbol more needs a score with every letter.
"""

from attnbook.exercises.engine import predict


def handed_over():
    """Numbers without attention, and with it; scores, and numbers in the hidden layer."""
    hidden, letters, symbols = 32, 24, 10
    pairs = letters * symbols
    return [hidden, hidden + letters * hidden, pairs, pairs * hidden]


MISTAKES = """
without attention there is only the last state, however long the text is.
    [768, 800, 240, 7680] || [24, 800, 240, 7680] || [320, 800, 240, 7680]
the two directions are added: a state has 32 numbers, and not 64.
    [64, 1600, 240, 7680] || [64, 800, 240, 7680] || [32, 1568, 240, 7680]
with attention the writer has the last state as well, beside those of the 24 letters.
    [32, 768, 240, 7680]
each of the ten symbols has a score with each of the 24 letters.
    [32, 800, 24, 7680] || [32, 800, 34, 7680] || [32, 800, 24, 768] || [32, 800, 34, 1088]
a score is made by every symbol with every letter, and by none with itself or its own kind.
    [32, 800, 100, 7680] || [32, 800, 576, 7680] || [32, 800, 576, 18432]
the hidden layer is made for every pair, before w_v sums it up.
    [32, 800, 240, 240] || [32, 800, 240, 32] || [32, 800, 240, 1088] || [32, 800, 240, 320]
"""

exercise = predict(handed_over, MISTAKES, stated=[32, 800, 240, 7680])
