"""The sizes of tiles that each kernel is compiled with, for each kind of GPU, width and dtype.

No search at run time. What stands here was chosen from the machine code: it spills no registers,
no two groups of warps compute the same, matrix instructions run on while others are issued, and as
many programs as the sizes let fit on one processor. Where there are several, the first is used; a
race decides between them.

On a Hopper GPU a product of matrices has 64 rows for each group of four warps, and all groups stand
below one another where products follow products: scores of fewer rows than 64 for each group are
computed by all. With less than that, products are those of a warp, and slower. These are 16 by 8:
where products follow products warps stand below one another first too, elsewhere side by side, and
a tile of fewer than 16 rows for each, or 512 scores, is computed more than once.
"""

from typing import NamedTuple

import torch

from attnbook.kernels.interpreter import is_interpreting


class Configuration(NamedTuple):
    """How a kernel is compiled.

    A program computes a tile of `rows` queries by `keys` keys at a time, with `warps` of 32
    threads, while `stages` tiles are under way from memory: by tensor descriptors if `tma`, and
    brought by warps that do nothing else if `specialize`. A thread has at most `registers`. It is
    started a second time, to leave out what is hidden, if `careful`.
    """

    rows: int
    keys: int
    warps: int
    stages: int
    tma: bool = False
    specialize: bool = False
    registers: int | None = None
    careful: bool = False

    def options(self):
        """What Triton's compiler is told."""
        limit = {} if self.registers is None else {"maxnreg": self.registers}
        return {"num_warps": self.warps, "num_stages": self.stages, **limit}


INTERPRETED = Configuration(64, 32, 1, 1)
ALONG = Configuration(32, 0, 4, 1)
FLOAT32 = {  # no tensor core multiplies them exactly; forward, grad_k and grad_v, and grad_q
    16: (Configuration(32, 32, 4, 1),) * 3,
    32: (Configuration(32, 32, 4, 1),) * 3,
    64: (Configuration(32, 32, 4, 1), Configuration(16, 16, 8, 1), Configuration(32, 32, 8, 1)),
    128: (Configuration(16, 16, 4, 1), *(Configuration(16, 16, 8, 1),) * 2),
    256: (Configuration(16, 16, 8, 1),) * 3,  # the one that spills: 224 bytes, for grad_q
}

