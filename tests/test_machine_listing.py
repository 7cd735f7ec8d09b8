"""A listing taken apart: classes, loops, operations, and the lines around one."""

import pytest

from attnbook.kernels import machine_code
from attnbook.kernels.machine_code import listing

LISTING = """
        /*0000*/                   MOV R1, c[0x0][0x28] ;
        /*0010*/              @!P0 BRA `(.L_x_9) ;
.L_x_1:
        /*0020*/                   HGMMA.64x128x16.F32.BF16 R24, gdesc[UR16], R24 ;
        /*0030*/                   MUFU.EX2 R9, R9 ;
.L_x_2:
        /*0040*/                   SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR8], RZ ;
        /*0050*/              @!P0 BRA `(.L_x_7) ;
.L_x_3:
        /*0060*/                   FFMA R1, R2, R3, R4 ;
        /*0070*/               @P1 BRA `(.L_x_1) ;
.L_x_9:
        /*0080*/                   STL [R1], R2 ;
        /*0090*/                   EXIT ;
.L_x_7:
        /*00a0*/                   SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR8], RZ ;
        /*00b0*/              @!P0 BRA `(.L_x_7) ;
        /*00c0*/                   BRA `(.L_x_3) ;
"""


def test_a_loop_is_what_comes_back_and_not_what_jumps_back():
    """A wait that stands behind the end jumps back into the loop: a line, not a second loop."""
    found = listing.loops(listing.instructions(LISTING), warps=8)
    assert [loop.counts["matrix"] for loop in found] == [1, 0]
    hot = listing.hottest(found)
    assert hot.counts["exponentials"] == hot.counts["float"] == 1
    assert hot.counts["spills"] == hot.counts["other"] == 0
    assert hot.flops == 8 * 2 * 64 * 128 * 16 // 4


def test_all_between_a_label_and_a_jump_back_to_it_would_be_wrong():
    """The wrong way takes the wait's jump back for a loop, and a spill behind the loop for its."""
    found = listing.instructions(LISTING)
    last = found[-1]
    assert any(one.kind == "spills" for one in found[last.aim :])
    hot = listing.hottest(listing.loops(found, warps=8))
    assert last in hot.instructions
    assert not any(one.kind == "spills" for one in hot.instructions)


WEIGHT = """
        /*0000*/                   FADD R9, R8, -R7 ;
        /*0010*/                   FADD R3, R2, -R7 ;
        /*0020*/                   FMUL R3, R3, 1.4426950216293334961 ;
        /*0030*/                   FSETP.GEU.AND P6, PT, R3, -126, PT ;
        /*0040*/              @!P6 FMUL R3, R3, 0.5 ;
        /*0050*/                   MUFU.EX2 R4, R3 ;
        /*0060*/                   FADD R9, R9, R8 ;
        /*0070*/              @!P6 FMUL R4, R4, R4 ;
        /*0080*/                   FADD R5, R4, R5 ;
        /*0090*/                   MOV R4, R6 ;
        /*00a0*/                   FADD R5, R4, R5 ;
"""


def test_the_lines_of_one_weight_are_found_among_others():
    found = listing.instructions(WEIGHT)
    near = machine_code.around(found, 5)
    assert near == [*found[1:6], *found[7:9]]
    assert str(near[3]).split() == ["@!P6", "FMUL", "R3,", "R3,", "0.5"]
    assert machine_code.around(found, 5, before=2, after=1) == [found[i] for i in (3, 4, 5, 7)]


@pytest.mark.parametrize(
    "name, kind",
    {
        "MUFU.EX2": "exponentials",
        "MUFU.RCP": "special",
        "FFMA": "float",
        "FFMA2": "float pairs",
        "FMNMX": "compare",
        "LDSM.16.M88.4": "shared loads",
        "LDG.E.128": "global loads",
        "LDGSTS.E.BYPASS.LTC128B.128": "copies",
        "LDGDEPBAR": "barriers",
        "STL.64": "spills",
        "UTMALDG.2D": "tensor loads",
        "UTCHMMA": "matrix",
        "UMOV": "uniform",
        "HFMA2.MMA": "other",
        "v_mfma_f32_32x32x8_bf16": "matrix",
        "ds_bpermute_b32": "shuffles",
        "ds_read_b64": "shared loads",
    }.items(),
)
def test_an_instruction_has_its_class(name, kind):
    assert listing.Instruction(name, "").kind == kind


@pytest.mark.parametrize(
    "name, flops",
    {"HGMMA.64x256x16.F32.BF16": 131072, "HMMA.16816.F32.BF16": 4096, "UTCHMMA": None}.items(),
)
def test_the_operations_of_a_product(name, flops):
    assert listing.Instruction(name, "").flops == flops
