"""Attention in tiles, for speed: what `attnbook.online` computes, as fast as a processor lets it.

The readable core writes nothing in place. Here memory is made once and written over, tile by tile,
so that what is in use stays in the cache of a processor core; what nobody sees is left out. These
functions take arrays of NumPy, and those of `attnbook.tiled.pytorch` tensors.

Their price is length; what they buy was measured on one thread of an Intel Xeon, from 512 to 2048
positions, with the time of PyTorch's own `scaled_dot_product_attention` for the unit. Plain and
causal, tiles take 0.9 to 1.4, and the readable form 6.9 to 22.0; with padding or a window of 256
keys 0.3 to 0.8, and the readable form 7.2 to 12.8; backward 1.3, and the readable form 2.6 to 6.6.
`python -m attnbook.measure` measures this; `attnbook/measure/results/xeon.json` is what it found.
"""

from attnbook.tiled.backward import attention_tiled_backward
from attnbook.tiled.forward import (
    attention_tiled,
    causal_attention_tiled,
    padded_attention_tiled,
    sliding_window_attention_tiled,
)

__all__ = [
    "attention_tiled",
    "attention_tiled_backward",
    "causal_attention_tiled",
    "padded_attention_tiled",
    "sliding_window_attention_tiled",
]
