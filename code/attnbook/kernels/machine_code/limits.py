"""How many clocks each unit of a multiprocessor needs for a loop, at the least: a prediction."""

import re
from dataclasses import dataclass

from attnbook.kernels.machine_code.listing import Loop


@dataclass(frozen=True)
class Chip:
    """A GPU: how many multiprocessors, their clock, and what each does in one clock.

    matrix counts operations of bfloat16 products, a multiplication and an addition each; special,
    float, integer and shuffles count the threads that are served; issue counts instructions, each
    of one warp; shared counts bytes.
    """

    name: str
    multiprocessors: int
    clock: float
    matrix: int
    special: int = 16
    float: int = 128
    integer: int = 64
    shuffles: int = 32
    issue: int = 4
    shared: int = 128

    @property
    def peak(self):
        """The operations a second of bfloat16 products that the units can do."""
        return self.multiprocessors * self.clock * self.matrix


# NVIDIA's data sheets: an H100 SXM has 132 multiprocessors and 989.4 TFLOP/s of dense bfloat16, so
# 4096 operations a clock at 1.83 GHz; an A100 has 108, 312 TFLOP/s and 1.41 GHz. Other rates are
# those of the CUDA C++ Best Practices Guide's table of arithmetic instructions, for 8.0 and 9.0.
CHIPS = {
    "sm_90": Chip("H100 SXM", 132, 1.83e9, 4096),
    "sm_80": Chip("A100", 108, 1.41e9, 2048),
}


@dataclass(frozen=True)
class Prediction:
    """The clocks of a turn by unit, and the operations a second that follow; no measurement.

    overlapped supposes that the busiest unit never waits; alone that no two ever work at a time.
    """

    clocks: dict
    overlapped: float
    alone: float

    @property
    def limit(self):
        """The unit that needs most clocks."""
        return max(self.clocks, key=self.clocks.get)


def predicted(loop: Loop, chip: Chip, useful=1.0):
    """What a multiprocessor needs for one turn of a loop at the least, and the rate that follows.

        clocks_unit = (what the loop asks of the unit) / (what the unit does in one clock)

    useful is the share of the loop's products that count as operations: a backward pass that makes
    scores twice has 7 products for 5 that count. Returns a `Prediction`, of rates for the whole
    chip in operations a second. Raises ValueError for a loop without matrix products, or one of
    which the listing does not tell their size.

    Source: the model of Shah et al. (2024), section 3, for products and exponentials.
    """
    if not loop.flops:
        raise ValueError("the loop has no matrix products whose size its listing tells")
    clocks = _clocks(loop, chip)
    rate = useful * loop.flops * chip.clock * chip.multiprocessors
    units = [n for unit, n in clocks.items() if unit != "issue"]  # that of all units together
    return Prediction(clocks, rate / max(clocks.values()), rate / sum(units))


def _clocks(loop, chip):
    n, threads = loop.counts, 32 * loop.warps
    pairs = n["float"] + 2 * n["float pairs"]
    integer = n["compare"] + n["integer"] + n["convert"]
    moved = sum(shared_bytes(one) for one in loop.instructions)
    return {
        "products": loop.flops / chip.matrix,
        "exponentials": (n["exponentials"] + n["special"]) * threads / chip.special,
        "floats": pairs * threads / chip.float,
        "integers": integer * threads / chip.integer,
        "shuffles": n["shuffles"] * threads / chip.shuffles,
        "shared memory": moved * loop.warps / chip.shared,
        "issue": len(loop.instructions) * loop.warps / chip.issue,
    }


def shared_bytes(one):
    """The bytes that an instruction of one warp moves between shared memory and elsewhere.

    A matrix product of Hopper reads its second operand there, and its first too if it comes with
    a descriptor: for four warps at once, a quarter of which counts for each. A load counts as if
    each thread read numbers of its own, and not at all under the guard @!PT, which is never true.
    """
    if one.guard == "@!PT":
        return 0
    if shape := re.match(r"HGMMA\.(\d+)x(\d+)x(\d+)", one.name):
        m, columns, k = map(int, shape.groups())
        rows = m if re.match(r"R\d+, gdesc", one.operands) else 0
        return 2 * (rows + columns) * k // 4
    if one.kind in ("shared loads", "shared stores"):
        if "M" in one.name[:4]:  # LDSM, STSM: matrices of 8 by 8, of 16 bits
            parts = re.search(r"\.([124])(\.|$)", one.name)
            return 128 * int(parts[1] if parts else 1)
        bits = re.search(r"\.[US]?(8|16|64|128)(\.|$)", one.name)
        return 32 * int(bits[1] if bits else 32) // 8
    return 0
