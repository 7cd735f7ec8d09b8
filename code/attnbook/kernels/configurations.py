"""The sizes of tiles that each kernel is compiled with, for each kind of GPU, width and dtype.

No search at run time. What stands here was chosen from the machine code: it spills no registers,
no two groups of warps compute the same, matrix instructions run on while others are issued, and as
many programs as the sizes let fit on one SM. Where there are several, the first is used: a race
on a GPU decides between them.

On a Hopper GPU wgmma is M = 64 per warpgroup, and warpgroups stack along M: a tile with fewer than
64 · groups rows is computed twice. One with fewer than 64 rows is left to mma.sync, which is slower
and has M = 16 and N = 8 per warp. Where the result of a product is an operand of the next, warps
stack along M first too, and elsewhere along N as well: a tile with fewer than 16 · warps rows, or
fewer than 512 scores, is computed more than once.
"""

from typing import NamedTuple

import torch

from attnbook.kernels.interpreter import is_interpreting


class Configuration(NamedTuple):
    """How a kernel is compiled.

    A program computes a tile of `rows` queries by `keys` keys at a time, with `warps` of 32
    threads, while `stages` tiles are under way from memory: by tensor descriptors if `tma`, and
    brought by a warp that does nothing else if `specialize`, in the kernel of `warps`. It is that
    of the second pass, which leaves out what is hidden, if `nan_safe`.
    """

    rows: int
    keys: int
    warps: int
    stages: int
    tma: bool = False
    specialize: bool = False
    nan_safe: bool = False

    def options(self):
        """What Triton's compiler is told."""
        return {"num_warps": self.warps, "num_stages": self.stages}


