"""The functions of `attnbook.pytorch` through fused backends: SDPA, FlexAttention, the kernels.

A fused backend computes attention without writing all scores to memory. PyTorch has several, and
each refuses something: `explain` and `backends` say what, and `attention` falls back to one that
gives the right answer.
"""

from attnbook.fused import flex
from attnbook.fused.dispatch import attention, explain
from attnbook.fused.sdpa_backends import Choice, backends
from attnbook.fused.sdpa_functions import multi_head_attention, scaled_dot_product_attention
from attnbook.fused.slow import SlowAttentionWarning
from attnbook.fused.watching import graph, ran, recognised

__all__ = [
    "Choice",
    "SlowAttentionWarning",
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
