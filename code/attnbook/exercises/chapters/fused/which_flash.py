"""Which program · easy · 5 min

Hints
1. Ask of each call: one width? Each row side by side in memory? Dropout? A learned mask?
2. `contiguous` stores a tensor anew, row by row. `transpose(1, 2)` exchanges whole rows, and leaves
   the numbers of each row where they are.
3. A boolean mask is no reason to refuse on a CPU, and neither are shared heads.

Why
The second call has values of another width than its keys, and the sixth asks for dropout. The first
combines two things that FLASH takes. The third is narrow, but all in one width. The fourth stores
its keys anew, row by row; in the fifth the rows change places, and each is one run of memory still.

Notice
Heads that `transpose(1, 2)` moves to the front cost nothing: of the layout, only the row itself
matters to FLASH.
"""

import functools

import torch

from attnbook import fused
from attnbook.exercises.engine import predict
from attnbook.exercises.engine.settings import plain_settings


def which_flash():
    """1 for FLASH, 0 for MATH, in six calls of SDPA on a CPU."""
    x = torch.zeros(2, 8, 16, 64)
    causal = torch.ones(16, 16, dtype=torch.bool).tril()
    pair, short = x[:, :2], x[..., :32]
    moved = x.reshape(2, 16, 8, 64).transpose(1, 2)
    calls = (
        ((x, pair, pair), {"attn_mask": causal, "enable_gqa": True}),
        ((x, pair, pair[..., :32]), {"enable_gqa": True}),
        ((short, short, short), {}),
        ((x, x.mT.contiguous().mT.contiguous(), x), {}),
        ((moved, moved, moved), {}),
        ((x, x, x), {"attn_mask": causal, "dropout_p": 0.1}),
    )
    rows = [fused.backends(*tensors, **options) for tensors, options in calls]
    return [int(("FLASH", "runs") in [row[:2] for row in each]) for each in rows]


@functools.wraps(which_flash)
def in_a_fresh_pytorch():
    """The same answer, whatever the session has forbidden SDPA."""
    with plain_settings():
        return which_flash()


MISTAKES = """
a boolean mask and shared heads: on a CPU FLASH takes each, and both together.
    [0, 0, 1, 1, 1, 0]
values of another width than the keys: FLASH wants one width for all, shared heads or not.
    [1, 1, 1, 1, 1, 0]
queries, keys and values have one width, 32, and FLASH asks for no more.
    [1, 0, 0, 1, 1, 0]
`contiguous` stores the keys anew, so that the numbers of a row lie side by side again.
    [1, 0, 1, 0, 1, 0]
`transpose(1, 2)` moves whole rows; the numbers of each row still lie side by side.
    [1, 0, 1, 1, 0, 0]
the sixth call asks for dropout, and no fused program on a CPU has it.
    [1, 0, 1, 1, 1, 1]
1 stands for FLASH and 0 for MATH: turn them round.
    [0, 1, 0, 0, 0, 1]
"""

exercise = predict(in_a_fresh_pytorch, MISTAKES, stated=[1, 0, 1, 1, 1, 0])
