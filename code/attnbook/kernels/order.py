"""Which program computes what: the heaviest first, and neighbours with the same keys.

Programs start in the order of their number, as many at once as the GPU has room for. Those that run
together should share keys and values, which then come from the cache; and those with most keys
should not come last, or the others wait for them. So heads are taken a few at a time, a wave of as
many as the cache holds, and in a wave the last block of queries, which sees most keys, comes first.
"""

import triton
import triton.language as tl

SIZES = ["n_batch", "n_heads", "heads_per_wave", "n_q", "n_k"]  # one kernel for all of them


@triton.jit
def block_and_head(n_blocks, n_all_heads, heads_per_wave, LAST_FIRST: tl.constexpr):
    """The block of this program, and the index of its head among those of all batches."""
    program = tl.program_id(0)
    first_head = program // (heads_per_wave * n_blocks) * heads_per_wave
    here = tl.minimum(heads_per_wave, n_all_heads - first_head)
    in_wave = program % (heads_per_wave * n_blocks)
    block = in_wave // here
    if LAST_FIRST:
        block = n_blocks - 1 - block
    return block, first_head + in_wave % here