INTERPRETED = Configuration(64, 32, 1, 1)
DELTA = Configuration(32, 0, 4, 1)
NAN_SAFE = Configuration(16, 32, 8, 1, nan_safe=True)  # small, so that the sums stay in registers
SPECIALIZED = Configuration(128, 128, 4, 2, specialize=True)  # 4 warps, 4 more and a producer
BY_POINTERS = {"float32", "bias", "strided"}  # on a Hopper GPU, and else by tensor descriptors
ANY, AMD, INTERPRETER, HOPPER, BLACKWELL = None, -1, 0, 9, 10  # major compute capabilities
# For a GPU, a kernel and a variant: rows, keys, warps and stages by width, or some to choose from.
# The first row that fits is taken: all that its variant names holds.
#   float32   no tensor core multiplies it exactly
#   bias      is added to the scores
#   strided   tensor descriptors cannot describe the rows of q, k or v
#   softcap   its tanh needs registers
#   intervals  which keys a query sees comes from memory
#   whole     blocks have no edges, and there is no mask but the causal one
#   grouped   several query heads share keys
#   atomic    the kernel for keys adds grad_q in memory
TILES = [
    (ANY, "forward", "float32", {16: (32, 32, 4, 1), 32: (32, 32, 4, 1), 64: (32, 32, 4, 1),
                                 128: (16, 16, 4, 1), 256: (16, 16, 8, 1)}),
    (HOPPER, "forward", "bias", {64: (64, 32, 4, 1), 128: (64, 16, 4, 1)}),
    (BLACKWELL, "forward", "bias", {64: (64, 32, 4, 1), 128: (64, 16, 4, 1)}),
    (ANY, "forward", "bias", {16: (64, 32, 4, 1), 32: (64, 32, 4, 1), 64: (64, 16, 4, 1),
                              128: (32, 32, 4, 1), 256: (32, 32, 4, 1)}),
    (HOPPER, "forward", "strided", {16: (128, 128, 8, 2), 32: (128, 128, 8, 2), 64: (128, 64, 8, 3),
                                    128: (128, 64, 8, 3), 256: (64, 32, 4, 2)}),
    (HOPPER, "forward", "softcap", {64: (128, 64, 8, 3), 128: (128, 128, 8, 2)}),
    (HOPPER, "forward", "whole", {64: [SPECIALIZED, (128, 64, 4, 3)],
                                  128: [SPECIALIZED, (128, 128, 8, 2)]}),
    (HOPPER, "forward", "", {16: (128, 128, 8, 2), 32: (128, 128, 8, 2), 64: (128, 64, 4, 3),
                             128: (128, 128, 8, 2), 256: (128, 64, 8, 2)}),
    (AMD, "forward", "", {32: (64, 64, 4, 2), 256: (64, 32, 8, 1)}),
    (ANY, "forward", "intervals", {32: (64, 32, 4, 1)}),
    (ANY, "forward", "", {16: (64, 64, 4, 2), 32: (64, 64, 4, 2), 64: (128, 64, 8, 2),
                          128: (128, 32, 8, 2), 256: (64, 64, 8, 1)}),

    (ANY, "keys", "float32", {16: (32, 32, 4, 1), 32: (32, 32, 4, 1), 64: (16, 16, 8, 1),
                              128: (16, 16, 8, 1), 256: (16, 16, 8, 1)}),
    (AMD, "keys", "", {16: (32, 64, 4, 1), 32: (32, 64, 4, 1), 64: (32, 64, 8, 1),
                       128: (32, 32, 4, 1), 256: (32, 16, 4, 1)}),
    (ANY, "keys", "bias", {16: (32, 64, 4, 1), 32: (32, 64, 4, 1), 64: (64, 32, 8, 1),
                           128: (32, 32, 4, 1), 256: (32, 16, 4, 1)}),
    (HOPPER, "keys", "softcap atomic", {64: (32, 64, 4, 2), 128: (16, 64, 4, 2),
                                        256: (64, 16, 8, 1)}),
    (HOPPER, "keys", "softcap", {16: (32, 64, 4, 2), 32: (32, 64, 4, 2), 64: (64, 64, 4, 2),
                                 128: (32, 64, 4, 1), 256: (64, 32, 8, 1)}),
    (HOPPER, "keys", "grouped", {128: (32, 64, 4, 2), 256: (64, 16, 8, 1)}),
    (HOPPER, "keys", "atomic", {128: (32, 64, 4, 2), 256: (64, 16, 8, 1)}),
    # 64 keys per warpgroup at width 256 are more sums than it has registers.
    (HOPPER, "keys", "", {16: (64, 128, 8, 2), 32: (64, 128, 8, 2), 64: (64, 128, 8, 2),
                          128: (64, 128, 8, 2), 256: (64, 32, 8, 1)}),
    (ANY, "keys", "atomic intervals", {16: (32, 64, 4, 1)}),
    (ANY, "keys", "atomic", {16: (64, 32, 4, 1), 32: (32, 64, 4, 2), 64: (16, 64, 4, 1),
                             128: (16, 64, 4, 1), 256: (16, 32, 4, 1)}),
    (ANY, "keys", "intervals", {32: (32, 64, 4, 1)}),
    (ANY, "keys", "", {16: (32, 64, 4, 2), 32: (32, 64, 4, 2), 64: (32, 64, 4, 1),
                       128: (32, 32, 4, 1), 256: (32, 16, 4, 1)}),

    # At width 256 this is the one that spills: 224 bytes.
    (ANY, "queries", "float32", {16: (32, 32, 4, 1), 32: (32, 32, 4, 1), 64: (32, 32, 8, 1),
                                 128: (16, 16, 8, 1), 256: (16, 16, 8, 1)}),
    (AMD, "queries", "", {16: (64, 32, 4, 1), 32: (64, 32, 4, 1), 64: (64, 32, 4, 1),
                          128: (32, 32, 4, 1), 256: (16, 32, 4, 1)}),
    (ANY, "queries", "bias", {16: (64, 32, 4, 1), 32: (64, 32, 4, 1), 64: (64, 32, 4, 1),
                              128: (32, 32, 4, 1), 256: (16, 32, 4, 1)}),
    (HOPPER, "queries", "softcap", {256: (64, 16, 4, 2)}),
    (HOPPER, "queries", "", {16: (128, 128, 8, 2), 32: (128, 128, 8, 2), 64: (128, 128, 8, 2),
                             128: (128, 64, 8, 2), 256: (128, 32, 8, 2)}),
    (ANY, "queries", "intervals", {128: (64, 32, 4, 2)}),
    (ANY, "queries", "", {16: (64, 64, 4, 2), 32: (64, 64, 4, 2), 64: (64, 32, 4, 2),
                          128: (64, 32, 4, 1), 256: (32, 64, 8, 1)}),
]  # fmt: skip


def capability(x):
    """(9, 0) for Hopper and so on; AMD's GPUs and the interpreter have a number of their own."""
    if is_interpreting() or x.device.type != "cuda":
        return INTERPRETER, 0
    if torch.version.hip:
        return AMD, 0
    return torch.cuda.get_device_capability(x.device)


def choices_for(capability, kernel, width, dtype, *, aligned, **variant):
    """The configurations of the kernel "forward", "keys" or "queries", best first.

    `aligned` says whether tensor descriptors can describe the rows of all tensors, and `variant`
    which of the words above `TILES` hold.
    """
    if capability[0] == INTERPRETER:
        return [INTERPRETED._replace(tma=aligned)]
    variant |= {"float32": dtype == torch.float32, "strided": not aligned}
    holds = {word for word, true in variant.items() if true}
    found = next(
        by_width[width]
        for gpu, name, words, by_width in TILES
        if gpu in (ANY, capability[0])
        and name == kernel
        and holds.issuperset(words.split())
        and width in by_width
    )
    tma = capability[0] == HOPPER and not holds & BY_POINTERS
    found = found if isinstance(found, list) else [found]
    return [Configuration(*each)._replace(tma=tma) for each in found]


def nan_safe(capability, dtype):
    """The configuration of any kernel in the second pass, which `hidden` explains."""
    if capability[0] == INTERPRETER:
        return INTERPRETED._replace(nan_safe=True)
    return NAN_SAFE._replace(keys=16) if dtype == torch.float32 else NAN_SAFE
