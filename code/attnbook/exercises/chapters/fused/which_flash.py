"""Which program · easy · 5 min

Hints
1. Does FLASH on a CPU take a mask? Look at the table of the chapter.
2. FLASH wants one width, numbers side by side, no dropout and no mask that learns.

Why
The first and the fourth run FLASH: a boolean mask is taken on a CPU. The others have a mask that
learns, a narrower value, ask for dropout, or have keys transposed in memory.

Notice
Four of these calls write all scores to memory, and none of them says so.
"""

import functools

import torch

from attnbook import fused
from attnbook.exercises.engine import predict
from attnbook.exercises.engine.settings import plain_settings


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


@functools.wraps(which_flash)
def in_a_fresh_pytorch():
    """The same answer, whatever the session has forbidden SDPA."""
    with plain_settings():
        return which_flash()


MISTAKES = """
a mask that learns: on a CPU FLASH has no gradient for one.
    [1, 1, 0, 1, 0, 0]
values of another width than the keys: FLASH wants one width for all.
    [1, 0, 1, 1, 0, 0]
a boolean mask is no reason: on a CPU FLASH takes one. On a GPU it would refuse.
    [1, 0, 0, 0, 0, 0]
dropout: no fused program of a CPU has any.
    [1, 0, 0, 1, 1, 0]
transposed in memory, the numbers of a key do not lie side by side; FLASH wants them so.
    [1, 0, 0, 1, 0, 1]
no mask, one width, side by side, no dropout: the first call has nothing to refuse.
    [0, 0, 0, 1, 0, 0]
1 stands for FLASH and 0 for MATH: turn them round.
    [0, 1, 1, 0, 1, 1]
"""

exercise = predict(in_a_fresh_pytorch, MISTAKES, stated=[1, 0, 0, 1, 0, 0])
