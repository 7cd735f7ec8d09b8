"""Project, step 2: causal FlashAttention · hard · 25 min

Hints
1. Begin with `flash`, and with a copy of its loop: one loop from 0 to full, one from full to end.
2. `phases` in Triton: tl.minimum and tl.maximum, and `start` is the program's number times B.
3. Query i stands at key i + n_k − n_q, so in the second loop key j is visible where
   j[None, :] <= i[:, None] + n_k - n_q. This hides the keys past the end as well.
4. Where a query sees nothing divide by 1, as `flash` does.

Why
The loop of `flash` stands there twice. The first copy needs no mask at all, since `full` counts
keys that all queries of the block see; the second hides what is later than its query, and ends
with the last key that any of them sees. So no tile is loaded in vain.

Notice
That is the forward pass of the package's kernel, but for heads and other masks.
"""

import functools

import numpy as np
import torch

import attnbook.kernels  # before Triton
from attnbook.exercises.engine import case, draw_qkv, write
from attnbook.exercises.engine.gpu_compile import launches, refused_by_a_gpu
from attnbook.exercises.engine.launch import on_kernels
from attnbook.kernels import watch
from attnbook.masks import causal_mask
from attnbook.online import attention_with_lse, visible_blocks

import triton
import triton.language as tl

B = 16


@triton.jit
def step(m, l, o, s, v):
    new = tl.maximum(m, tl.max(s, 1))
    shift = tl.where(new == -float("inf"), 0.0, new)
    c = tl.exp2(m - shift)
    p = tl.exp2(s - shift[:, None])
    o = tl.dot(p.to(v.dtype), v, c[:, None] * o, input_precision="ieee")
    return new, c * l + tl.sum(p, 1), o


@triton.jit
def rows(X, i, n, D: tl.constexpr):
    indices = i[:, None] * D + tl.arange(0, D)[None, :]
    return tl.load(X + indices, mask=(i < n)[:, None], other=0.0)


