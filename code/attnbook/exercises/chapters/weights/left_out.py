"""How far does the average move? · medium · 12 min

Hints
1. weights * (1 - np.eye(n)) has a row for each key that is left out, with a 0 in its place.
2. Divide each row by its sum, so that it sums to 1 again, and mix the values with it.
3. A key may have all the weight. Its row then sums to 0: divide by 1 instead.

Why
Each row of the matrix is the weights without one key. Divided by its sum it is again a row of
weights, and its product with the values is the average of the others.

Notice
In closed form, without key j the average moves by a_j |v_j - out| / (1 - a_j). So a key with a large
weight moves little if its value is near the average of all.
"""

import numpy as np

from attnbook.exercises.engine import case, draw, stress, write


def left_out(weights, values):
    """The distance between the average, and the average without each key."""
    kept = weights * (1 - np.eye(len(weights)))
    total = kept.sum(axis=1, keepdims=True)
    without = kept / np.where(total == 0, 1, total) @ values
    return np.linalg.norm(weights @ values - without, axis=1)


def in_loops(weights, values):
    """Key by key, with the other keys alone."""
    out, moved = sum(a * v for a, v in zip(weights, values, strict=True)), []
    for j in range(len(weights)):
        others = [i for i in range(len(weights)) if i != j]
        total = sum(weights[i] for i in others)
        rest = sum(weights[i] / total * values[i] for i in others) if total else np.zeros_like(out)
        moved.append(np.sqrt(sum((out - rest) ** 2)))
    return np.array(moved)


rng = np.random.default_rng(9)


def drawn(n, d):
    weights = rng.random(n)
    return {"weights": weights / weights.sum(), **draw(rng, {"values": (n, d)})}


CASES = (
    case(
        weights=np.array([0.5, 0.5]),
        values=np.array([[0.0], [4.0]]),
        gives=np.array([2.0, 2.0]),
    ),
    case(weights=np.array([0.6, 0.4]), values=np.array([[5.0], [5.0]]), gives=np.zeros(2)),
    case(**drawn(3, 1)),
    case(**drawn(3, 2)),
    case(**drawn(4, 4)),
    case(**drawn(6, 3)),
    case(
        weights=np.array([0.0, 1.0]),
        values=np.array([[1.0, 2.0], [3.0, 4.0]]),
        gives=np.array([0.0, 5.0]),
    ),
    case(weights=np.array([2**-20, 1 - 2**-20]), values=np.array([[1.0], [3.0]])),
    case(weights=np.array([2**-4, 2**-5, 29 / 32]), values=np.array([[1.0], [0.0], [3.0]])),
    stress(**drawn(2, 5)),
)

MISTAKES = """
this is the weight times the size of the value: divide the weights that are left by their sum.
    kept / np.where(total == 0, 1, total) @ values → kept @ values
    return np.linalg.norm(weights @ values - without, axis=1) → return weights * np.linalg.norm(values, axis=1)
a small number in the divisor makes each average a little too small, and most where one key has
nearly all the weight: only a sum of 0 needs another divisor.
    np.where(total == 0, 1, total) → (total + 1e-12) || (total + 1e-9) || (total + 1e-8) || (total + 1e-6)
one key may have nearly all the weight, and what is left still has a sum by which to divide.
    np.where(total == 0, 1, total) → np.maximum(total, 1e-3) || np.where(total < 1e-3, 1, total)
    np.where(total == 0, 1, total) → np.where(total < 1e-6, 1, total)
    np.where(total == 0, 1, total) → np.where(total < 0.05, 1, total)
where one key has all the weight, nothing is left to divide by.
    np.where(total == 0, 1, total) → total
without a key that has all the weight the average counts as zeros, so it moves by its whole length,
|out|.
    return np.linalg.norm(weights @ values - without, axis=1) → return np.where(total[:, 0] == 0, 0, np.linalg.norm(weights @ values - without, axis=1))
    return np.linalg.norm(weights @ values - without, axis=1) → return np.where(total[:, 0] == 0, np.inf, np.linalg.norm(weights @ values - without, axis=1))
the others are divided by their sum, 1 − a, so what the average moves by is divided by it, too.
    return np.linalg.norm(weights @ values - without, axis=1) → return weights * np.linalg.norm(values - weights @ values, axis=1)
a small number in the divisor makes every distance a little too short, and makes 0 of the distance
without a key that has all the weight.
    return np.linalg.norm(weights @ values - without, axis=1) → return weights * np.linalg.norm(values - weights @ values, axis=1) / (1 - weights + 1e-9)
    return np.linalg.norm(weights @ values - without, axis=1) → return weights * np.linalg.norm(values - weights @ values, axis=1) / (1 - weights + 1e-8)
these are the averages without each key; how far are they from that with all keys?
    weights @ values - without → without
the distance is the root of the sum of squares.
    return np.linalg.norm(weights @ values - without, axis=1) → return np.sum((weights @ values - without) ** 2, axis=1)
    return np.linalg.norm(weights @ values - without, axis=1) → return np.sum(abs(weights @ values - without), axis=1)
the features are summed with their signs: positive and negative ones cancel.
    return np.linalg.norm(weights @ values - without, axis=1) → return abs(np.sum(weights @ values - without, axis=1))
what counts is how far a value lies from the average, and not its own size.
    return np.linalg.norm(weights @ values - without, axis=1) → return weights * np.linalg.norm(values, axis=1) / np.maximum(1 - weights, 1e-9)
how far it moves is the length of the difference, and not the difference of the two lengths.
    return np.linalg.norm(weights @ values - without, axis=1) → return abs(np.linalg.norm(weights @ values) - np.linalg.norm(without, axis=1))
the other keys are back when the next one is left out: begin with all weights each time.
    weights * (1 - np.eye(len(weights))) → np.triu(weights * np.ones((len(weights), 1)), 1)
two things: what is left is divided by its sum, and the distance is the root of the sum of squares.
    kept / np.where(total == 0, 1, total) @ values → kept @ values ; return np.linalg.norm(weights @ values - without, axis=1) → return np.sum((weights @ values - without) ** 2, axis=1)
    kept / np.where(total == 0, 1, total) @ values → kept @ values ; return np.linalg.norm(weights @ values - without, axis=1) → return np.sum(abs(weights @ values - without), axis=1)
each key has a distance of its own: take the norm of each row.
    without, axis=1) → without, axis=0)
    without, axis=1) → without)
this keeps one key and leaves out all others.
    weights * (1 - np.eye(len(weights))) → weights * np.eye(len(weights))
    weights @ values - without → weights @ values - values
the plain mean of the others forgets their weights.
    kept = weights * (1 - np.eye(len(weights))) → kept = 1 - np.eye(len(weights))
where one key has all the weight, the average of the others counts as zeros: their plain mean is none.
    without = kept → kept = np.where(total == 0, 1 - np.eye(len(weights)), kept)\\n    without = kept ; np.where(total == 0, 1, total) → kept.sum(axis=1, keepdims=True)
"""

exercise = write(left_out, CASES, MISTAKES, oracle=in_loops)
