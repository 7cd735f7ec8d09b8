r"""Project, step 2: write without end · hard · 25 min

Hints
1. Keep two arrays, the keys as they were rotated and the values, and go word by word. What has to be
   done before a word enters, if there are already `room` words?
2. The position of a word is the number of words that lie before it in the cache, and not its number
   in the text.
3. `closed_gap` takes the place where the gap begins and the number of words in it. Which of your
   numbers are these?
4. `np.append(keys, row, axis=0)` adds a row. The word's own key is in the cache when its query looks.

Why
Before a word enters a full cache, `drop` words behind the sinks leave it, and the gap is closed.
Then the word enters at position len(keys), which is below `room`, and its query is rotated by the
same position. So no query ever meets a distance of `room` words or more, however long the text.
With room for 8 words, 2 sinks and `drop` 3, words 2, 3 and 4 leave before word 8 enters, so that
v[2] enters the outputs 2 to 7, and no other.

Notice
The text may be a million words long: no angle in it is new to the head, and no cache is longer than
`room`. What has left is forgotten.
"""

import numpy as np

from attnbook.exercises.chapters.past_the_trained_length.closed_gap import closed_gap
from attnbook.exercises.engine import case, counting_calls, stress, write
from attnbook.positions import rope
from attnbook.reference import softmax


def endless(q, k, v, theta, room, sinks, drop, closed_gap):
    """Each word enters a cache of at most `room` words, and looks at all that are in it."""
    keys, values, out = k[:0], v[:0], np.empty_like(v)
    for t in range(len(q)):
        if len(keys) == room:
            keys, values = closed_gap(keys, values, sinks, drop, theta)
        at = np.array([len(keys)])
        keys = np.append(keys, rope(k[t : t + 1], at, theta), axis=0)
        values = np.append(values, v[t : t + 1], axis=0)
        scores = rope(q[t : t + 1], at, theta) @ keys.T / q.shape[1] ** 0.5
        out[t] = (softmax(scores) @ values)[0]
    return out


def recomputed(q, k, v, theta, room, sinks, drop):
    """For each word the numbers of those that are left; all are rotated anew, as complex numbers."""
    out, left, gaps = [], [], 0
    for t in range(len(v)):
        if len(left) == room:
            left, gaps = left[:sinks] + left[sinks + drop :], gaps + 1
        left.append(t)
        places = np.arange(len(left))[:, None]
        query, keys = (x[..., 0::2] + 1j * x[..., 1::2] for x in (q[t], k[left]))
        turned = keys * np.exp(1j * (places - places[-1]) * theta)
        scores = (query.conj() @ turned.T).real / q.shape[1] ** 0.5
        exps = np.exp(scores - np.max(scores))
        out.append(exps @ v[left] / exps.sum())
    return np.array(out), gaps


rng = np.random.default_rng(14)


def drawn(n, room, sinks, drop, pairs=1, d_v=1, size=2):
    widths = {"q": 2 * pairs, "k": 2 * pairs, "v": d_v}
    arrays = {name: size * rng.standard_normal((n, d)) for name, d in widths.items()}
    theta = np.array([np.pi / 6, 0.1])[:pairs]
    return arrays | {"theta": theta, "room": room, "sinks": sinks, "drop": drop}


CASES = (
    case(**drawn(2, 2, 1, 1)),
    case(**drawn(3, 2, 0, 1)),
    case(**drawn(4, 3, 1, 1)),
    case(**drawn(6, 4, 1, 2, d_v=2)),
    case(**drawn(9, 4, 0, 3, pairs=2, d_v=3)),
    case(**drawn(20, 8, 2, 3, pairs=2, d_v=2)),
    case(**drawn(12, 6, 4, 2, pairs=2, d_v=2)),
    case(**drawn(7, 10, 3, 2, pairs=2, d_v=2)),
    stress(**drawn(4, 3, 1, 1, size=40)),
)


def without_itself(q, k, v, theta, room, sinks, drop, closed_gap):
    """Each word looks before it enters, the first one at nothing."""
    keys, values, out = k[:0], v[:0], np.empty_like(v)
    for t in range(len(q)):
        if len(keys) == room:
            keys, values = closed_gap(keys, values, sinks, drop, theta)
        at = np.array([len(keys)])
        scores = rope(q[t : t + 1], at, theta) @ keys.T / q.shape[1] ** 0.5
        out[t] = (softmax(scores) @ values)[0]
        keys = np.append(keys, rope(k[t : t + 1], at, theta), axis=0)
        values = np.append(values, v[t : t + 1], axis=0)
    return out


def all_rotated_anew(q, k, v, theta, room, sinks, drop, closed_gap):
    return recomputed(q, k, v, theta, room, sinks, drop)[0]


