"""Solutions to the exercises of the chapter on fused programs."""

import numpy as np
import torch
import torch.nn.functional as F

from attnbook import fused, masks, online


def which_flash():
    """1 for FLASH, 0 for MATH, in six calls of SDPA on a CPU."""
    q, causal = torch.zeros(2, 8, 16, 64), torch.ones(16, 16, dtype=torch.bool).tril()
    calls = (
        ((q, q, q), {}),
        ((q, q, q), {"attn_mask": torch.zeros(16, 16, requires_grad=True)}),
        ((q, q, q[..., :32]), {}),
        ((q, q, q), {"attn_mask": causal}),
        ((q, q, q), {"dropout_p": 0.1}),
        ((q, q.mT.contiguous().mT, q), {}),
    )
    rows = [fused.backends(*tensors, **options) for tensors, options in calls]
    return [int(("FLASH", "runs") in [row[:2] for row in each]) for each in rows]


def document_blocks():
    """Empty, full and cut blocks of two documents, 8 and 16 words long, each causal in itself."""
    documents = np.repeat([0, 1], [8, 16])
    mask = masks.document_mask(documents, documents) & masks.causal_mask(24, 24)
    some, every = online.visible_blocks(mask, 4, 4)
    return [int((~some).sum()), int(every.sum()), int((some & ~every).sum())]


def window_rule(valid_lens, n_q, n_k, left):
    """A rule: a query sees its own key, `left` before it, and none of the padding."""

    def rule(b, h, i, j):
        back = i + n_k - n_q - j
        return (back >= 0) & (back <= left) & (j < valid_lens[b])

    return rule


def sloped(n_heads, n_q, n_k):
    """A change of the score by ALiBi's slope of the head, for each step of distance."""

    def change(s, b, h, i, j):
        slope = 2.0 ** (-8 * (h + 1) / n_heads)
        return s - slope * torch.abs(j - (i + n_k - n_q))

    return change


def for_flash(q, k, v):
    """Queries, keys and values that FLASH takes, and the scale of the scores."""
    width = max(q.shape[-1], v.shape[-1])
    padded = [F.pad(x, (0, width - x.shape[-1]))[None].contiguous() for x in (q, k, v)]
    return *padded, q.shape[-1] ** -0.5


def after_cut():
    """Two queries, three keys, one of them padding: the triangle moves with the cut."""
    n_q, n_k, valid_len = 2, 3, 2
    return n_q, n_k, valid_len


def late_cap():
    """The last key is hidden, and gets the score −2."""
    mask = [True, True, False]
    cap = 2.0
    return mask, cap
