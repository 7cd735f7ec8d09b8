"""Who lies where · medium · 6 min

Hints
1. Words 0 and 1 are the sinks: they lie in slots 0 and 1 for ever.
2. Which five words came last? Each of them lies in one of the other five slots.
3. Word 2 took slot 2, word 3 slot 3, and so on; word 7 was the first to take a slot from another.

Why
Word p lies in slot 2 + (p − 2) mod 5. The last five words are 15 to 19: for 15 that is
2 + 13 mod 5 = 5, and then come slot 6, and slots 2, 3 and 4.

Notice
The words stand in no order, and no program has to sort them.
"""

from attnbook.exercises.engine import predict


def slots():
    """The words in the slots of a window with sinks that has read 20 words."""
    return [0, 1, *sorted(range(15, 20), key=lambda word: (word - 2) % 5)]


MISTAKES = """
the sinks keep their slots: words 0 and 1 are there for ever.
    [15, 16, 17, 18, 19, 13, 14] || [14, 15, 16, 17, 18, 19, 13] || [13, 14, 15, 16, 17, 18, 19]
    [18, 19, 15, 16, 17, 13, 14]
the last five words are the right ones, but not in the order in which they came: each takes the slot
of the word that leaves.
    [0, 1, 15, 16, 17, 18, 19] || [0, 1, 19, 18, 17, 16, 15]
the slots of the window are counted from behind the sinks: word p lies in slot 2 + (p − 2) mod 5.
    [0, 1, 18, 19, 15, 16, 17] || [0, 1, 19, 15, 16, 17, 18]
    [0, 1, 16, 17, 18, 19, 15]
20 words are words 0 to 19: the last one is 19.
    [0, 1, 17, 18, 14, 15, 16] || [0, 1, 16, 17, 18, 14, 15]
    [0, 1, 17, 18, 19, 20, 16] || [0, 1, 20, 16, 17, 18, 19] || [0, 1, 17, 18, 19, 20, 21]
the window has five slots, and the sinks lie beside them: seven in all.
    [0, 1, 17, 18, 19] || [0, 1, 17, 18, 19, 15] || [17, 18, 19, 15, 16]
"""

exercise = predict(slots, MISTAKES, stated=[0, 1, 17, 18, 19, 15, 16])
