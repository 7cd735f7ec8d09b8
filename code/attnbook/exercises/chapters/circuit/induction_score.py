"""How much of a map is induction · medium · 12 min

Hints
1. For which pairs (i, j) is the token in front of j the same as the token at i?
2. `tokens[:, None] == tokens[None, :-1]` compares each token with all but the last; its column j
   belongs to key j + 1.
3. Sum the weights of each row on its pairs, and average over the rows that have a pair.

Why
A key j counts for a query i if x_(j-1) = x_i and j ≤ i. A row without an earlier copy has nothing to
find, so it says nothing about the head, and it would only lower the average.

Notice
A score of a map says where a head looks. What it does with what it finds is in its values and W_o,
which this score doesn't see.
"""

import numpy as np
import torch

from attnbook.exercises.engine import case, draw, stress, write
from attnbook.exercises.engine.tensors import on_tensors


def induction_score(weights, tokens):
    """The mean weight behind earlier copies, over the queries that have one."""
    counts = torch.zeros_like(weights, dtype=torch.bool)
    counts[:, 1:] = tokens[:, None] == tokens[:-1]
    counts = counts.tril()
    mass = (weights * counts).sum(dim=1)
    return mass[counts.any(dim=1)].mean()


def in_loops(weights, tokens):
    """Query by query."""
    masses = []
    for i in range(len(tokens)):
        behind = [j for j in range(1, i + 1) if tokens[j - 1] == tokens[i]]
        if behind:
            masses.append(sum(float(weights[i, j]) for j in behind))
    return np.array(np.mean(masses), weights.dtype)


rng = np.random.default_rng(6)


def drawn(tokens, dtype=np.float64):
    """A causal map of random weights, of which each row sums to 1."""
    n = len(tokens)
    affinities = np.tril(np.exp(draw(rng, {"x": (n, n)})["x"]))
    weights = affinities / affinities.sum(axis=1, keepdims=True)
    return {"weights": weights.astype(dtype), "tokens": np.array(tokens)}


def given(*rows):
    return np.array(rows, dtype=float)


CASES = (
    case(
        weights=given([1, 0, 0], [0.5, 0.5, 0], [0.1, 0.7, 0.2]),
        tokens=np.array([5, 7, 5]),
        gives=np.array(0.7),
    ),
    case(weights=given([1, 0], [0.25, 0.75]), tokens=np.array([3, 3]), gives=np.array(0.75)),
    case(
        weights=given([1, 0, 0], [0, 1, 0], [1, 0, 0]),
        tokens=np.array([3, 3, 3]),
        gives=np.array(0.5),
    ),
    case(**drawn([1, 2, 1, 3])),
    case(**drawn([1, 2, 3, 1, 2, 3])),
    case(**drawn([4, 1, 4, 2, 4])),
    case(**drawn([0, 0, 0, 0])),
    case(**drawn([2, 5, 2, 5, 9, 2, 7])),
    case(**drawn([0, 1, 1, 0, 2, 0, 1])),
    case(**drawn([51, 1000, 51, 1000])),
    stress(**drawn([1, 2, 1, 2], np.float32)),
    stress(**drawn([8, 3, 8, 8, 3]) | {"weights": np.full((5, 5), 0.2)}),
)

MISTAKES = """
these are the weights on the copy itself; induction looks at what stands behind it.
    counts[:, 1:] = tokens[:, None] == tokens[:-1] → counts[:, :-1] = tokens[:, None] == tokens[:-1]
    counts[:, 1:] = tokens[:, None] == tokens[:-1] → counts[:, :] = tokens[:, None] == tokens ; counts.tril() → counts.tril(-1)
these are the weights on what stands in front of the copy; induction looks behind it.
    counts[:, 1:] = tokens[:, None] == tokens[:-1] → counts[:, :-1] = tokens[:, None] == tokens[1:] || counts[:] = tokens[:, None] == tokens.roll(-1)
no token stands before key 0: 0 < j, and `roll` puts the last one there.
    counts[:, 1:] = tokens[:, None] == tokens[:-1] → counts[:] = tokens[:, None] == tokens.roll(1)
a query looks for its own token, x_(j-1) = x_i, and not for the one that follows it.
    counts[:, 1:] = tokens[:, None] == tokens[:-1] → counts[:-1] = tokens[1:, None] == tokens
queries without an earlier copy have nothing to find: leave them out of the average.
    mass[counts.any(dim=1)].mean() → mass.mean()
the average over the queries is missing.
    mass[counts.any(dim=1)].mean() → mass[counts.any(dim=1)].sum()
a query with two earlier copies looks behind both: their weights add up.
    mass = (weights * counts).sum(dim=1) → mass = (weights * counts).amax(dim=1)
    mass = (weights * counts).sum(dim=1) → mass = (weights * counts).sum(dim=1) / counts.sum(dim=1).clamp(min=1)
    counts = counts.tril() → counts = counts.tril()\\n    counts = counts & (counts.cumsum(dim=1) == 1)
    counts = counts.tril() → counts = counts.tril()\\n    counts = counts & (counts.flip(1).cumsum(dim=1).flip(1) == 1)
a query that looks elsewhere counts as well, with 0: whether it has a copy is seen in the tokens.
    mass[counts.any(dim=1)] → mass[mass > 0]
copies may stand at any distance: look for them in the tokens.
    = weights.diagonal(1 - len(tokens) // 2).mean()
each query counts once, however many copies it has.
    mass[counts.any(dim=1)].mean() → (weights * counts).sum() / counts.sum()
rows are queries: sum over the keys, dim=1.
    (weights * counts).sum(dim=1) → (weights * counts).sum(dim=0)
a query sees no future: only keys up to its own position count.
    counts = counts.tril() → pass
a copy may stand right before the query; then the query itself stands behind it, and counts.
    counts.tril() → counts.tril(-1)
only the last query is taken here, and all that have an earlier copy count.
    mass[counts.any(dim=1)].mean() → mass[-1]
"""

exercise = write(induction_score, CASES, MISTAKES, oracle=in_loops, through=on_tensors)
