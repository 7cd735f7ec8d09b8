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
that is half: values travel with keys, and a number has 2 bytes.
    120
that is the keys alone, and 16 times: values travel with them.
    128
that is one block: one is sent at each step but the last.
    16
that is what all ranks send together, or the whole sequence each time: a rank sends blocks of
65536 / 16 positions.
    3840
a block has 65536 / 16 positions, and is sent 15 times.
    4096
that is double: 2 bytes a number, keys and values alone, and what is sent alone.
    480
that is what an exchange of heads sends; in a ring queries and outputs stay.
    75
that is with queries and outputs, which stay where they are.
    1200
that is with the queries, of 32 heads: they stay, keys and values travel.
    600
    720
that is the way back, on which gradients travel too: asked is forward.
    496
    752
that is 8 times as much, as in bits: a byte has 8 of them.
    1920
asked are MiB, of 2^20 bytes each: this is in bytes, or in another multiple of them.
    251658240
    245760
    251.65824
    0.234375
that is one head, of keys alone: 8 of keys travel, and 8 of values.
    15
32 heads are those of the queries, which stay: keys and values have 8, and are sent 15 times.
    960
    1024
queries stay where they are: keys and values travel, two, not three.
    360
8 heads of 128 numbers each: the heads are missing, once.
    30
"""

exercise = predict(bytes_sent, MISTAKES, stated=240, atol=0.01)
