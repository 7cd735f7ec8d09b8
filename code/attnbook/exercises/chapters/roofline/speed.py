r"""The speed limit of writing · hard · 12 min

Hints
1. One step writes one word in each text. Which numbers are fetched once for all texts, and which
   once for each?
2. A weight takes 2 operations for each text. A number in a cache takes 2 for each head that shares
   it.
3. The step takes the longer of two times, operations/flops and bytes/bandwidth, and in it as many
   words are written as there are texts.

Why
A step fetches the weights once and `words * cache` numbers for each text. It does two operations
with each weight for every text, and two with each number of a cache for every query head of the
group. Since operations and bytes overlap, the step takes the longer of the two times.

Notice
With 8 billion weights of 16 bits, an H100 writes at most 209 words a second in one text. In many
texts at once it writes more, but ever less for each further text, as the caches become most of what
travels.
"""

from attnbook import measure
from attnbook.exercises.engine import case, write


def speed(texts, words, weights, cache, group, itemsize, flops, bandwidth):
    """Words a second, in all texts; operations and bytes overlap."""
    operations = 2 * texts * (weights + group * words * cache)
    moved = itemsize * (weights + texts * words * cache)
    return texts / max(operations / flops, moved / bandwidth)


def by_costs(texts, words, weights, cache, group, itemsize, flops, bandwidth):
    """From the costs of the model and of one cache after the other, under two roofs."""
    cost = measure.Cost(flops=texts * 2 * weights, bytes=itemsize * weights)
    for _ in range(texts):
        of_text = measure.Cost(flops=2 * group * cache, bytes=itemsize * cache)
        cost = cost + words * of_text
    roofs = measure.Ceilings(flops=flops, exps=1.0, bytes=bandwidth)
    return texts / measure.shortest_time(cost, roofs)


def small(texts, words, group, flops):
    """A model of 100 weights, on a machine that moves 100 bytes a second."""
    model = {"texts": texts, "words": words, "weights": 100, "cache": 10, "group": group}
    return model | {"itemsize": 2, "flops": flops, "bandwidth": 100.0}


def large(texts, words):
    """A model of 8 billion weights, in 16 bits on an H100."""
    model = {"texts": texts, "words": words, "weights": 8 * 10**9, "cache": 2**16, "group": 4}
    return model | {"itemsize": 2, "flops": 989e12, "bandwidth": 3.35e12}


CASES = (
    case(**small(texts=1, words=10, group=1, flops=1000.0), gives=0.25),
    case(**small(texts=4, words=10, group=1, flops=1000.0), gives=0.4),
    case(**small(texts=3, words=1, group=5, flops=20.0), gives=1 / 15),
    case(**small(texts=3, words=20, group=4, flops=500.0)),
    case(**large(texts=1, words=0), gives=209.375),
    case(**large(texts=64, words=8192)),
    case(**large(texts=1024, words=128)),
)

MISTAKES = """
the weights are fetched once, and used for all texts.
    (weights + texts * words * cache) → texts * (weights + words * cache)
each text has a cache of its own, and all of them are fetched.
    weights + texts * words * cache → weights + words * cache
operations and bytes overlap, so the step takes the longer of the two times: not their sum, and not
the shorter one.
    max(operations / flops, moved / bandwidth) → (operations / flops + moved / bandwidth)
    max → min
the step takes the longer of two times: compute both, that of the operations and that of the bytes.
    max(operations / flops, moved / bandwidth) → (operations / flops)
    max(operations / flops, moved / bandwidth) → (moved / bandwidth)
one step writes one word in each text: the answer is the words in all texts, divided by the time.
    texts / max → 1 / max || max
a multiplication and an addition are two operations.
    2 * texts → texts
every text has operations of its own, with the weights and with its cache.
    2 * texts * (weights + group → 2 * (weights + group
    2 * texts * (weights + group * words * cache) → 2 * (texts * weights + group * words * cache)
    2 * texts * (weights + group * words * cache) → 2 * (weights + texts * group * words * cache)
each of the heads of the group does its own operations with a number of the cache.
    group * words → words
heads that share a number of the cache fetch it once: the group changes operations, and no bytes.
    texts * words * cache → group * texts * words * cache || texts * words * cache / group
each text has as many words in its cache as `words` says, and `cache` numbers for each of them.
    texts * words * cache → texts * cache
    group * words * cache → group * cache
each number takes `itemsize` bytes.
    itemsize * ( → ( || 8 * itemsize * (
"""

exercise = write(speed, CASES, MISTAKES, oracle=by_costs)