SPECIALIZED = Configuration(128, 128, 4, 2, tma=True, specialize=True)  # 12 warps in all
FORWARD_HOPPER = {  # by tensor descriptors; with every block whole, and else
    16: ([Configuration(128, 128, 8, 2, tma=True)],) * 2,
    32: ([Configuration(128, 128, 8, 2, tma=True)],) * 2,
    64: (
        [SPECIALIZED, Configuration(128, 64, 4, 3, tma=True)],
        [Configuration(128, 64, 4, 3, tma=True), SPECIALIZED],
    ),
    128: (
        [SPECIALIZED, Configuration(128, 128, 8, 2, tma=True)],
        [Configuration(128, 128, 8, 2, tma=True), SPECIALIZED],
    ),
    256: ([Configuration(128, 64, 8, 2, tma=True)],) * 2,
}
FORWARD_SOFTCAP = {64: Configuration(128, 64, 8, 3, tma=True)}  # where tanh needs registers
FORWARD_POINTERS = {
    16: Configuration(128, 128, 8, 2),
    32: Configuration(128, 128, 8, 2),
    64: Configuration(128, 64, 8, 3),
    128: Configuration(128, 64, 8, 3),
    256: Configuration(64, 32, 4, 2),
}
FORWARD_BIAS_GROUPS = dict.fromkeys((16, 32, 64), Configuration(64, 32, 4, 1))
FORWARD_BIAS_GROUPS |= {128: Configuration(64, 16, 4, 1), 256: Configuration(32, 32, 4, 1)}
FORWARD_BIAS = FORWARD_BIAS_GROUPS | {64: Configuration(64, 16, 4, 1)}
FORWARD_BIAS |= {128: Configuration(32, 32, 4, 1)}
FORWARD_ANY = {
    16: Configuration(64, 64, 4, 2),
    32: Configuration(64, 64, 4, 2),
    64: Configuration(128, 64, 8, 2),
    128: Configuration(128, 32, 8, 2),
    256: Configuration(64, 64, 8, 1),
}
NARROW = (
    *[Configuration(64, 128, 8, 2, tma=True)] * 2,
    *[Configuration(32, 64, 4, 2, tma=True)] * 2,
)
KEYS_HOPPER = {  # alone; with grad_q, or shared by heads; with a soft cap; with that and grad_q
    16: NARROW,
    32: NARROW,
    64: (
        *[Configuration(64, 128, 8, 2, tma=True)] * 2,
        Configuration(64, 64, 4, 2, tma=True),
        Configuration(32, 64, 4, 2, tma=True),
    ),
    128: (
        Configuration(64, 128, 8, 2, tma=True),
        Configuration(32, 64, 4, 2, tma=True),
        Configuration(32, 64, 4, 1, tma=True),
        Configuration(16, 64, 4, 2, tma=True),
    ),
    # 64 keys for each group of warps are more sums than they have registers
    256: (Configuration(64, 32, 8, 1, tma=True), Configuration(64, 16, 8, 1, tma=True)) * 2,
}
# As many keys and twice the queries: half the waits and half the integers a score, and one program
# on a processor in place of two.
KEYS_SECOND = {128: [Configuration(64, 64, 4, 2, tma=True)]}  # with grad_q alone
ROWS_HOPPER = {
    16: Configuration(128, 128, 8, 2, tma=True),
    32: Configuration(128, 128, 8, 2, tma=True),
    64: Configuration(128, 128, 8, 2, tma=True),
    128: Configuration(128, 64, 8, 2, tma=True),
    256: Configuration(128, 32, 8, 2, tma=True),
}
ROWS_SOFTCAP = {256: Configuration(64, 16, 4, 2, tma=True)}
KEYS_ANY = {
    16: Configuration(32, 64, 4, 2),
    32: Configuration(32, 64, 4, 2),
    64: Configuration(32, 64, 4, 1),
    128: Configuration(32, 32, 4, 1),
    256: Configuration(32, 16, 4, 1),
}
ROWS_ANY = {
    16: Configuration(64, 64, 4, 2),
    32: Configuration(64, 64, 4, 2),
    64: Configuration(64, 32, 4, 2),
    128: Configuration(64, 32, 4, 1),
    256: Configuration(32, 64, 8, 1),
}
KEYS_BIAS = {
    16: Configuration(32, 64, 4, 1),
    32: Configuration(32, 64, 4, 1),
    64: Configuration(64, 32, 8, 1),
    128: Configuration(32, 32, 4, 1),
    256: Configuration(32, 16, 4, 1),
}
ROWS_BIAS = {
    16: Configuration(64, 32, 4, 1),
    32: Configuration(64, 32, 4, 1),
    64: Configuration(64, 32, 4, 1),
    128: Configuration(32, 32, 4, 1),
    256: Configuration(16, 32, 4, 1),
}
KEYS_ADDED = KEYS_ANY | {16: Configuration(64, 32, 4, 1), 256: Configuration(16, 32, 4, 1)}
KEYS_ADDED |= dict.fromkeys((64, 128), Configuration(16, 64, 4, 1))
FORWARD_RUNS = FORWARD_ANY | {32: FORWARD_BIAS[32]}
KEYS_RUNS = KEYS_ANY | {32: KEYS_BIAS[32]}
KEYS_ADDED_RUNS = KEYS_ADDED | {16: KEYS_BIAS[16]}
ROWS_RUNS = ROWS_ANY | {128: Configuration(64, 32, 4, 2)}
KEYS_AMD = KEYS_BIAS | {64: Configuration(32, 64, 8, 1)}
FORWARD_AMD = FORWARD_ANY | {256: Configuration(64, 32, 8, 1)}
KEYS_POINTERS = KEYS_ANY | {256: Configuration(32, 32, 4, 1)}
ROWS_POINTERS = ROWS_ANY | {256: Configuration(128, 32, 8, 1)}
KEYS_BIAS_HOPPER = KEYS_BIAS | {64: Configuration(32, 64, 4, 1)}
CAREFUL = Configuration(16, 32, 8, 1, careful=True)  # small, so that the sums stay in registers


