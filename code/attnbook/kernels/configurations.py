"""The sizes of tiles that each kernel is compiled with, for each kind of GPU, width and dtype.

No search at run time: each entry was chosen from its machine code. It compiles without spills, its
matrix instructions are not serialized, and as many programs as said fit on one processor.
"""

from typing import NamedTuple

import torch

from attnbook.kernels.interpreter import is_interpreting


class Configuration(NamedTuple):
    """How a kernel is compiled.

    A program computes `rows` queries (or keys, for their gradients) against `keys` at a time, with
    `warps` of 32 threads, while `stages` tiles are under way from memory; by tensor descriptors if
    `tma`, and with warps that only bring tiles if `specialize`; a thread has at most `registers`.
    """

    rows: int
    keys: int
    warps: int
    stages: int
    tma: bool = False
    specialize: bool = False
    registers: int | None = None

    def options(self):
        """What Triton's compiler is told."""
        limit = {} if self.registers is None else {"maxnreg": self.registers}
        return {"num_warps": self.warps, "num_stages": self.stages, **limit}


INTERPRETED = Configuration(64, 32, 1, 1)
ALONG = Configuration(64, 0, 4, 1)
HOPPER = {  # forward, 16 bits
    16: Configuration(128, 128, 8, 2, tma=True),
    32: Configuration(128, 128, 8, 2, tma=True),
    64: Configuration(128, 128, 8, 2, tma=True),
    128: Configuration(128, 128, 8, 2, tma=True),
    256: Configuration(128, 64, 8, 2, tma=True),
}
AMPERE = {
    16: Configuration(128, 64, 4, 3),
    32: Configuration(128, 64, 4, 3),
    64: Configuration(128, 64, 4, 3),
    128: Configuration(128, 32, 4, 2),
    256: Configuration(64, 32, 4, 2),
}
FLOAT32 = Configuration(32, 32, 4, 1)  # products of float32 are no tensor core's work


def capability(x):
    """(9, 0) for Hopper and so on; (0, 0) where kernels are interpreted."""
    if is_interpreting() or x.device.type != "cuda":
        return 0, 0
    return torch.cuda.get_device_capability(x.device)


def forward_configuration(q, options, aligned):
    """The configuration of the forward kernel.

    `aligned` says whether tensor descriptors can describe queries, keys and values.
    """
    major, _ = capability(q)
    if major == 0:
        return INTERPRETED._replace(tma=aligned)
    if q.dtype == torch.float32:
        return FLOAT32
    chosen = (HOPPER if major == 9 else AMPERE)[q.shape[-1]]
    return chosen if aligned else chosen._replace(tma=False, specialize=False)


def backward_configurations(q, options, aligned, atomic):
    """The configurations of the kernels for grad_k and grad_v, and for grad_q."""
    if capability(q)[0] == 0:
        return INTERPRETED._replace(tma=aligned), INTERPRETED._replace(tma=aligned)
    return FLOAT32, FLOAT32
