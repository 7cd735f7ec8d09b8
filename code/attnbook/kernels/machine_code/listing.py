"""A listing taken apart: its instructions, their classes, and its loops."""

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

# The class of an instruction is that of the longest beginning of its name found here.
KINDS = {
    "matrix": "HGMMA QGMMA IGMMA BGMMA HMMA QMMA IMMA BMMA DMMA OMMA UTCHMMA UTCQMMA UTCIMMA "
    "UTCOMMA UTCMXQMMA v_mfma v_smfmac",
    "exponentials": "MUFU.EX2 v_exp_f32",
    "special": "MUFU v_rcp v_log v_sqrt v_rsq v_sin v_cos",
    "float": "FFMA FMUL FADD v_fma_ v_fmac_ v_mul_f v_add_f v_sub_f v_pk_mul_f v_pk_fma_f "
    "v_pk_add_f v_mac_f",
    "float pairs": "FFMA2 FMUL2 FADD2",
    "compare": "FMNMX FSEL FSETP FSET FMNMX3 v_max v_min v_cmp v_cndmask",
    "convert": "F2FP F2F F2I I2F HADD2.F32 v_cvt",
    "integer": "IADD ISETP IMNMX IABS LEA LOP SHF SHL SHR SEL PRMT IMAD MOV PLOP VIADD VIMNMX "
    "v_add_u v_sub_u v_lsh v_and v_or v_xor v_mov v_bfe v_perm v_add3",
    "shuffles": "SHFL v_permlane ds_bpermute ds_permute ds_swizzle",
    "shared loads": "LDS LDSM ds_read",
    "shared stores": "STS STSM ds_write",
    "tensor loads": "UTMALDG UBLKCP",
    "tensor stores": "UTMASTG UTMAREDG",
    "copies": "LDGSTS",
    "global loads": "LDG global_load buffer_load flat_load",
    "global stores": "STG global_store buffer_store flat_store",
    "atomics": "ATOM ATOMG RED REDG global_atomic buffer_atomic flat_atomic",
    "spills": "LDL STL scratch_load scratch_store",
    "barriers": "BAR SYNCS WARPGROUP WARPSYNC DEPBAR LDGDEPBAR ARRIVES UTCBAR s_barrier",
    "registers": "USETMAXREG",
    "uniform": "U",
    "branches": "BRA BRX EXIT CALL RET BSSY BSYNC BREAK s_branch s_cbranch s_endpgm",
}
_BEGINNINGS = {beginning: kind for kind, words in KINDS.items() for beginning in words.split()}

_NVIDIA = re.compile(
    r"/\*([0-9a-f]{4,})\*/\s+\{?\s*(@!?U?P\w+)?\s*([A-Z][A-Z0-9_]*(?:\.\w+)*)\s*([^;]*);?"
)
_AMD = re.compile(r"^\t()()([vsdgbf][a-z]*_[a-z0-9_]+)\s*([^;\n]*)")
_LABEL = re.compile(r"^(\.?L\w+):")
_AIM = re.compile(r"\.?L(?:_x_|BB)\w+")
_SHAPE = re.compile(r"[HQI]GMMA\.(\d+)x(\d+)x(\d+)")
_WARP_SHAPES = {"16816": 16 * 8 * 16, "1688": 16 * 8 * 8, "16832": 16 * 8 * 32}
_ENDS = ("EXIT", "RET", "s_endpgm")


@dataclass(frozen=True)
class Instruction:
    """One instruction: its name, what it is given, and the place that it may jump to."""

    name: str
    operands: str
    guard: str = ""
    aim: int | None = None

    def __str__(self):
        return f"{self.guard:>5} {self.name:<14} {self.operands}"

    @cached_property
    def kind(self):
        """Its class, or `other`."""
        for end in range(len(self.name), 0, -1):
            if self.name[:end] in _BEGINNINGS:
                return _BEGINNINGS[self.name[:end]]
        return "other"

    @property
    def conditional(self):
        """Whether it may go on with the next instruction rather than jump or end."""
        if self.name.startswith("BRA"):
            return bool(self.guard) or not self.operands.startswith("`")
        return bool(self.guard) or self.name.startswith("s_cbranch")

    @property
    def flops(self):
        """The operations of a matrix product, a multiplication and an addition each, of one warp.

        None where the listing does not tell them: those of sm_100 have their shape in a register.
        """
        if shape := _SHAPE.match(self.name):
            m, n, k = map(int, shape.groups())
            return 2 * m * n * k // 4  # four warps do it together
        if self.name.startswith("HMMA."):
            return 2 * _WARP_SHAPES[self.name.split(".")[1]]
        return None


