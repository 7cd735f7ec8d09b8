"""What the project's checks count of a ring in one process: pairs computed, numbers sent."""

import functools
import inspect

import numpy as np

from attnbook import gradients
from attnbook.exercises.chapters.many_gpus.zigzag import zigzag
from attnbook.exercises.engine import Unfit, counted, draw_qkv, with_counts
from attnbook.masks import causal_mask
from attnbook.online import attention_with_lse

COUNTS = {"pairs": "pairs that were computed", "sent": "numbers that a rank has sent"}


def counting(meeting, number):
    """For `through`: a pass that is handed `meeting` and `send`, and what they counted.

    The counts stand behind the results, of which the pass has this `number`.
    """
    signature = inspect.signature(meeting)
    first = list(signature.parameters).index("q")

    def through(function):
        @functools.wraps(function)
        def on_ring(*arguments):
            def pairs(*given, **named):
                met = signature.bind(*given, **named).arguments
                held = met["k"], met["q"], *arguments[first : first + 2]
                copied = sent.count and _never_sent(met["k"]) and _of_another(_begins_in, *held)
                if copied or _of_another(np.may_share_memory, *held):
                    raise Unfit("a rank reads keys where they lie on another")
                return int(_visible(met["q"], met["k"], met["causal"]).sum())

            met, sent = counted(meeting, pairs), counted(send, lambda x: np.size(x) // len(x))
            return with_counts(function(*arguments, met, sent), number, met.count, sent.count)

        return on_ring

    return through


def send(x):
    """To the next rank, and from the last to the first, where its numbers are marked as sent."""
    return _marked(np.roll(x, 1, axis=0), 1)


def _marked(x, bit):
    """A copy whose numbers end in this bit, but for zeros and other types than float64."""
    x = np.array(x)
    if x.dtype == np.float64:
        numbers = x[x != 0].view(np.int64)
        x[x != 0] = (numbers & ~1 | bit).view(np.float64)
    return x


def _of_another(holds, keys, queries, q, k):
    """Whether another rank than that of the queries holds the keys, as `holds(rows, block)` says."""
    here, there = [holds(queries, block) for block in q], [holds(keys, block) for block in k]
    return any(here) and any(t and not h for h, t in zip(here, there, strict=True))


def _never_sent(keys):
    """Whether no number is marked as sent; other types than float64 have no marks."""
    if keys.dtype != np.float64:
        return False
    return not (np.ascontiguousarray(keys).view(np.int64) & 1).any()


def _begins_in(rows, block):
    """Whether the first of the rows is one of the block's, or a copy of one."""
    return bool((rows[:1] == block).all(axis=-1).any())


def attend(q, k, v, causal):
    """Output and L of one meeting."""
    return attention_with_lse(q, k, v, _visible(q, k, causal))


def attend_backward(grad_out, q, k, v, out, lse, causal):
    """What one meeting gives to the three gradients."""
    scale = q.shape[-1] ** -0.5
    weights = np.where(_visible(q, k, causal), np.exp(scale * q @ k.T - lse[:, None]), 0)
    delta = np.sum(grad_out * out, axis=-1, keepdims=True)
    grad_scores = scale * weights * (grad_out @ v.T - delta)
    return grad_scores @ k, grad_scores.T @ q, weights.T @ grad_out


def _visible(q, k, causal):
    if causal and len(q) != len(k):
        raise ValueError(
            f"causal=True wants as many queries as keys, but there are {len(q)} and {len(k)}"
        )
    return causal_mask(len(q), len(k)) if causal else np.ones((len(q), len(k)), bool)


def at_home(w, m):
    """Where each rank's positions stand in the sequence, (w * m,)."""
    return zigzag(w * m, w).ravel()


def whole(*parts):
    """The sequence that the ranks' parts are cut from, each of shape (w * m, d)."""
    w, m = parts[0].shape[:2]
    places = np.argsort(at_home(w, m))
    return [x.reshape(w * m, -1)[places] for x in parts]


def cut(x, w):
    """The ranks' parts of a sequence, (w, m, …)."""
    return x[at_home(w, len(x) // w)].reshape(w, len(x) // w, *x.shape[1:])


def attended(q, k, v):
    """Output and L of causal attention as a whole, cut for the ranks."""
    w, (q, k, v) = len(q), whole(q, k, v)
    found = attention_with_lse(q, k, v, causal_mask(len(q), len(k)))
    return tuple(cut(x, w) for x in found)


def attended_backward(grad_out, q, k, v):
    """The gradients of causal attention as a whole, cut for the ranks."""
    w, (grad_out, q, k, v) = len(q), whole(grad_out, q, k, v)
    mask = causal_mask(len(q), len(k))
    grads = gradients.scaled_dot_product_attention_backward(grad_out, q, k, v, mask=mask)
    return tuple(cut(x, w) for x in grads)


def pairs_of(q):
    """How many pairs a causal mask shows."""
    n = len(q) * q.shape[1]
    return n * (n + 1) // 2


def numbers_in(*parts):
    """How many numbers one rank has of these arrays."""
    return sum(x[0].size for x in parts)


def drawn(rng, w, m, d_k=4, d_v=3):
    """Queries, keys and values of w ranks with m positions each."""
    found = draw_qkv(rng, m, m, d_k, d_v, batch=(w,))
    return found | {"k": _marked(found["k"], 0)}


def example():
    """The chapter's four tokens on two ranks: tokens 0 and 3, and tokens 1 and 2."""
    table = np.array([[1, 1, 1, 1], [1, 1, 2, 4], [2, 1, 1, 4], [1, 3, 4, 8.0]])
    values = np.array([[0.0], [4.0], [8.0], [0.0]])
    return {"q": cut(2 * np.log(table), 2), "k": cut(np.eye(4), 2), "v": cut(values, 2)}
