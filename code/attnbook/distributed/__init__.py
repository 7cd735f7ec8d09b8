"""Attention over the ranks of `torch.distributed`: a ring, and the heads shared out."""

from attnbook.distributed.attention import ring_attention
from attnbook.distributed.heads import head_parallel_attention
from attnbook.distributed.local import attend, attend_backward
from attnbook.distributed.model import (
    Machine,
    flops,
    hidden_from,
    ring_seconds,
    ring_step,
)
from attnbook.distributed.placement import join_sequence, pieces, split_sequence, visible_pairs
from attnbook.distributed.processes import launch
from attnbook.distributed.ring import RankLost, Ring, Transfer
from attnbook.distributed.session import run_rank
from attnbook.distributed.traffic import (
    Work,
    counted,
    head_parallel_bytes,
    ring_backward_bytes,
    ring_bytes,
)
from attnbook.distributed.trials import Pass, agreement, timed

__all__ = [
    "Machine",
    "Pass",
    "RankLost",
    "Ring",
    "Transfer",
    "Work",
    "agreement",
    "attend",
    "attend_backward",
    "counted",
    "flops",
    "head_parallel_attention",
    "head_parallel_bytes",
    "hidden_from",
    "join_sequence",
    "launch",
    "pieces",
    "ring_attention",
    "ring_backward_bytes",
    "ring_bytes",
    "ring_seconds",
    "ring_step",
    "run_rank",
    "split_sequence",
    "timed",
    "visible_pairs",
]
