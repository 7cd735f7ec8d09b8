"""Registers that are used under a running product are found, and none that may be used."""

import pytest
from overwritten import overwritten

from attnbook.kernels.machine_code.listing import instructions

# Sums in R24 to R55, a left operand in R88 to R91; a second group, with both in shared memory.
LISTING = """
        /*0000*/  MOV R88, R7 ;
        /*0010*/  WARPGROUP.ARRIVE ;
.L_x_1:
        /*0020*/  HGMMA.64x64x16.F32.BF16 R24, R88, gdesc[UR4], R24, gsb0 ;
        /*0030*/  HGMMA.64x64x16.F32.BF16 R96, gdesc[UR8], RZ, !UPT ;
        /*0040*/  HGMMA.64x64x16.F32.BF16 R96, gdesc[UR12], R96, gsb0 ;
        /*0050*/  {early}
        /*0060*/  WARPGROUP.DEPBAR.LE gsb0, 0x1 ;
        /*0070*/  {between}
        /*0080*/  WARPGROUP.DEPBAR.LE gsb0, 0x0 ;
        /*0090*/  {late}
        /*00a0*/  @P0 BRA `(.L_x_1) ;
        /*00b0*/  STG.E [R2.64], R24 ;
        /*00c0*/  EXIT ;
"""


def found(**planted):
    lines = dict.fromkeys(("early", "between", "late"), "NOP ;") | planted
    return overwritten(instructions(LISTING.format(**lines)))


FREE = [
    {},
    {"early": "MOV R92, R88 ;"},  # it reads the left operand, behind it
    {"early": "STS [R88], R91 ;"},
    {"early": "ISETP.GE.AND P0, PT, R88, 0x1, PT ;"},
    {"early": "LDS.64 R86, [R3] ;"},  # R86 and R87
    {"between": "FADD R24, R24, R55 ;"},  # the first group is whole
    {"between": "MOV R88, R7 ;"},
    {"late": "FADD R96, R24, R128 ;"},
]
TAKEN = [
    {"early": "MOV R91, R7 ;"},
    {"early": "@P1 MOV R91, R7 ;"},
    {"early": "LDS.64 R87, [R3] ;"},
    {"early": "LDS.128 R85, [R3] ;"},
    {"early": "LDSM.16.M88.4 R85, [R3] ;"},
    {"early": "IMAD.WIDE R87, R2, R3, R4 ;"},
    {"early": "SHFL.BFLY PT, R88, R7, 0x1, 0x1f ;"},
    {"early": "MOV R55, R7 ;"},
    {"early": "FADD R7, R55, R7 ;"},
    {"early": "STS [R3], R24 ;"},
    {"between": "FADD R7, R96, R7 ;"},
    {"between": "@P2 BRA `(.L_x_1) ;", "early": "MOV R90, R7 ;"},
]


@pytest.mark.parametrize("lines", FREE)
def test_what_may_be_used_is_no_fault(lines):
    assert found(**lines) == []


@pytest.mark.parametrize("lines", TAKEN)
def test_what_a_running_product_uses_is_found(lines):
    faults = found(**lines)
    assert faults and all("while" in fault for fault in faults)


def test_a_register_is_found_on_the_way_round_a_loop():
    """A turn that leaves its last group running, and the next that begins by writing its sums."""
    turn = LISTING.replace("LE gsb0, 0x0", "LE gsb0, 0x1").replace("STG.E [R2.64], R24", "NOP")
    turn = turn.format(early="NOP ;", between="NOP ;", late="NOP ;")
    assert overwritten(instructions(turn)) == []
    turn = turn.replace(".L_x_1:", ".L_x_1:\n        /*0011*/  MOV R100, R7 ;")
    assert any("MOV" in fault for fault in overwritten(instructions(turn)))
