r"""Project, step 2: rotated, masked and shared · hard · 25 min

Hints
1. Make the arrays that `scaled_dot_product_attention` got in the forward pass: you need them again.
2. With these its backward pass gives three gradients, each with as many heads as the queries have.
   What do those of keys and values still need, and what those of queries and keys?
3. The chapter has a function for each: `repeat_heads_backward` and `rope_backward`.
4. `rope_backward(grad, positions, theta)` takes the positions of the forward pass, as they were.

Why
A backward pass runs through the steps of the forward pass in reverse. The gradients of the shared
heads are summed over their copies, those of rotated vectors are rotated back by their own
positions. The values were never rotated. Whether a sum or a rotation comes first makes no
difference, since all copies of a key were rotated alike.

Notice
This is the backward pass of the attention in Llama 3, for instance, and your judge has seen all
of it.
"""

import numpy as np

from attnbook import gradients, reference
from attnbook.exercises.chapters.gradients._differences import by_small_steps, drawn
from attnbook.exercises.engine import case, stress, write
from attnbook.masks import causal_mask
from attnbook.positions import rope
from attnbook.reference import repeat_heads, softmax


def rotated_backward(grad_out, q, k, v, theta, mask):
    """The forward pass in reverse: attention, then the copies summed, then rotated back."""
    at, times = np.arange(k.shape[-2]), q.shape[-3] // k.shape[-3]
    late = at[len(at) - q.shape[-2] :]
    shared = (rope(k, at, theta), v)
    keys, values = (reference.repeat_heads(x, times) for x in shared)
    backward = gradients.scaled_dot_product_attention_backward
    given = rope(q, late, theta), keys, values
    grad_q, *copies = backward(grad_out, *given, mask=mask)
    grad_k, grad_v = (gradients.repeat_heads_backward(x, times) for x in copies)
    grad_q = gradients.rope_backward(grad_q, late, theta)
    return grad_q, gradients.rope_backward(grad_k, at, theta), grad_v


def by_hand(grad_out, q, k, v, theta, mask):
    """The same without the pieces of the chapter, product by product."""
    at, times, c = np.arange(k.shape[-2]), q.shape[-3] // k.shape[-3], q.shape[-1] ** -0.5
    late = at[len(at) - q.shape[-2] :]
    q, k = rope(q, late, theta), repeat_heads(rope(k, at, theta), times)
    A = softmax((c * q @ k.swapaxes(-1, -2)).astype(q.dtype), mask)
    grad_A = grad_out @ repeat_heads(v, times).swapaxes(-1, -2)
    grad_S = A * (grad_A - np.sum(A * grad_A, axis=-1, keepdims=True))
    grad_q, grad_k = c * grad_S @ k, c * grad_S.swapaxes(-1, -2) @ q
    grad_k, grad_v = summed(grad_k, times), summed(A.swapaxes(-1, -2) @ grad_out, times)
    return tuple(
        x.astype(q.dtype) for x in (rope(grad_q, -late, theta), rope(grad_k, -at, theta), grad_v)
    )


def summed(grad, times):
    return gradients.repeat_heads_backward(grad, times)


def without_maximum(scores, mask):
    """Softmax as its formula stands; rows that see nothing get zeros."""
    exps = np.exp(scores) * mask
    total = np.sum(exps, axis=-1, keepdims=True)
    return np.divide(exps, total, out=np.zeros_like(exps), where=total > 0)


def tiled(x, times):
    """Copies in turns, 0 1 0 1, where `repeat_heads` has 0 0 1 1."""
    return np.concatenate([x] * times, axis=-3)


def summed_in_turns(grad, times):
    """The sums over heads 0 and 2, and 1 and 3, where 0 and 1, and 2 and 3, are copies."""
    apart = grad.reshape(*grad.shape[:-3], times, -1, *grad.shape[-2:])
    return np.sum(apart, axis=-4)


rng = np.random.default_rng(12)
CAUSAL, LATE = causal_mask(3, 3), causal_mask(2, 4)
HOLES = np.array([[False] * 4, [True, False, True, False], [False, True, True, True]])
LARGE = drawn(rng, 2, 1, 3, 3, CAUSAL)

CASES = (
    case(**drawn(rng, 1, 1, 1, 2, np.ones((1, 2), bool), d=2, d_v=1)),
    case(**drawn(rng, 1, 1, 3, 3, CAUSAL, d=2, d_v=1)),
    case(**drawn(rng, 2, 1, 2, 2, causal_mask(2, 2), d=2, d_v=1)),
    case(**drawn(rng, 2, 2, 2, 4, LATE, d=2, d_v=2)),
    case(**drawn(rng, 4, 2, 3, 3, CAUSAL)),
    case(**drawn(rng, 6, 2, 2, 4, LATE)),
    case(**drawn(rng, 6, 3, 3, 4, HOLES)),
    case(**drawn(rng, 4, 2, 2, 4, LATE, batch=(2,))),
    stress(**drawn(rng, 2, 1, 2, 4, LATE, dtype=np.float32)),
    stress(**(LARGE | {"q": 80 * LARGE["q"], "k": 80 * LARGE["k"]})),
)

