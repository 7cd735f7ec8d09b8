"""Where it lies · medium · 6 min

Hints
1. A capital letter is the address of a whole array. Where do whole arrays lie?
2. Which of the small letters are factors of a `tl.dot`, and which of these were loaded?
3. What is left is computed with, or subtracted, by ordinary instructions.

Why
The array at K is in main memory, like every array that a kernel is handed. k and grad_o were loaded
and are factors of products, so that the tensor cores read them from shared memory. lse was loaded,
too, but it is subtracted, and for that it has to lie in registers. grad_s is a factor that nobody
loaded: it was computed in registers, and as with p in `flash` the tensor cores take it from there.
grad_q is a sum like o, and stays in registers until the end.

Notice
The compiler agrees: for an H100, with B = D = 64 and two stages, it asks for 48 KiB of shared
memory. These are six blocks of 8 KiB: one of q, one of grad_o, and two each of k and v.
"""

import attnbook.kernels  # before Triton
from attnbook.exercises.engine import predict

import triton
import triton.language as tl


@triton.jit
def rows(X, i, n, D: tl.constexpr):
    indices = i[:, None] * D + tl.arange(0, D)[None, :]
    return tl.load(X + indices, mask=(i < n)[:, None], other=0.0)


@triton.jit
def queries_backward(Q, K, V, GRAD_O, DELTA, L, GRAD_Q, n_q, n_k, D: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    q, grad_o = rows(Q, i, n_q, D), rows(GRAD_O, i, n_q, D)
    lse = tl.load(L + i, mask=i < n_q, other=0.0)
    delta = tl.load(DELTA + i, mask=i < n_q, other=0.0)
    grad_q = tl.zeros((B, D), tl.float32)
    for start in range(0, n_k, B):
        j = start + tl.arange(0, B)
        k, v = rows(K, j, n_k, D), rows(V, j, n_k, D)
        p = tl.exp(tl.dot(q, tl.trans(k)) * D**-0.5 - lse[:, None])
        p = tl.where((j < n_k)[None, :], p, 0.0)
        grad_s = p * (tl.dot(grad_o, tl.trans(v)) - delta[:, None])
        grad_q = tl.dot(grad_s.to(k.dtype), k, grad_q)
    places = i[:, None] * D + tl.arange(0, D)[None, :]
    tl.store(GRAD_Q + places, grad_q * D**-0.5, mask=(i < n_q)[:, None])


def where_it_lies():
    """Of lse, k, grad_q, the array at K, grad_s, grad_o: registers 0, shared 1, main memory 2."""
    registers, shared, main = range(3)
    return [registers, shared, registers, main, registers, shared]


MISTAKES = """
lse was loaded, but it is a factor of no product: it is subtracted, and ordinary instructions find
their numbers in registers.
    at 0: 1 || 2
k and grad_o were loaded, and they are factors of products: the tensor cores read such blocks from
shared memory.
    [0, 0, 0, 2, 0, 0]
    at 1: 0 || 2
    at 5: 0 || 2
grad_q is stored only at the end: until then it is a sum to which each block of keys adds, like o.
    at 2: 1 || 2
the array at K is a whole one, and never fits on the chip: what is loaded of it is k.
    at 3: 0 || 1
grad_s is a factor of a product, but no one has loaded it: the program computes it in registers, and
the tensor cores take it from there, as they take p.
    at 4: 1 || 2
0 stands for registers and 1 for shared memory: turn them round.
    [1, 0, 1, 2, 1, 0]
"""

exercise = predict(where_it_lies, MISTAKES, written=queries_backward, stated=[0, 1, 0, 2, 0, 1])
