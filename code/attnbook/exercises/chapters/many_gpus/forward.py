r"""Project, step 1: the zigzag ring · hard · 25 min

Hints
1. At step 0 each rank attends to its own block, with causal=True. This gives the first outputs and
   the first L of all ranks, two arrays that you then merge into.
2. At each of the other w − 1 steps send the keys and the values first. Rank r then has the block of
   rank (r − step) % w.
3. If that rank is an earlier one, all queries see its early half. If it is a later one, your late
   half of the queries sees all its keys. In both cases causal=False.
4. Merge into the rows of the queries that took part, and into no others: out[r, rows] and
   lse[r, rows] together.

Why
At home the positions rise, so the mask is the ordinary one. Away from home half of the square is
visible, and that half is a rectangle without a mask: all queries with the early keys of an earlier
rank, or the late queries with all the keys of a later one. Each rank merges what it finds into the
rows that have found it.

Notice
Every rank has computed the same number of pairs at every step, and nobody has sent a block that was
not needed.
"""

import numpy as np

from attnbook import online
from attnbook.exercises.chapters.many_gpus._counted import (
    COUNTS,
    attend,
    attended,
    counting,
    drawn,
    example,
    numbers_in,
    pairs_of,
)
from attnbook.exercises.engine import case, write


def forward(q, k, v, attend, send):
    """Causal attention and its L, on a zigzag ring: row r of each array lies on rank r."""
    w, half = len(q), q.shape[1] // 2
    found = [attend(q[r], k[r], v[r], True) for r in range(w)]
    out, lse = map(np.stack, zip(*found, strict=True))
    for step in range(1, w):
        k, v = send(k), send(v)
        for r in range(w):
            earlier = (r - step) % w < r
            rows = slice(0 if earlier else half, None)
            keys = slice(half if earlier else None)
            part = attend(q[r, rows], k[r, keys], v[r, keys], False)
            so_far = out[r, rows], lse[r, rows]
            out[r, rows], lse[r, rows] = online.merge(*so_far, *part)
    return out, lse


def consecutive(q, k, v, attend, send):
    """By the rule for consecutive positions: an earlier rank wholly, a later one not at all."""
    found = [attend(q[r], k[r], v[r], True) for r in range(len(q))]
    out, lse = map(np.stack, zip(*found, strict=True))
    for step in range(1, len(q)):
        k, v = send(k), send(v)
        for r in range(step, len(q)):
            part = attend(q[r], k[r], v[r], False)
            out[r], lse[r] = online.merge(out[r], lse[r], *part)
    return out, lse


def sent_at_the_end(q, k, v, attend, send):
    """Each step attends and then sends, the last one as well."""
    w, half = len(q), q.shape[1] // 2
    out, lse = np.zeros((*q.shape[:2], v.shape[2])), np.full(q.shape[:2], -np.inf)
    for step in range(w):
        for r in range(w):
            source = (r - step) % w
            rows = slice(half if source > r else 0, None)
            keys = slice(half if source < r else None)
            part = attend(q[r, rows], k[r, keys], v[r, keys], source == r)
            so_far = out[r, rows], lse[r, rows]
            out[r, rows], lse[r, rows] = online.merge(*so_far, *part)
        k, v = send(k), send(v)
    return out, lse


def without_attend(q, k, v, attend, send):
    return attended(q, k, v)


def by_definition(q, k, v):
    """The definition on the whole sequence, the visible pairs, and the numbers of a rank's blocks."""
    return *attended(q, k, v), pairs_of(q), (len(q) - 1) * numbers_in(k, v)


rng = np.random.default_rng(12)
OUTPUTS = np.array([[[0.0], [2.75]], [[2.0], [3.0]]])
SUMS = np.array([[1.0, 16.0], [2.0, 4.0]])