MISTAKES = """
the gradients are rotated further: going back, they are rotated back.
    grad_q = gradients.rope_backward(grad_q → grad_q = rope(grad_q ; gradients.rope_backward(grad_k → rope(grad_k
    grad_q = gradients.rope_backward(grad_q → grad_q = rope(grad_q
    gradients.rope_backward(grad_k → rope(grad_k
    rope_backward(grad_q, late → rope_backward(grad_q, -late ; rope_backward(grad_k, at → rope_backward(grad_k, -at
    grad_q = gradients.rope_backward(grad_q → grad_q = rope(grad_q ; gradients.rope_backward(grad_k → rope(grad_k ; repeat_heads_backward(x, times) → repeat_heads_backward(x, times) / times
    grad_q = gradients.rope_backward(grad_q → grad_q = rope(grad_q ; gradients.rope_backward(grad_k → rope(grad_k ; gradients.repeat_heads_backward(x, times) → summed_in_turns(x, times)
these are the gradients of the rotated queries and keys: those of q and k, before their rotation, are
asked for.
    gradients.rope_backward(grad_q, late, theta) → grad_q ; gradients.rope_backward(grad_k, at, theta) → grad_k
    gradients.rope_backward(grad_q, late, theta) → grad_q
    gradients.rope_backward(grad_k, at, theta) → grad_k
the values were not rotated, and so their gradient is not rotated back.
    theta), grad_v → theta), gradients.rope_backward(grad_v, at, theta[: grad_v.shape[-1] // 2])
    theta), grad_v → theta), gradients.rope_backward(np.ascontiguousarray(grad_v[..., : 2 * (grad_v.shape[-1] // 2)]), at, theta[: grad_v.shape[-1] // 2])
attention met rotated queries and keys: its backward pass needs them, and not q and k.
    rope(q, late, theta) → q ; rope(k, at, theta) → k
    rope(q, late, theta) → q
    (rope(k, at, theta), v) → (k, v)
    repeat_heads(rope(k, at, theta), times) → repeat_heads(k, times)
a shared head was read by several heads, and it collects the sum: not the mean, and not one of them.
    repeat_heads_backward(x, times) → repeat_heads_backward(x, times) / times
    repeat_heads_backward(x, times) → repeat_heads_backward(x, times) * (1 / times)
    gradients.repeat_heads_backward(x, times) → x[..., ::times, :, :]
    gradients.repeat_heads_backward(x, times) → x[..., : x.shape[-3] // times, :, :]
one gradient for each query head is too many: a shared head collects from all that read it.
    grad_k, grad_v = (gradients.repeat_heads_backward(x, times) for x in copies) → grad_k, grad_v = copies
copies of one head stand side by side, 0 0 1 1; here every second head is added up.
    gradients.repeat_heads_backward(x, times) → summed_in_turns(x, times)
copies of one head stand side by side, 0 0 1 1: here the forward pass reads them in turns, 0 1 0 1.
    reference.repeat_heads(x, times) → tiled(x, times)
    reference.repeat_heads(x, times) → tiled(x, times) ; gradients.repeat_heads_backward(x, times) → summed_in_turns(x, times)
the last query stands where the last key does, so that query 0 need not stand at position 0.
    late = at[len(at) - q.shape[-2] :] → late = at[: q.shape[-2]]
    late = at[len(at) - q.shape[-2] :] → late = at[: q.shape[-2]] ; gradients.repeat_heads_backward(x, times) → summed_in_turns(x, times)
    rope_backward(grad_q, late → rope_backward(grad_q, np.arange(q.shape[-2])
    rope(q, late → rope(q, np.arange(q.shape[-2])
the hidden keys got weights: the mask belongs to the backward pass, too.
    , mask=mask →
softmax's backward pass forgets the average: A ∘ (G_A - r), and r is that of the row under its weights.
    grad_A - np.sum(A * grad_A, axis=-1, keepdims=True) → grad_A
    np.sum(A * grad_A → np.mean(grad_A
the softmax is taken score by score: a score reaches all weights of its row.
    A * (grad_A - np.sum(A * grad_A, axis=-1, keepdims=True)) → A * (1 - A) * grad_A
scores are divided by √d, going forward and going back: here by nothing.
    q.shape[-1] ** -0.5 → 1.0
softmax subtracts each row's largest score first: exp of a large score is infinite.
    A = softmax((c * q @ k.swapaxes(-1, -2)).astype(q.dtype), mask) → A = without_maximum((c * q @ k.swapaxes(-1, -2)).astype(q.dtype), mask)
the scale stands in front of Q Kᵀ, so that it comes back in the gradients of queries and keys.
    c * grad_S @ k, c * grad_S.swapaxes → grad_S @ k, grad_S.swapaxes
    grad_q, grad_k = c * → grad_q, grad_k = 
    , c * grad_S.swapaxes → , grad_S.swapaxes
the scale is in the backward pass of attention already: here it comes twice.
    grad_q, *copies = backward(grad_out, *given, mask=mask) → grad_q, *copies = (x / q.shape[-1] ** 0.5 for x in backward(grad_out, *given, mask=mask))
    grad_k, grad_v = (gradients → grad_q, copies[0] = (x / q.shape[-1] ** 0.5 for x in (grad_q, copies[0]))\\n    grad_k, grad_v = (gradients
other pairs are rotated: neighbours are a pair here, while halves are one in some libraries.
    late, theta) ⇒ late, theta, "halves") ; at, theta) ⇒ at, theta, "halves")
    rope_backward(grad_q, late, theta) → rope_backward(grad_q, late, theta, "halves") ; rope_backward(grad_k, at, theta) → rope_backward(grad_k, at, theta, "halves")
the gradients come in another order: those of q, k and v.
    grad_q, gradients.rope_backward(grad_k, at, theta), grad_v → gradients.rope_backward(grad_k, at, theta), grad_q, grad_v
    grad_q, gradients.rope_backward(grad_k, at, theta), grad_v → grad_q, grad_v, gradients.rope_backward(grad_k, at, theta)
"""

exercise = write(
    rotated_backward,
    CASES,
    MISTAKES,
    drafts=(by_hand,),
    oracle=by_small_steps,
    results=("grad_q", "grad_k", "grad_v"),
)
