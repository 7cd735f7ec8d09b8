r"""Numbers for each thread · medium · 5 min

Hints
1. How many threads have four warps? And eight?
2. o has a row for each query and a column for each feature of a value.
3. s has a row for each query and a column for each key of the block.

Why
Four warps have 128 threads. $o$ holds $128 \cdot 128$ numbers, 128 for each thread, and $s$ holds
$128 \cdot 64$, 64 for each. With $m$, $\ell$, addresses and what the products need, that comes
close to the 255 registers that a thread may have. Eight warps share the same numbers among 256
threads: $(128 \cdot 128 + 128 \cdot 64)/256 = 96$.

Notice
A thread of an H100 has at most 255 registers: these 192 fit, and with twice the width o alone would
not, which is why a wide head wants 8 warps.
"""

from attnbook.exercises.engine import predict


def registers():
    """Numbers of o and of s for each thread of 4 warps, and of both for each of 8 warps."""
    o, s = 128 * 128, 128 * 64
    return [o / (4 * 32), s / (4 * 32), (o + s) / (8 * 32)]


MISTAKES = """
the 4 · 32 = 128 threads of four warps share the numbers.
    [4096, 2048, 3072] || [512, 256, 768] || [64, 32, 48] || [16384, 8192, 24576]
eight warps have twice as many threads: half the numbers.
    [128, 64, 192] || [128, 64, 384]
64 is for o alone, and 32 for s alone: asked are both together.
    [128, 64, 64] || [128, 64, 32]
o has 128 columns, one for each feature of a value; s has 64, one for each key of the block.
    [64, 128, 96] || [64, 64, 64] || [128, 128, 128]
a register holds the 4 bytes of a float32: count numbers, of 128 threads.
    [256, 128, 192] || [512, 256, 384]
"""

exercise = predict(registers, MISTAKES, stated=[128, 64, 96])
