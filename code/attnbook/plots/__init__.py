"""Every figure of the book. A function here draws one figure; it never computes.

Rows are queries i and columns are keys j, in every figure. Each function returns None, so that a
cell that ends in it shows the figure alone.
"""

from attnbook.plots.bars import bars
from attnbook.plots.curves import curves
from attnbook.plots.diagram import attention_diagram
from attnbook.plots.heatmaps import heatmap, heatmaps
from attnbook.plots.transformer import transformer_diagram

__all__ = ["attention_diagram", "bars", "curves", "heatmap", "heatmaps", "transformer_diagram"]
