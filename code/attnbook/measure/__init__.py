"""Time and memory, what work should cost, and where figures were measured.

A time is a ratio: two calls take turns in one run, so that what slows the machine slows both.
"""

from attnbook.measure.cost import (
    Cost,
    Sizes,
    causal_pairs,
    fused_backward_cost,
    fused_cost,
    layer_cost,
    whole_backward_cost,
    whole_cost,
)
from attnbook.measure.memory import new_pages, peak_array_memory, peak_memory
from attnbook.measure.provenance import environment
from attnbook.measure.record import gpu_results, length_results, race_rows, recorded
from attnbook.measure.roofline import (
    Ceilings,
    ceilings,
    limit,
    probes,
    rounds_with_ceilings,
    shortest_time,
    time_in_turn,
)
from attnbook.measure.time import event_rounds, one_thread, operations, ratios, rounds

__all__ = [
    "Ceilings",
    "Cost",
    "Sizes",
    "causal_pairs",
    "ceilings",
    "environment",
    "event_rounds",
    "fused_backward_cost",
    "fused_cost",
    "gpu_results",
    "layer_cost",
    "length_results",
    "limit",
    "new_pages",
    "one_thread",
    "operations",
    "peak_array_memory",
    "peak_memory",
    "probes",
    "race_rows",
    "ratios",
    "recorded",
    "rounds",
    "rounds_with_ceilings",
    "shortest_time",
    "time_in_turn",
    "whole_backward_cost",
    "whole_cost",
]