MISTAKES = """
the positions count on with the text: after the first gap they are those of words in no cache.
    at = np.array([len(keys)]) → at = np.array([t])
    at = np.array([len(keys)]) → at = np.array([t]) ; / q.shape[1] ** 0.5 →
    keys, values, out → k = rope(k, np.arange(len(k)), theta)\\n    keys, values, out ; rope(k[t : t + 1], at, theta) → k[t : t + 1]
the position is taken before the gap is closed, when the cache is still full.
    if len(keys) == room: → at = np.array([len(keys)])\\n        if len(keys) == room: ; at = np.array([len(keys)])\\n        keys → keys
other pairs are rotated: neighbours are a pair here, while halves are one in some libraries.
    at, theta) ⇒ at, theta, "halves")
the position is not taken from the cache: when a gap has been closed, `drop` positions are free again,
and the next word takes the first of them.
    at = np.array([len(keys)]) → at = np.array([min(t, room - 1)])
    at = np.array([len(keys)]) → at = np.array([t % room])
    at = np.array([len(keys)]) → at = np.array([min(t, room - drop)])
the query stands at another position than the key of its own word.
    scores = rope(q[t : t + 1], at → scores = rope(q[t : t + 1], np.array([t])
    scores = rope(q[t : t + 1], at → scores = rope(q[t : t + 1], at + 1
    scores = rope(q[t : t + 1], at → scores = rope(q[t : t + 1], at - 1
    keys = np.append(keys, rope(k[t : t + 1], at → keys = np.append(keys, rope(k[t : t + 1], at + 1
    at = np.array([len(keys)]) → at = np.array([t]) ; keys = np.append(keys, rope(k[t : t + 1], at → keys = np.append(keys, rope(k[t : t + 1], np.array([len(keys)])
the query or the key is not rotated.
    scores = rope(q[t : t + 1], at, theta) → scores = q[t : t + 1]
    rope(k[t : t + 1], at, theta) → k[t : t + 1]
one word too many is in the cache: what is full makes room before the next word enters.
    len(keys) == room → len(keys) > room
the cache makes room too early: it is full with `room` words, not before.
    len(keys) == room → len(keys) == room - 1
    len(keys) == room → len(keys) >= room - 1
    len(keys) == room → len(keys) >= room - drop
    if len(keys) == room → while len(keys) > room - drop
no word ever leaves: the cache grows with the text.
    len(keys) == room → False
the outputs are right, but a gap is closed too often: after the last word, for which no other makes
room, or for each word.
    return out → if len(keys) == room:\\n        closed_gap(keys, values, sinks, drop, theta)\\n    return out
what `closed_gap` returns is lost: it changes no array, and the cache goes on with what it returns.
    keys, values = closed_gap → _, _ = closed_gap
the sinks have left: the words that go lie behind the first `sinks`.
    values, sinks, drop → values, 0, drop
the latest words leave: those that go lie directly behind the sinks.
    values, sinks, drop → values, len(keys) - drop, drop
a single word leaves, or all but the sinks do: it should be `drop` words.
    sinks, drop, theta) → sinks, 1, theta)
    sinks, drop, theta) → sinks, room - sinks, theta)
`closed_gap` takes the number of words in the gap, and not where it ends.
    sinks, drop, theta) → sinks, sinks + drop, theta)
a word does not see itself.
    scores = rope(q[t : t + 1], at, theta) @ keys.T / q.shape[1] ** 0.5 → scores = rope(q[t : t + 1], at, theta) @ keys.T / q.shape[1] ** 0.5 + np.where(np.arange(len(keys)) == len(keys) - 1, -np.inf if t else 0, 0)
    is without_itself
the scores lack the scale, 1 over the square root of the width, or have another.
    / q.shape[1] ** 0.5 →
    / q.shape[1] ** 0.5 → / q.shape[1]
    / q.shape[1] ** 0.5 → / v.shape[1] ** 0.5
    / q.shape[1] ** 0.5 → / 2
the weights are a softmax over another axis than that of the keys.
    softmax(scores) → softmax(scores.T).T
the exponentials of large scores overflow: subtract the largest score first.
    (softmax(scores) @ values)[0] → (np.exp(scores) / np.sum(np.exp(scores)) @ values)[0]
`closed_gap` is never called: keys that are kept unrotated, and rotated again for each word, cost
more with each of them.
    is all_rotated_anew
"""

exercise = write(
    endless,
    CASES,
    MISTAKES,
    through=counting_calls(closed_gap, results=1),
    oracle=recomputed,
    results=("out", "gaps"),
    counts={"gaps": "calls of `closed_gap`"},
)