CASES = (
    case(**example(), gives=(OUTPUTS, np.log(SUMS), 10, 10)),
    case(**drawn(rng, 2, 2)),
    case(**drawn(rng, 2, 4)),
    case(**drawn(rng, 3, 2)),
    case(**drawn(rng, 4, 2, d_k=2, d_v=5)),
    case(**drawn(rng, 3, 4)),
    case(**drawn(rng, 5, 6, d_k=3, d_v=2)),
)

MISTAKES = """
the rule is that of consecutive positions: in a zigzag each rank has something early and something
late.
    is consecutive
the late half of an earlier rank's keys lies behind all your queries: take its early half alone.
    half if earlier else None → None
the early half of your queries lies before all the keys of a later rank: only the late half sees
them.
    0 if earlier else half → 0
the future is not hidden away from home: take the half of the square that is visible.
    half if earlier else None → None ; 0 if earlier else half → 0
nothing is hidden: at home causal=True, and away from home take the half that is visible.
    half if earlier else None → None ; 0 if earlier else half → 0 ; v[r], True → v[r], False
the two cases are exchanged: all queries meet the early keys of an *earlier* rank.
    % w < r → % w > r
the ring turns the other way: each block moves to the next rank, so at step s rank r has that of rank
r − s.
    r - step → r + step
the halves are exchanged: of the keys the early half is seen, and of the queries the late half sees.
    slice(0 if earlier else half, None) → slice(None if earlier else half)
    slice(half if earlier else None) → slice(half if earlier else 0, None)
at home a query does not see the keys behind it: causal=True there.
    v[r], True → v[r], False
away from home what is visible is a whole rectangle: causal=False there.
    v[r, keys], False → v[r, keys], True
that is one sending too many: after the last step nobody needs the block, so w − 1 of w steps send.
    return out, lse → send(k), send(v)\\n    return out, lse
    is sent_at_the_end
nothing has been sent: a rank works only with the keys and values that lie there.
    k, v = send(k), send(v) → pass
    k, v = send(k), send(v) → k, v = np.roll(k, 1, axis=0), np.roll(v, 1, axis=0)
what has arrived is lost: `send` changes no array, and returns what lies on each rank now.
    k, v = send(k), send(v) → send(k), send(v)
a rank reads keys where they lie on another: take those that have arrived in row r.
    k[r, keys], v[r, keys] → k[(r - step) % w, keys], v[(r - step) % w, keys] ; k, v = send(k), send(v) → pass
    k[r, keys], v[r, keys] → home[0][(r - step) % w, keys], home[1][(r - step) % w, keys] ; for step in → home = k, v\\n    for step in
keys travel together with their values: send both.
    send(k), send(v) → send(k), v
    send(k), send(v) → k, send(v)
a ring has w steps, and w − 1 of them away from home.
    range(1, w) → range(1, w - 1)
what two blocks found is weighted by the sums of their exponentials: merge, and don't average.
    online.merge(*so_far, *part) → (out[r, rows] + part[0]) / 2, np.logaddexp(lse[r, rows], part[1])
    online.merge(*so_far, *part) → (out[r, rows] + part[0]) / 2, lse[r, rows]
    online.merge(*so_far, *part) → out[r, rows] + part[0], np.logaddexp(lse[r, rows], part[1])
what the late queries have found is merged into the rows of the early ones.
    out[r, rows], lse[r, rows] = online.merge(*so_far, *part) → n = len(part[0])\\n            out[r, :n], lse[r, :n] = online.merge(out[r, :n], lse[r, :n], *part)
each block replaces what was found before: merge it with that.
    online.merge(*so_far, *part) → part
L is merged as well as the output, or the next block is weighted against the wrong sum.
    out[r, rows], lse[r, rows] = online.merge(*so_far, *part) → out[r, rows] = online.merge(*so_far, *part)[0]
the results are right, but nothing was computed on the ranks: call the `attend` that your function is
given.
    is without_attend
"""

exercise = write(
    forward,
    CASES,
    MISTAKES,
    drafts=(sent_at_the_end,),
    through=counting(attend, 2),
    oracle=by_definition,
    results=("out", "lse", "pairs", "sent"),
    counts=COUNTS,
)
