r"""What a rank sends · easy · 4 min

Hints
1. How many positions does a rank keep, and how many bytes are their keys and values?
2. Queries do not travel, so their 32 heads do not count: there are 8 key-value heads.
3. After the last step nobody needs the block any more. So how often is one sent?

Why
A rank keeps $65536 / 16 = 4096$ positions. Their keys and values are $2 \cdot 8 \cdot 4096 \cdot
128$ numbers of 2 bytes, 16 MiB. They are sent at 15 of the 16 steps: 240 MiB.

Notice
The number of ranks hardly matters: each of them passes on (w − 1)/w of all keys and values.
"""

from attnbook.exercises.engine import predict


def bytes_sent():
    """Keys and values of 65536 / 16 positions, at every step but the last, in MiB."""
    w, positions = 16, 65536 // 16
    return (w - 1) * 2 * 8 * positions * 128 * 2 / 2**20


MISTAKES = """
that is 16 sendings: the last block is not sent on, so only 15 of the 16 steps send one.
    256
keys travel together with their values: there are 8 heads of each.
    120 || 128 || 15
that is one block, and a block is sent at each step but the last.
    16
that is what all ranks send together, or the whole sequence at each step: one rank sends blocks of
65536 / 16 positions.
    3840
that is the whole sequence, sent once for each rank: a block has 65536 / 16 positions, and a block is
sent 15 times.
    4096
that is twice as much: a number has 2 bytes, only keys and values travel, and what is received does
not count as sent.
    480
that is what an exchange of heads sends; in a ring queries and outputs stay at home.
    75
queries and outputs, with their 32 heads, stay at home: only keys and values travel, with 8 heads
each.
    1200 || 600 || 720 || 360 || 960 || 1024
that is the backward pass, in which gradients travel as well: the question is about the forward pass.
    496 || 752
that is 8 times as much, perhaps in bits: a byte has 8 of them.
    1920
this is in bytes, or in another multiple of them: the answer should be in MiB, of 2^20 bytes each.
    251658240 || 245760 || 251.65824 || 0.234375
the heads are missing: a position has 8 heads of 128 numbers, for keys and again for values.
    30
"""

exercise = predict(bytes_sent, MISTAKES, stated=240, atol=0.01)
