"""The race on a GPU: our kernels beside every other, in one run, after they have agreed.

python -m attnbook.measure gpu [FILE]
"""

from attnbook.measure.gpu.record import gpu_results

__all__ = ["gpu_results"]
