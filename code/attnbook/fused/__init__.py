"""The functions of `attnbook.pytorch` through fused programs: SDPA, FlexAttention, the kernels.

A fused program computes attention without writing all scores to memory. PyTorch has several, and
each refuses something: `explain` and `backends` say what, and `attention` falls back to one that
gives the right answer.
"""

from attnbook.fused import flex
from attnbook.fused.dispatch import Row, SlowForm, attention, explain
from attnbook.fused.programs import Backend, backends
from attnbook.fused.twins import multi_head_attention, scaled_dot_product_attention
from attnbook.fused.watching import graph, ran, recognised

__all__ = [
    "Backend",
    "Row",
    "SlowForm",
    "attention",
    "backends",
    "explain",
    "flex",
    "graph",
    "multi_head_attention",
    "ran",
    "recognised",
    "scaled_dot_product_attention",
]
