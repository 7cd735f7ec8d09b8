r"""A ring against an exchange · medium · 5 min

Hints
1. Queries and outputs have 32 heads, keys and values 8. Which of the four does each send?
2. Going there and coming back, the exchanges send 7/8 of each array; the rest stays.
3. The number of positions, the width and the size of a number cancel, and so does w − 1. What is
left is w · h_kv / (h + h_kv).

Why
In units of $B\,(n/w)\,d$ numbers the ring sends $2\,(w-1)\,h_{kv} = 2 \cdot 7 \cdot 8 = 112$, and
the exchanges send $2\,\frac{w-1}{w}\,(h + h_{kv}) = 2 \cdot \frac78 \cdot 40 = 70$. So the ring sends 1.6
times as much: $w\,h_{kv}/(h + h_{kv})$.

Notice
Shared heads favour the ring: if h_kv were h, it would send 4 times as much as the exchanges.
"""

from attnbook.exercises.engine import predict


def ring_against_exchange():
    """Bytes of a ring over those of the exchanges, for 8 ranks, 32 heads and 8 of keys."""
    w, h, h_kv = 8, 32, 8
    ring = 2 * (w - 1) * h_kv
    exchange = 2 * (w - 1) / w * (h + h_kv)
    return ring / exchange


MISTAKES = """
w / 2 is right for as many key-value heads as query heads; here there are only a quarter as many.
    4
that is how many times as much the exchanges send as the ring: the question asks it the other way.
    0.625
the ring sends keys and values, and these have 8 heads, not the 32 of the queries.
    6.4
keys and values are exchanged too, so that 40 heads count, and not 32.
    2
with only keys and values it would be 8 to 1, but queries and outputs are exchanged as well.
    8
an eighth of each array stays where it is: the exchanges send 7/8 of it.
    1.4
the ring sends at 7 of the 8 steps: after the last step the block is not sent on.
    64 / 35
the ring sends two arrays with 8 heads, and the exchanges send two with 32 and two with 8.
    3.2 || 0.8
three arrays go out and the output comes back: two of them have 32 heads, and two have 8.
    8 / 3
the number of ranks is missing: the ring sends 7 blocks, an exchange 7/8 of one.
    0.2
the ring sends 8 heads, not the 32 of the queries; and 1/8 of each exchanged array stays.
    5.6
an exchange sends 7/8 of what a rank keeps of each array, not 1/8.
    11.2
that compares one sending of the ring with the whole exchange: the ring sends 7 times.
    8 / 35
"""

exercise = predict(ring_against_exchange, MISTAKES, stated=1.6, atol=0.005)