@triton.jit
def causal_kernel(Q, K, V, O, L, n_q, n_k, STEP: tl.constexpr, D: tl.constexpr, B: tl.constexpr):
    start = tl.program_id(0) * B
    i = start + tl.arange(0, B)
    q = rows(Q, i, n_q, D) * (1.44269504 * D**-0.5)
    m, l = tl.full((B,), -float("inf"), tl.float32), tl.zeros((B,), tl.float32)
    o = tl.zeros((B, D), tl.float32)
    last = tl.minimum(start + B, n_q) - 1
    full = tl.maximum((start + n_k - n_q + 1) // B * B, 0)
    end = tl.maximum(last + n_k - n_q + 1, 0)
    for first in range(0, full, B):
        j = first + tl.arange(0, B)
        s = tl.dot(q, tl.trans(rows(K, j, n_k, D)), input_precision="ieee")
        m, l, o = STEP(m, l, o, s, rows(V, j, n_k, D))
    for first in range(full, end, B):
        j = first + tl.arange(0, B)
        s = tl.dot(q, tl.trans(rows(K, j, n_k, D)), input_precision="ieee")
        s = tl.where(j[None, :] <= i[:, None] + n_k - n_q, s, -float("inf"))
        m, l, o = STEP(m, l, o, s, rows(V, j, n_k, D))
    l = tl.where(l == 0, 1.0, l)
    places = i[:, None] * D + tl.arange(0, D)[None, :]
    tl.store(O + places, o / l[:, None], mask=(i < n_q)[:, None])
    tl.store(L + i, 0.69314718 * (m + tl.log2(l)), mask=i < n_q)


def causal(q, k, v):
    """Causal attention and its L, 16 queries a program."""
    out, lse = torch.empty_like(q), torch.empty_like(q[:, 0])
    arrays, sizes = (q, k, v, out, lse), (len(q), len(k))
    grid = (triton.cdiv(len(q), 16),)
    causal_kernel[grid](*arrays, *sizes, STEP=step, D=q.shape[1], B=16)
    return out, lse


def counting_tiles(function):
    """The function of arrays, which returns how many tiles of keys its programs load, too."""
    keys = []

    def noting(q, k, v):
        keys[:] = [k.data_ptr()]
        return function(q, k, v)

    call = on_kernels(function if hasattr(function, "fn") else noting)

    @functools.wraps(function)
    def counted(*arguments):
        with watch() as seen, launches() as made:
            results = call(*arguments)
        arrays = [pair for _, named in made for pair in named.items() if torch.is_tensor(pair[1])]
        of_keys = {name for name, x in arrays if x.data_ptr() in keys}
        tile = B * arguments[1].shape[1]
        loads = [each for each in seen if each.kind == "load" and each.array in of_keys]
        tiles = {(each.program, at) for each in loads for at in np.unique(each.indices // tile)}
        return (*results, len(tiles)) if isinstance(results, tuple) else results

    return counted


def by_definition(q, k, v):
    """The definition under a causal mask, and the tiles in which anything is visible."""
    mask = causal_mask(len(q), len(k))
    tiles = visible_blocks(mask, B, B)[0].sum() if triton.knobs.runtime.interpret else 0
    return *attention_with_lse(q, k, v, mask), int(tiles)


rng = np.random.default_rng(23)


def drawn(n_q, n_k):
    return draw_qkv(rng, n_q, n_k, 16, 16, dtype=np.float32)


def example():
    """The book's example: the last query has the affinities 1, 3 and 4; a 1 behind each value."""
    affinities, k = np.float32([[1, 1, 1], [2, 1, 1], [1, 3, 4]]), np.eye(3, 16, dtype="f")
    return dict(q=4 * np.log(affinities) @ k, k=k, v=np.float32([[0], [4], [8]]) * k[0] + k[1])


OUTPUTS = np.float32([[0.0, 1.0], [4 / 3, 1.0], [5.5, 1.0]]) @ np.eye(2, 16, dtype="f")
TILES = 1 if triton.knobs.runtime.interpret else 0

CASES = (
    case(**example(), gives=(OUTPUTS, np.log(np.float32([1.0, 3.0, 8.0])), TILES)),
    case(**drawn(16, 16)),
    case(**drawn(4, 18)),
    case(**drawn(20, 20)),
    case(**drawn(35, 40)),
    case(**drawn(33, 33)),
    case(**drawn(20, 3)),
)

MISTAKES = """
query i stands at key i + n_k − n_q, in the mask as in full and end: the last query sees the last
key.
    <= i[:, None] + n_k - n_q → <= i[:, None]
    + n_k - n_q ⇒
a query sees its own key, too: j <= …, and not j < ….
    j[None, :] <= i → j[None, :] < i
the second loop needs its mask: it has keys that are later than some of the queries.
    tl.where(j[None, :] <= i[:, None] + n_k - n_q, s, -float("inf")) → s
    tl.where(j[None, :] <= i[:, None] + n_k - n_q, s, -float("inf")) → tl.where(j[None, :] < n_k, s, -float("inf"))
a hidden score is −∞: the exponential of 0 is 1.
    s, -float("inf")) → s, 0.0)
tiles are loaded in which nothing is visible: the second loop ends at end, not at n_k.
    range(full, end, B) → range(full, n_k, B)
the first loop goes too far: without a mask only keys that the first query of the block sees.
    (start + n_k - n_q + 1) // B * B → (last + n_k - n_q + 1) // B * B
keys are left out: the second loop begins where the first has ended, and goes on to end.
    range(0, full, B) → range(0, 0, B)
    range(full, end, B) → range(full, full + 0 * end, B)
the score of a tile wants the factor log₂ e / √D, once.
    (1.44269504 * D**-0.5) → 1.44269504 || D**-0.5 || (1.44269504 / D)
the sums are o and l: the output is o / l, once, at the end.
    o / l[:, None] → o
L is a natural logarithm: ln 2 · (m + log₂ l).
    0.69314718 * (m + tl.log2(l)) → m + tl.log2(l) || 0.69314718 * m || 0.69314718 * tl.log2(l)
without `other` a value past the end may be anything, NaN in the check, and 0 times NaN is NaN: load
it with other=0.0.
    rows(V, j, n_k, D) ⇒ tl.load(V + j[:, None] * D + tl.arange(0, D)[None, :], mask=(j < n_k)[:, None])
where a query sees nothing l is 0: divide by 1 there.
    tl.where(l == 0, 1.0, l) → l
"""

exercise = write(
    causal,
    CASES,
    MISTAKES,
    written=causal_kernel,
    through=counting_tiles,
    refused=refused_by_a_gpu,
    results=("out", "lse", "tiles"),
    oracle=by_definition,
)
