"""The model of a multiprocessor: worked by hand, and what it cannot be asked."""

import pytest

from attnbook.kernels import machine_code
from attnbook.kernels.machine_code import CHIPS, Instruction, Loop, predicted
from attnbook.kernels.machine_code.limits import shared_bytes

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
}


@pytest.mark.parametrize("given, expected", BYTES.items(), ids=[name for name, _ in BYTES])
def test_bytes_of_shared_memory(given, expected):
    assert shared_bytes(Instruction(*given)) == expected


@pytest.mark.parametrize("names", [(), ("FFMA",), ("UTCHMMA",)])
def test_a_loop_without_known_products_is_refused(names):
    loop = Loop(tuple(Instruction(name, "") for name in names), 4)
    with pytest.raises(ValueError, match="no matrix products whose size"):
        machine_code.predicted(loop, H100)
