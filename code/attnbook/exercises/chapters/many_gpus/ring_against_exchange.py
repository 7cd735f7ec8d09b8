r"""5. A ring against an exchange · medium · 5 min

Hints
1. Queries and outputs have 32 heads, keys and values 8. Which of the four does each send?
2. An exchange sends of each tensor all but the share that stays, 7 of 8.
3. The number of positions, the width and the bytes a number cancel: w · h_kv / (h + h_kv).

Why
In units of $B\,(n/w)\,d$ numbers the ring sends $2\,(w-1)\,h_{kv} = 2 \cdot 7 \cdot 8 = 112$, the
exchanges $2\,\frac{w-1}{w}\,(h + h_{kv}) = 2 \cdot \frac78 \cdot 40 = 70$. So the ring sends 1.6
times as much: $w\,h_{kv}/(h + h_{kv})$.

Notice
Shared heads favour the ring: with h_kv = h it would send 4 times as much.
"""

from attnbook.exercises.engine.module import predict


def ring_against_exchange():
    """Bytes of a ring over those of the exchanges, for 8 ranks, 32 heads and 8 of keys."""
    w, h, h_kv = 8, 32, 8
    ring = 2 * (w - 1) * h_kv
    exchange = 2 * (w - 1) / w * (h + h_kv)
    return ring / exchange


MISTAKES = """
w / 2 holds for as many heads of keys as of queries; here the ring has a quarter.
    4
that is the exchanges' number over the ring's: the question has it the other way.
    0.625
keys and values have 8 heads, and so in the ring: not the 32 of the queries.
    6.4
keys and values are exchanged too: 40 heads each way, not 32.
    2
keys and values alone would be 8 to 1: queries and outputs are exchanged as well.
    8
of each tensor an eighth stays where it is: the exchanges send 7/8 of it.
    1.4
the ring sends at 7 of 8 steps: the block of the last is not sent on.
    64 / 35
the ring sends keys and values, two of 8 heads; the exchanges two of 32 and of 8.
    3.2 || 0.8
three tensors go out, and the output comes back: two of 32 heads, two of 8.
    8 / 3
the number of ranks is missing: the ring sends 7 blocks, an exchange 7/8 of one.
    0.2
the ring sends 8 heads, not the 32 of the queries; and of each tensor 1/8 stays.
    5.6
an exchange sends of each tensor 7 eighths of what a rank keeps, not an eighth.
    11.2
that is one step of the ring over the whole exchange: the ring has 7 of them.
    8 / 35
"""

exercise = predict(ring_against_exchange, MISTAKES, stated=1.6, atol=0.005)
