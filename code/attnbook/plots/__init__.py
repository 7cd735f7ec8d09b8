"""Every figure of the book. A function here draws one figure from what it is given.

A diagram brings the few numbers of the book's examples with it, and its tests compute them again.
Rows are queries i and columns are keys j, in every figure. Each function returns its drawing, which
a notebook shows when a cell ends in it, and whose `svg` is its text.
"""

from attnbook.plots.alignment import alignment_diagram
from attnbook.plots.backward import backward_diagram
from attnbook.plots.bars import bars
from attnbook.plots.caches import caches_diagram
from attnbook.plots.circuits import induction_diagram
from attnbook.plots.costs import (
    edges_diagram,
    passes_diagram,
    queue_diagram,
    roofline,
    terms_diagram,
)
from attnbook.plots.curves import curves
from attnbook.plots.diagram import attention_diagram, lookup_diagram
from attnbook.plots.floats import float_bits
from attnbook.plots.fused import fused_diagram, one_call_diagram
from attnbook.plots.grids import (
    caught_grids,
    distributions,
    influence_grids,
    mask_grids,
    right_and_wrong,
    stored_grids,
    table_cells,
    twins_diagram,
)
from attnbook.plots.heads import (
    cut_grids,
    decoding_diagram,
    one_and_two_heads,
    reach_diagram,
    sharing_diagram,
)
from attnbook.plots.heatmaps import heatmap, heatmaps
from attnbook.plots.interventions import interventions_diagram
from attnbook.plots.libraries import routes_diagram, spread_diagram
from attnbook.plots.machine import (
    owners_diagram,
    schedules_diagram,
    units_diagram,
    weight_diagram,
)
from attnbook.plots.online import block_frames, block_grids, flash_diagram, online_diagram
from attnbook.plots.overview import book_in_one_picture, heads_diagram, three_ways_diagram
from attnbook.plots.positions import clock_hands, positions_diagram, two_hands
from attnbook.plots.programs import gpu_diagram, programs_diagram, race_diagram, warps_diagram
from attnbook.plots.rings import (
    exchange_diagram,
    meetings_grids,
    overlap_diagram,
    ring_back_diagram,
    ring_diagram,
    sent_diagram,
    turns_grids,
)
from attnbook.plots.scores import additive_network, kernel_diagram
from attnbook.plots.softmax import (
    masked_softmax_diagram,
    merge_diagram,
    number_line,
    pull_diagram,
    softmax_diagram,
)
from attnbook.plots.speculative import overlap_bars
from attnbook.plots.states import bracketings_diagram, chunks_diagram, correction_diagram
from attnbook.plots.stream import norms_diagram, stream_diagram
from attnbook.plots.teaching import targets_diagram
from attnbook.plots.training import training_diagram
from attnbook.plots.transformer import transformer_diagram
from attnbook.plots.ways import ways_map
from attnbook.plots.words import arrows, sentences, shape_diagram

__all__ = [
    "additive_network",
    "alignment_diagram",
    "arrows",
    "attention_diagram",
    "backward_diagram",
    "bars",
    "block_frames",
    "block_grids",
    "book_in_one_picture",
    "bracketings_diagram",
    "caches_diagram",
    "caught_grids",
    "chunks_diagram",
    "clock_hands",
    "correction_diagram",
    "curves",
    "cut_grids",
    "decoding_diagram",
    "distributions",
    "edges_diagram",
    "exchange_diagram",
    "flash_diagram",
    "float_bits",
    "fused_diagram",
    "gpu_diagram",
    "heads_diagram",
    "heatmap",
    "heatmaps",
    "induction_diagram",
    "influence_grids",
    "interventions_diagram",
    "kernel_diagram",
    "lookup_diagram",
    "mask_grids",
    "masked_softmax_diagram",
    "meetings_grids",
    "merge_diagram",
    "norms_diagram",
    "number_line",
    "one_and_two_heads",
    "one_call_diagram",
    "online_diagram",
    "overlap_bars",
    "overlap_diagram",
    "owners_diagram",
    "passes_diagram",
    "positions_diagram",
    "programs_diagram",
    "pull_diagram",
    "queue_diagram",
    "race_diagram",
    "reach_diagram",
    "right_and_wrong",
    "ring_back_diagram",
    "ring_diagram",
    "roofline",
    "routes_diagram",
    "schedules_diagram",
    "sent_diagram",
    "sentences",
    "shape_diagram",
    "sharing_diagram",
    "softmax_diagram",
    "spread_diagram",
    "stored_grids",
    "stream_diagram",
    "table_cells",
    "targets_diagram",
    "terms_diagram",
    "three_ways_diagram",
    "training_diagram",
    "transformer_diagram",
    "turns_grids",
    "twins_diagram",
    "two_hands",
    "units_diagram",
    "warps_diagram",
    "ways_map",
    "weight_diagram",
]
