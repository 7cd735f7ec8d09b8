"""Registers that are used while a product still runs that reads them or adds to them.

wgmma returns at once: until a wait covers its group, its registers are not the program's. Whoever
writes one of them, or reads a sum before it is whole, computes with something else, without a word
(PTX ISA, wgmma.mma_async; an assembler has done so: https://github.com/triton-lang/triton/issues/9433).
"""

import re

_WGMMA = re.compile(r"HGMMA\.64x(\d+)x\d+")
_OPERANDS = re.compile(r"R(\d+), (?:R(\d+)|gdesc)")
_FIRST = re.compile(r"(?:P\w+, )?R(\d+)")  # SHFL and ATOM have a predicate before it
_READ = re.compile(r"(?<![A-Z])R(\d+)")
_FRAGMENT = 4  # registers of a left operand: 64 rows by 32 bytes, of 128 threads
_GROUPS = 3  # that a wait may leave running, more than any does


def overwritten(found):
    """Pairs of a product and an instruction, places in a list of `Instruction`s, as texts."""
    pairs = {}
    for place, one in enumerate(found):
        if _WGMMA.match(one.name):
            sums, left = _registers(one)
            for other in _before_its_wait(found, place):
                wrote, read = _written(found[other]), _read(found[other])
                if wrote & (sums | left) or read & sums:
                    pairs[place, other] = f"{found[other]} while {one} runs"
    return list(pairs.values())


def _registers(wgmma):
    """The registers of its sums, and of its left operand, if that is not in shared memory."""
    n = int(_WGMMA.match(wgmma.name)[1])
    first, left = _OPERANDS.match(wgmma.operands).groups()
    fragment = range(int(left), int(left) + _FRAGMENT) if left else ()
    return set(range(int(first), int(first) + n // 2)), set(fragment)


def _before_its_wait(found, place):
    """The instructions, other than products, that may be done before a wait covers a product."""
    groups = int("gsb0" in found[place].operands)  # closed since, its own among them
    left, seen = [(place + 1, groups)], set()
    while left:
        at, groups = left.pop()
        if (at, groups) in seen or at >= len(found):
            continue
        seen.add((at, groups))
        one = found[at]
        if one.name.startswith("WARPGROUP.DEPBAR") and groups > int(one.operands.split()[1], 16):
            continue
        if _WGMMA.match(one.name):
            groups = min(groups + ("gsb0" in one.operands), _GROUPS)
        else:
            yield at
        if one.aim is not None:
            left.append((one.aim, groups))
        if one.conditional or not (one.aim is not None or one.name.startswith(("EXIT", "RET"))):
            left.append((at + 1, groups))


def _written(one):
    """The registers that an instruction writes."""
    if one.kind in ("barriers", "branches", "uniform"):
        return set()
    first = _FIRST.match(one.operands) if one.name.startswith(("SHFL", "ATOM")) else None
    first = first or re.match(r"R(\d+)", one.operands)
    if not first:
        return set()
    return set(range(int(first[1]), int(first[1]) + _width(one.name)))


def _width(name):
    if name.startswith("LDSM"):
        return int(name.rsplit(".", 1)[-1])
    if name.startswith("LD"):
        return 4 if ".128" in name else 2 if ".64" in name else 1
    return 2 if ".WIDE" in name or name.startswith(("CS2R", "D")) else 1


def _read(one):
    return {int(n) for n in _READ.findall(one.operands.partition(", ")[2])}
