"""Attention once more, in numbers, lists and loops, straight from the equations.

It shares nothing with the package, not even NumPy, so that agreement means something.
"""

import math


def logsumexp(scores, visible):
    """L = log Σ_j exp(s_j) over the visible j, for one row."""
    seen = [s for s, see in zip(scores, visible, strict=True) if see and s > -math.inf]
    if not seen:
        return -math.inf
    return max(seen) + math.log(math.fsum(math.exp(s - max(seen)) for s in seen))


def softmax(scores, visible):
    """A_j = exp(s_j) / Σ_l exp(s_l) over the visible j and l, for one row."""
    seen = [s for s, see in zip(scores, visible, strict=True) if see and s > -math.inf]
    if not seen:
        return [0.0 for _ in scores]
    total = math.fsum(math.exp(s - max(seen)) for s in seen)
    return [
        math.exp(s - max(seen)) / total if see else 0.0
        for s, see in zip(scores, visible, strict=True)
    ]


def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


def dot_product_scores(q, k, scale=None):
    """S_ij = scale · (q_i · k_j), for one sequence."""
    scale = 1 / math.sqrt(len(q[0])) if scale is None else scale
    return [[scale * dot(q_i, k_j) for k_j in k] for q_i in q]


def gaussian_scores(q, k, width):
    """S_ij = -|q_i - k_j|² / (2 width²), for one sequence."""
    return [[-(math.dist(q_i, k_j) ** 2) / (2 * width**2) for k_j in k] for q_i in q]


def weighted_sum(weights, v):
    """out_i = Σ_j A_ij v_j, for one sequence."""
    columns = list(zip(*v, strict=True))
    return [[dot(row, column) for column in columns] for row in weights]


def attention(q, k, v, mask, bias, scale=None):
    """out = softmax(scale · q kᵀ + bias) v over the visible keys, for one sequence."""
    weights = []
    for s_i, b_i, m_i in zip(dot_product_scores(q, k, scale), bias, mask, strict=True):
        weights.append(softmax([s + b for s, b in zip(s_i, b_i, strict=True)], m_i))
    return weighted_sum(weights, v)


def over_rows(function, depth, *nested):
    """Apply a function of rows or matrices to lists that have `depth` batch axes around them."""
    if depth == 0:
        return function(*nested)
    return [over_rows(function, depth - 1, *inner) for inner in zip(*nested, strict=True)]