@dataclass(frozen=True)
class Loop:
    """An innermost loop: its instructions, which each of its warps executes once a turn."""

    instructions: tuple = field(repr=False)
    warps: int

    @cached_property
    def counts(self):
        """How many instructions of each class, a Counter."""
        return Counter(one.kind for one in self.instructions)

    @property
    def flops(self):
        """The operations of all its matrix products in one turn, of all warps."""
        each = [one.flops for one in self.instructions if one.kind == "matrix"]
        return None if None in each else self.warps * sum(each)

    def per_score(self, scores, lanes=32):
        """How often each class is done for one score, if a turn makes this many: a dict."""
        return {kind: n * self.warps * lanes / scores for kind, n in self.counts.items()}


def instructions(listing):
    """The instructions of a listing by nvdisasm, or in AMD's assembly, and where they jump to."""
    found, places = [], {}
    for line in listing.splitlines():
        if label := _LABEL.match(line.strip()):
            places[label[1]] = len(found)
        elif match := _NVIDIA.search(line) or _AMD.match(line):
            found.append(match.groups())
    result = []
    for _, guard, name, operands in found:
        jumps = name.startswith(("BRA", "s_branch", "s_cbranch"))
        aim = _AIM.search(operands) if jumps else None
        aim = places.get(aim[0]) if aim else None
        result.append(Instruction(name, operands.strip(), guard or "", aim))
    return result


def loops(found, warps):
    """The innermost loops of a list of instructions, as `Loop`s, in order.

    A loop is what can come back to its first block without leaving it, where a block goes from
    one place that is jumped to, or follows a jump, to the next. An innermost one holds no other
    with matrix products; a loop of its own that waits does not count as one.
    """
    starts, following = _blocks(found)
    bodies = {}
    above = _dominators(following)
    for block, after in following.items():
        for head in after:
            if head in above[block]:
                bodies.setdefault(head, {head}).update(_body(head, block, following))
    made = []
    for head in sorted(bodies):
        body = sorted(bodies[head])
        code = tuple(one for b in body for one in found[starts[b] : starts[b + 1]])
        made.append((bodies[head], Loop(code, warps)))
    heavy = [body for body, loop in made if loop.counts["matrix"]]
    return [loop for body, loop in made if not any(inner < body for inner in heavy) and loop.counts]


def hottest(found):
    """The loop with most matrix products, the shorter of two; None where none has any."""
    heavy = [loop for loop in found if loop.counts["matrix"]]
    most = max((loop.flops or loop.counts["matrix"] for loop in heavy), default=0)
    best = [loop for loop in heavy if (loop.flops or loop.counts["matrix"]) == most]
    return min(best, key=lambda loop: len(loop.instructions), default=None)


def _blocks(found):
    """Where each block starts, with the end of the last, and which blocks may follow it."""
    starts = {0, len(found)} | {one.aim for one in found if one.aim is not None}
    for i, one in enumerate(found):
        if one.aim is not None or one.name.startswith(_ENDS):
            starts.add(i + 1)
    starts = sorted(starts)
    number = {start: block for block, start in enumerate(starts[:-1])}
    following = {}
    for block, end in enumerate(starts[1:]):
        last = found[end - 1]
        goes_on = not (last.aim is not None or last.name.startswith(_ENDS)) or last.conditional
        after = [number[last.aim]] if last.aim in number else []
        following[block] = after + ([block + 1] if goes_on and end < len(found) else [])
    return starts, following


def _dominators(following):
    """Which blocks every way to a block leads through, the block itself among them."""
    before = {block: [b for b in following if block in following[b]] for block in following}
    every = set(following)
    above = {block: every if before[block] and block else {block} for block in following}
    changed = True
    while changed:
        changed = False
        for block in following:
            if block and before[block]:
                new = {block} | set.intersection(*(above[b] for b in before[block]))
                changed |= new != above[block]
                above[block] = new
    return above


def _body(head, tail, following):
    """The blocks from which the tail is reached without passing the head."""
    before = {block: [b for b in following if block in following[b]] for block in following}
    body, left = {head}, [tail]
    while left:
        block = left.pop()
        if block not in body:
            body.add(block)
            left += before[block]
    return body


def around(found, place, before=5, after=3):
    """What made the registers that an instruction reads, and what reads the one that it makes.

    Returns up to `before` instructions, those nearest in front of it by their registers, itself,
    and up to `after` behind it, in the order of the listing; others that stand between are left
    out. A guard, such as @!P6, is read too: where P6 holds the instruction does nothing.
    """
    made, *wanted = _registers(found[place].operands)
    wanted, kept = set(wanted), [place]
    for i in range(place - 1, -1, -1):
        first, *read = _registers(found[i].operands) or [None]
        if first in wanted and len(kept) <= before:
            kept.insert(0, i)
            wanted -= set() if found[i].guard else {first}
            wanted |= {*read, *_registers(found[i].guard)}
    for i in range(place + 1, len(found)):
        first, *read = _registers(found[i].operands) or [None]
        reads = made in read or (first == made and found[i].guard)
        if reads and len(kept) <= before + after:
            kept.append(i)
        if first == made and not found[i].guard:
            break
    return [found[i] for i in kept]


def _registers(operands):
    return re.findall(r"\b(?:U?R\d+|P\d)\b", operands)
