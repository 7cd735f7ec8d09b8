"""Which program computes what: the heaviest first, and neighbours with the same keys.

Programs start in the order of their number, as many at once as the GPU has room for. Those that run
together should share keys and values, which then come from the cache; and those with most keys
should not come last, or the others wait for them. So heads are taken a few at a time, as many as
the cache holds, and among those the last block of queries, which sees most keys, comes first.
"""

import triton
import triton.language as tl

SIZES = ["n_batch", "n_heads", "together", "n_q", "n_k"]  # one kernel for all of them


@triton.jit
def block_and_head(n_blocks, n_all_heads, together, LAST_FIRST: tl.constexpr):
    """The block and the head of this program, of all heads of the batch, `together` at a time."""
    program = tl.program_id(0)
    first_head = program // (together * n_blocks) * together
    here = tl.minimum(together, n_all_heads - first_head)
    place = program % (together * n_blocks)
    block = place // here
    if LAST_FIRST:
        block = n_blocks - 1 - block
    return block, first_head + place % here