def capability(x):
    """(9, 0) for Hopper and so on; (0, 0) where kernels are interpreted."""
    if is_interpreting() or x.device.type != "cuda":
        return 0, 0
    if torch.version.hip:
        return -1, 0
    return torch.cuda.get_device_capability(x.device)


def forward_choices(
    capability, width, dtype, *, cut, bias=False, runs=False, softcap=False, aligned=True
):
    """The configurations of the forward kernel, best first.

    `cut` says whether some blocks are seen in part, `runs` whether which keys a query sees comes
    from memory; `aligned` whether tensor descriptors can describe queries, keys and values.
    """
    if capability[0] == 0:
        return [INTERPRETED._replace(tma=aligned)]
    if dtype == torch.float32:
        return [FLOAT32[width][0]]
    if bias:
        return [(FORWARD_BIAS_GROUPS if capability[0] in (9, 10) else FORWARD_BIAS)[width]]
    if capability[0] != 9:
        on_nvidia = FORWARD_RUNS if runs else FORWARD_ANY
        return [(on_nvidia if capability[0] > 0 else FORWARD_AMD)[width]]
    if not aligned:
        return [FORWARD_POINTERS[width]]
    if softcap and width in FORWARD_SOFTCAP:
        return [FORWARD_SOFTCAP[width]]
    return FORWARD_HOPPER[width][cut or softcap][: 1 if softcap else None]


def careful(capability, dtype):
    """The configuration of any kernel that is started once more, as `hidden` explains."""
    if capability[0] == 0:
        return INTERPRETED._replace(careful=True)
    return CAREFUL._replace(keys=16) if dtype == torch.float32 else CAREFUL


def backward_choices(
    capability, width, dtype, *, atomic=False, bias=False, runs=False, softcap=False,
    grouped=False, aligned=True,
):  # fmt: skip
    """The configurations of the kernel for grad_k and grad_v and of that for grad_q, best first.

    `grouped` says whether several heads of queries share keys, `runs` whether which keys they see
    comes from memory.
    """
    if capability[0] == 0:
        return [(INTERPRETED._replace(tma=aligned),) * 2]
    if dtype == torch.float32:
        return [FLOAT32[width][1:]]
    if capability[0] == 9:
        if bias:
            return [(KEYS_BIAS_HOPPER[width], ROWS_BIAS[width])]
        if not aligned:
            return [(KEYS_POINTERS[width], ROWS_POINTERS[width])]
        more = 2 * softcap + (atomic or (grouped and not softcap))
        by_rows = ROWS_SOFTCAP.get(width) if softcap else None
        keys = [KEYS_HOPPER[width][more]]
        keys += KEYS_SECOND.get(width, []) if atomic and not (softcap or grouped) else []
        return [(each, by_rows or ROWS_HOPPER[width]) for each in keys]
    if capability[0] < 0:
        return [(KEYS_AMD[width], ROWS_BIAS[width])]
    if bias:
        return [(KEYS_BIAS[width], ROWS_BIAS[width])]
    if runs:
        return [((KEYS_ADDED_RUNS if atomic else KEYS_RUNS)[width], ROWS_RUNS[width])]
    return [((KEYS_ADDED if atomic else KEYS_ANY)[width], ROWS_ANY[width])]
