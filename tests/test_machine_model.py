"""The model of a multiprocessor, worked by hand: units and their rates, instructions, loops."""

import random

import pytest

from attnbook.kernels.machine_code import CHIPS, Chip, Instruction, Loop, listing, predicted
from attnbook.kernels.machine_code.limits import shared_bytes
from attnbook.kernels.machine_code.listing import hottest, instructions, loops

H100 = CHIPS["sm_90"]


def attention(width, exponentials=64, floats=0):
    """A tile of 128 by 128 with 8 warps, as bare instructions."""
    scores = [Instruction("HGMMA.64x128x16.F32.BF16", "R24, gdesc[UR4], R24")] * (width // 16)
    mixing = [Instruction(f"HGMMA.64x{width}x16.F32.BF16", "R88, R72, gdesc[UR4], R88")] * 8
    rest = [Instruction("MUFU.EX2", "")] * exponentials + [Instruction("FFMA", "")] * floats
    return Loop((*scores, *mixing, *rest), warps=8)


def test_the_peak_is_that_of_the_data_sheet():
    assert H100.peak == pytest.approx(989.4e12, rel=1e-3)  # 1.83 GHz has three digits
    assert CHIPS["sm_80"].peak == pytest.approx(312e12, rel=1e-3)


@pytest.mark.parametrize("width", [32, 64, 128])
def test_products_and_exponentials_of_a_tile_by_hand(width):
    clocks = predicted(attention(width), H100).clocks
    assert clocks["products"] == 4 * 128 * 128 * width / 4096
    assert clocks["exponentials"] == 128 * 128 / 16


def test_which_unit_is_the_limit_changes_with_the_width():
    assert predicted(attention(128), H100).limit == "products"
    assert predicted(attention(32), H100).limit == "exponentials"


def test_rates_between_overlap_and_none():
    found = predicted(attention(64), H100)
    assert found.overlapped == pytest.approx(H100.peak)  # both take 1024 clocks
    slow = predicted(attention(64, exponentials=128), H100)
    assert slow.overlapped == pytest.approx(H100.peak / 2)
    assert slow.alone < slow.overlapped


def test_only_a_share_may_count():
    whole, part = (predicted(attention(64), H100, useful=share) for share in (1.0, 5 / 7))
    assert part.overlapped == pytest.approx(5 / 7 * whole.overlapped)


def test_a_pair_of_floats_counts_twice():
    loops = [Loop((*attention(64).instructions, Instruction(n, "")), 8) for n in ("FFMA", "FFMA2")]
    one, two = (predicted(loop, H100).clocks["floats"] for loop in loops)
    assert (one, two) == (2, 4)


BYTES = {
    ("HGMMA.64x128x16.F32.BF16", "R24, gdesc[UR16], R24"): 2 * (64 + 128) * 16 // 4,
    ("HGMMA.64x64x16.F32.BF16", "R88, R72, gdesc[UR16].tnspB, R88"): 2 * 64 * 16 // 4,
    ("LDS", "R2, [R1]"): 128,
    ("STS.128", "[R1], R4"): 512,
    ("LDS.U16", "R2, [R1]"): 64,
    ("LDSM.16.M88.4", "R4, [R1]"): 512,
    ("STSM.16.M88.4", "[R1], R4"): 512,
    ("STSM.16.MT88.2", "[R1], R4"): 256,
    ("LDG.E.128", "R2"): 0,
    ("LDSM.16.M88", ""): 128,
    ("LDSM.16.M88.2", ""): 256,
    ("LDS.U8", ""): 32,
    ("LDS.S16", ""): 64,
    ("LDS.64", ""): 256,
    ("STS.U16", ""): 64,
    ("ds_read_b64", ""): 128,
    ("FFMA", ""): 0,
    ("LDS", "RZ, [RZ]", "@!PT"): 0,
    ("LDS", "R2, [R1]", "@!P1"): 128,
}


@pytest.mark.parametrize("given, expected", BYTES.items(), ids=[name for name, *_ in BYTES])
def test_bytes_of_shared_memory_that_one_warp_moves(given, expected):
    assert shared_bytes(Instruction(*given)) == expected


@pytest.mark.parametrize("names", [(), ("FFMA",), ("UTCHMMA",)])
def test_a_loop_without_known_products_is_refused(names):
    loop = Loop(tuple(Instruction(name, "") for name in names), 4)
    with pytest.raises(ValueError, match="no matrix products whose size"):
        predicted(loop, H100)


PRODUCT = Instruction("HGMMA.64x128x16.F32.BF16", "R24, gdesc[UR4], R24")
CHIP = Chip("made up", 10, 2e9, 1024, 8, 64, 32, 16, 2, 256)
# What is executed, and the clocks that 4 warps of it take: threads or bytes over the unit's rate.
UNITS = {
    "MUFU.EX2": ("exponentials", 128 / 8),
    "MUFU.RCP": ("exponentials", 128 / 8),
    "FFMA": ("floats", 128 / 64),
    "FADD2": ("floats", 2 * 128 / 64),
    "FMNMX": ("integers", 128 / 32),
    "IADD3": ("integers", 128 / 32),
    "F2FP.BF16.F32.PACK_AB": ("integers", 128 / 32),
    "SHFL.BFLY": ("shuffles", 128 / 16),
    "LDS.128": ("shared memory", 4 * 512 / 256),
    "STS": ("shared memory", 4 * 128 / 256),
}


@pytest.mark.parametrize("name", UNITS)
def test_an_instruction_takes_its_own_unit_and_a_place_in_the_queue(name):
    """Six of them beside one product."""
    unit, clocks = UNITS[name]
    few = predicted(Loop((PRODUCT,), 4), CHIP).clocks
    many = predicted(Loop((PRODUCT, *[Instruction(name, "R1, R2")] * 6), 4), CHIP).clocks
    took = {each: many[each] - few[each] for each in few if many[each] != few[each]}
    assert took == {unit: pytest.approx(6 * clocks), "issue": 6 * 4 / 2}


def test_rates_are_of_the_whole_chip():
    flops = 2 * 64 * 128 * 16  # of four warps together
    loop = Loop((PRODUCT, *[Instruction("FFMA", "")] * 64), 4)
    found = predicted(loop, CHIP, useful=0.5)
    shared = 4 * (2 * (64 + 128) * 16 // 4) / 256
    products, floats = flops / 1024, 64 * 128 / 64
    assert found.clocks == {
        "products": products, "exponentials": 0, "floats": floats, "integers": 0, "shuffles": 0,
        "shared memory": shared, "issue": 65 * 4 / 2,
    }  # fmt: skip
    rate = 0.5 * flops * 2e9 * 10
    assert found.overlapped == pytest.approx(rate / products) and found.limit == "products"
    assert found.alone == pytest.approx(rate / (products + floats + shared))
    busy = predicted(Loop((PRODUCT, *[Instruction("NOP", "")] * 999), 4), CHIP)
    assert busy.limit == "issue" and busy.overlapped == pytest.approx(2 * rate / 2000)
    assert CHIP.peak == 10 * 2e9 * 1024


def test_other_rates_are_those_of_the_programming_guide():
    """Results a clock of a multiprocessor, 8.0 and 9.0 alike but for products and floats."""
    h100, a100 = CHIPS["sm_90"], CHIPS["sm_80"]
    for chip in (h100, a100):
        assert (chip.special, chip.integer, chip.shuffles, chip.issue) == (16, 64, 32, 4)
        assert chip.shared == 128
    assert (h100.float, h100.matrix, a100.matrix) == (128, 4096, 2048)


CLASSES = {
    "matrix": "HGMMA.64x64x16.F32 IMMA.16832.S8 v_mfma_f32 v_smfmac_f32 UTCMXQMMA",
    "exponentials": "MUFU.EX2.FTZ v_exp_f32_e32",
    "special": "MUFU.LG2 v_rcp_f32 v_cos_f32",
    "float": "FADD.FTZ v_fma_f32 v_mac_f32 v_pk_add_f32",
    "float pairs": "FMUL2 FADD2.FTZ",
    "compare": "FSETP.GEU.AND FMNMX3 v_cndmask_b32",
    "convert": "HADD2.F32 I2F.U32 v_cvt_f32",
    "integer": "LOP3.LUT IMAD.MOV.U32 VIMNMX v_add3_u32",
    "shuffles": "SHFL.IDX ds_swizzle_b32",
    "shared loads": "LDS.128 ds_read2_b64",
    "shared stores": "STSM.16 ds_write_b128",
    "tensor loads": "UTMALDG.4D UBLKCP",
    "tensor stores": "UTMASTG.2D UTMAREDG.2D",
    "copies": "LDGSTS.E",
    "global loads": "LDG.E flat_load_dword",
    "global stores": "STG.E.128 flat_store_dword",
    "atomics": "RED.E.ADD REDG.E flat_atomic_add",
    "spills": "LDL.64 STL scratch_load_dword scratch_store_dword",
    "barriers": "BAR.SYNC WARPGROUP.ARRIVE UTCBAR s_barrier",
    "registers": "USETMAXREG.DEALLOC",
    "uniform": "UIADD3 ULEA",
    "branches": "BRA EXIT s_cbranch_scc1 s_endpgm",
    "other": "NOP S2R HFMA2 v_nop",
}


@pytest.mark.parametrize("kind", CLASSES)
def test_names_and_their_class(kind):
    assert {name: Instruction(name, "").kind for name in CLASSES[kind].split()} == dict.fromkeys(
        CLASSES[kind].split(), kind
    )
    assert set(CLASSES) - {"other"} == set(listing.KINDS)


@pytest.mark.parametrize(
    ("name", "flops"),
    [("HMMA.16816.F32", 2 * 16 * 8 * 16), ("HMMA.1688.F32.TF32", 2 * 16 * 8 * 8), ("FFMA", None),
     ("HMMA.16832.F32", 2 * 16 * 8 * 32), ("QGMMA.64x32x32.F32", 2 * 64 * 32 * 32 // 4)],
)  # fmt: skip
def test_operations_of_one_warp(name, flops):
    assert Instruction(name, "").flops == flops


@pytest.mark.parametrize(
    ("name", "operands", "guard", "goes_on"),
    [("BRA", "`(.L_x_1)", "", False), ("BRA", "`(.L_x_1)", "@P0", True),
     ("BRA.U", "UP0, `(.L_x_1)", "", True), ("BRA", "P6, `(.L_x_1)", "", True),
     ("EXIT", "", "", False), ("EXIT", "", "@!P0", True), ("s_branch", ".LBB0_1", "", False),
     ("s_cbranch_scc1", ".LBB0_1", "", True), ("s_endpgm", "", "", False)],
)  # fmt: skip
def test_what_may_go_on_with_the_next(name, operands, guard, goes_on):
    assert Instruction(name, operands, guard).conditional == goes_on


def sass(*lines):
    """A listing of nvdisasm from its bare lines: a label ends with a colon."""
    numbered = (f"{line}" if line.endswith(":") else f"/*{i:04x}*/  {line} ;" for i, line in
                enumerate(lines))  # fmt: skip
    return "\n".join(numbered)


def names_of(found):
    return [[one.name for one in loop.instructions] for loop in found]


def test_only_a_jump_jumps_and_a_label_that_is_named_is_no_aim():
    found = instructions(
        sass("BSSY B0, `(.L_x_1)", ".L_x_0:", "@!UP0 BRA `(.L_x_0)", ".L_x_1:", "BRA P1, `(.L_x_9)")
    )
    assert [(one.name, one.guard, one.aim) for one in found] == [
        ("BSSY", "", None),
        ("BRA", "@!UP0", 1),
        ("BRA", "", None),  # to nowhere that is listed
    ]


AMD = """
main:
\tv_mov_b32 v0, 0
.LBB0_1:
\tv_mfma_f32_32x32x8_bf16 v[0:15], v[1:2], v[3:4], v[0:15]
\tds_read_b64 v[1:2], v9 ; a comment
\ts_cbranch_scc1 .LBB0_1
.LBB0_2:
\tv_exp_f32_e32 v1, v1
\ts_cbranch_vccnz .LBB0_3
\ts_branch .LBB0_2
.LBB0_3:
\ts_endpgm
\t.p2align 8
"""


def test_loops_of_an_amd_listing():
    found = instructions(AMD)
    aims = [(one.name, found[one.aim].name) for one in found if one.aim is not None]
    assert aims == [
        ("s_cbranch_scc1", "v_mfma_f32_32x32x8_bf16"),
        ("s_cbranch_vccnz", "s_endpgm"),
        ("s_branch", "v_exp_f32_e32"),
    ]
    first, second = loops(found, 4)
    assert names_of([first]) == [["v_mfma_f32_32x32x8_bf16", "ds_read_b64", "s_cbranch_scc1"]]
    assert names_of([second]) == [["v_exp_f32_e32", "s_cbranch_vccnz", "s_branch"]]
    assert found[2].operands == "v[1:2], v9" and first.flops is None


def test_a_loop_may_stand_at_the_very_start():
    """Of two blocks: what comes back to the first is one loop, not two."""
    lines = ".L_x_0:", "FFMA R1, R2", "@P1 BRA `(.L_x_2)", "FADD R1, R2", "BRA `(.L_x_0)"
    (found,) = loops(instructions(sass(*lines, ".L_x_2:", "EXIT")), 4)
    assert names_of([found]) == [["FFMA", "BRA", "FADD", "BRA"]]


def test_what_is_entered_in_the_middle_too_is_no_loop():
    lines = "@P0 BRA `(.L_x_2)", ".L_x_1:", "FFMA R1, R2", ".L_x_2:", "FADD R1, R2"
    assert loops(instructions(sass(*lines, "@P1 BRA `(.L_x_1)", "EXIT")), 4) == []
    once = loops(instructions(sass(*lines[1:], "@P1 BRA `(.L_x_1)", "EXIT")), 4)
    assert names_of(once) == [["FFMA", "FADD", "BRA"]]


def test_nothing_goes_on_behind_an_end():
    """Neither RET nor EXIT leads to what stands behind it."""
    for end in ("RET.REL.NODEC R20", "EXIT"):
        lines = ".L_x_1:", "FFMA R1, R2", "@P0 BRA `(.L_x_3)", end, ".L_x_3:", "BRA `(.L_x_1)"
        (found,) = loops(instructions(sass(*lines)), 4)
        assert names_of([found]) == [["FFMA", "BRA", "BRA"]]


def test_of_two_with_as_many_products_the_shorter_is_the_hot_one():
    one = Loop((PRODUCT, Instruction("NOP", "")), 4)
    two, three = Loop((PRODUCT,), 4), Loop((PRODUCT,) * 2, 4)
    assert hottest([one, two]) is two and hottest([two, one]) is two
    assert hottest([one, three, two]) is three
    unknown = Loop((Instruction("UTCHMMA", ""),) * 3, 4)
    assert hottest([unknown]) is unknown and unknown.flops is None
    assert hottest([Loop((Instruction("FFMA", ""),), 4)]) is None is hottest([])


def test_how_often_for_one_score():
    loop = Loop((PRODUCT, *[Instruction("MUFU.EX2", "")] * 16), 8)
    assert loop.per_score(64 * 64) == {"exponentials": 16 * 8 * 32 / 4096, "matrix": 8 * 32 / 4096}
    assert loop.per_score(64 * 64, lanes=64)["exponentials"] == 2
    assert loop.flops == 8 * 2 * 64 * 128 * 16 // 4


@pytest.mark.parametrize("seed", range(40))
def test_every_way_to_a_block_leads_through_those_above_it(seed):
    """Against the definition: without the one the other is not reached, from the first block or
    from one that nothing leads to, which may be called."""
    draw = random.Random(seed)
    n = draw.randint(2, 9)
    following = {b: sorted(draw.sample(range(n), draw.randint(0, 2))) for b in range(n)}

    entries = {0} | set(following).difference(*following.values())

    def reached(without=None):
        seen, left = set(), list(entries)
        while left:
            block = left.pop()
            if block not in seen and block != without:
                seen.add(block)
                left += following[block]
        return seen

    found = listing._dominators(following)
    for block in reached():
        wanted = {one for one in range(n) if one == block or block not in reached(without=one)}
        assert found[block] & reached() == wanted
