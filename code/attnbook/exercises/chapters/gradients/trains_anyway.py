r"""Project, step 3: find the bugs · hard · 20 min

Hints
1. Let no two sizes of your inputs agree, and change one thing at a time: first try more keys than
   queries, then two shared heads. Which gradients does your judge reject each time?
2. If a single gradient is rejected, the line to look for is one that the other two do not pass
   through.
3. Four heads share two: which of the four are copies of head 0, and which of them does the backward
   pass add up?

Why
With more keys than queries only $G_Q$ is rejected. The queries were rotated by the last positions,
and line 11 rotates their gradient back by the first: `at[-q.shape[1] :]` mends it. With two shared
heads $G_K$ and $G_V$ are rejected. Forward, copies of a head stand side by side, 0 0 1 1, and line
10 adds up heads 0 and 2: `repeat_heads_backward(x, times)` mends it. With as many queries as keys the
positions agree, and with a single shared head all heads are its copies: that is why the first judge
let both pass.

Notice
Sizes that agree hide a bug, as a zero does. A pass that mixes up gradients may train, as this one
did.
"""

import inspect

import numpy as np

from attnbook.exercises.engine import predict
from attnbook.gradients import repeat_heads_backward
from attnbook.positions import rope
from attnbook.reference import softmax


def trains_well(grad_out, q, k, v, theta, mask):
    at, times, c = np.arange(k.shape[1]), len(q) // len(k), q.shape[2] ** -0.5  # 1
    q = rope(q, at[-q.shape[1] :], theta)  # 2
    k = np.repeat(rope(k, at, theta), times, axis=0)  # 3
    v = np.repeat(v, times, axis=0)  # 4
    A = softmax(c * q @ k.swapaxes(1, 2), mask)  # 5
    grad_A = grad_out @ v.swapaxes(1, 2)  # 6
    grad_S = A * (grad_A - np.sum(A * grad_A, axis=2, keepdims=True))  # 7
    grad_q, grad_k = c * grad_S @ k, c * grad_S.swapaxes(1, 2) @ q  # 8
    grad_v = A.swapaxes(1, 2) @ grad_out  # 9
    grad_k, grad_v = (sum(np.split(x, times)) for x in (grad_k, grad_v))  # 10
    grad_q = rope(grad_q, -at[: q.shape[1]], theta)  # 11
    return grad_q, rope(grad_k, -at, theta), grad_v  # 12


def mended(grad_out, q, k, v, theta, mask):
    at, times, c = np.arange(k.shape[1]), len(q) // len(k), q.shape[2] ** -0.5  # 1
    q = rope(q, at[-q.shape[1] :], theta)  # 2
    k = np.repeat(rope(k, at, theta), times, axis=0)  # 3
    v = np.repeat(v, times, axis=0)  # 4
    A = softmax(c * q @ k.swapaxes(1, 2), mask)  # 5
    grad_A = grad_out @ v.swapaxes(1, 2)  # 6
    grad_S = A * (grad_A - np.sum(A * grad_A, axis=2, keepdims=True))  # 7
    grad_q, grad_k = c * grad_S @ k, c * grad_S.swapaxes(1, 2) @ q  # 8
    grad_v = A.swapaxes(1, 2) @ grad_out  # 9
    grad_k, grad_v = (repeat_heads_backward(x, times) for x in (grad_k, grad_v))  # 10
    grad_q = rope(grad_q, -at[-q.shape[1] :], theta)  # 11
    return grad_q, rope(grad_k, -at, theta), grad_v  # 12


def trains_anyway():
    """The lines in which the pass that trains and the mended one differ."""
    # mended, line 10 calls gradients.repeat_heads_backward(x, times)
    # for both, and line 11 is grad_q = rope(grad_q, -at[-q.shape[1] :], theta)
    sources = (inspect.getsource(each) for each in (trains_well, mended))
    given, right = (source.splitlines()[1:] for source in sources)
    lines = enumerate(zip(given, right, strict=True), start=1)
    return [number for number, (line, other) in lines if line != other]


MISTAKES = """
line 1 is right: each key-value head serves as many query heads as there are for one key-value head.
    [1, 10] || [1, 11] || [10, 1] || [11, 1]
line 2 is right: the last query stands where the last key does, also in the forward pass.
    [2, 10] || [2, 11] || [10, 2] || [11, 2]
line 3 is right: np.repeat makes the copies of a head side by side, as `repeat_heads` does.
    [3, 10] || [3, 11] || [10, 3] || [11, 3]
line 4 is right: values are shared as keys are, and nothing rotates them.
    [4, 10] || [4, 11] || [10, 4] || [11, 4]
line 5 is right: these are the weights of the forward pass, of rotated queries and keys.
    [5, 10] || [5, 11] || [10, 5] || [11, 5]
line 6 is right: it needs no mask, since line 7 multiplies by a weight that is 0 where a key is hidden,
and every number is finite.
    [6, 10] || [6, 11] || [10, 6] || [11, 6]
line 7 is right: that is the backward pass of softmax.
    [7, 10] || [7, 11] || [10, 7] || [11, 7]
line 8 is right: q and k are the rotated ones here, and the scale belongs to both gradients.
    [8, 10] || [8, 11] || [10, 8] || [11, 8]
line 9 is right: each copy of a value collects from the queries of its own head.
    [9, 10] || [9, 11] || [10, 9] || [11, 9]
line 12 is right: there is a key at every position from 0 on, and line 10 has left one head for each
key-value head.
    [10, 12] || [11, 12]
the two lines differ: find the other one, too.
    [10, 10] || [11, 11]
these are the lines, in another order: begin with the smaller number.
    [11, 10]
"""

exercise = predict(trains_anyway, MISTAKES, stated=[10, 11])
