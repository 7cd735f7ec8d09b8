r"""1. What a rank sends · easy · 4 min

Hints
1. How many positions does a rank keep, and how many bytes are their keys and values?
2. The heads of the queries do not travel: 8 heads of keys, 8 of values.
3. After the last step nobody needs the block any more: how often is one sent?

Why
A rank keeps $65536 / 16 = 4096$ positions. Their keys and values are $2 \cdot 8 \cdot 4096 \cdot
128$ numbers of 2 bytes, 16 MiB. They are sent at 15 of the 16 steps: 240 MiB.

Notice
The number of ranks hardly matters: (w − 1)/w of all keys and values pass by each.
"""

from attnbook.exercises.engine.module import predict


def bytes_sent():
    """Keys and values of 65536 / 16 positions, at every step but the last, in MiB."""
    w, positions = 16, 65536 // 16
    return (w - 1) * 2 * 8 * positions * 128 * 2 / 2**20


MISTAKES = """
that is 16 sendings: the last block is not sent on, 15 of 16 steps send one.
    256
keys travel, and values with them, 8 heads of each.
    120 || 128 || 15
that is one block: one is sent at each step but the last.
    16
that is what all ranks send together, or the whole sequence each time: a rank sends blocks of 65536
/ 16 positions.
    3840
a block has 65536 / 16 positions, and is sent 15 times.
    4096
that is double: 2 bytes a number, keys and values alone, and what is sent alone.
    480
that is what an exchange of heads sends; in a ring queries and outputs stay.
    75
queries, of 32 heads, and outputs stay where they are: keys and values travel, two of 8 heads.
    1200 || 600 || 720 || 360 || 960 || 1024
that is the way back, on which gradients travel too: asked is forward.
    496 || 752
that is 8 times as much, as in bits: a byte has 8 of them.
    1920
asked are MiB, of 2^20 bytes each: this is in bytes, or in another multiple of them.
    251658240 || 245760 || 251.65824 || 0.234375
8 heads of 128 numbers each: the heads are missing, once.
    30
"""

exercise = predict(bytes_sent, MISTAKES, stated=240, atol=0.01)
