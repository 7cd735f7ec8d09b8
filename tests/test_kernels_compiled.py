"""The kernels compiled for GPUs that are not here; and checks that can fail.

Every configuration that is chosen, or that a race may choose: for an H100 at the width of most
models, and `everywhere` at every width for an A100, an H100, a B200, a GeForce of 2025 and AMD's
MI300. What holds of the code is what would be measured badly otherwise: no spills, tensor cores, no
more than a program can have, no product twice; and for an H100, where whole groups of warps
multiply, none that waits for the last.
"""

import compiled_kernels as made
import pytest

H100, OF_MODELS = "sm_90", (128,)
OTHERS = "sm_80", "sm_100", "sm_120", "gfx942"


def asked(*others, fewest=None):
    """An H100 at the width of most models; and, where all is asked for, every GPU at every one."""
    more = [] if fewest is None else [fewest]
    every = [pytest.param(chip, made.WIDTHS, *n, id=chip, marks=pytest.mark.everywhere)
             for chip, *n in others]  # fmt: skip
    return [pytest.param(H100, OF_MODELS, *more, id=f"{H100}, 128"), *every]


EVERY = pytest.mark.parametrize(("chip", "widths"), asked([H100], *([chip] for chip in OTHERS)))
OF_AN_H100 = pytest.mark.parametrize(("chip", "widths"), asked([H100]))


@EVERY
def test_every_kernel_compiles(chip, widths):
    answers = made.compiled(chip, widths)
    assert made.broken(answers) == []
    assert [a["job"] for a in answers] == made.jobs(chip, widths)


def test_what_hides_keys_is_compiled_for_a_second_look_as_well():
    for each in made.compiled(H100, OF_MODELS):
        again = each["job"]["variant"] in ("masked", "ruled")
        seconds = [kernel["again"] for kernel in each["kernels"]]
        assert seconds == [False, True][: 1 + again] or each["job"]["way"] != "forward"
        assert len(seconds) >= 2 or each["job"]["way"] == "forward"


@EVERY
def test_no_kernel_spills(chip, widths):
    assert made.spilling(chip, made.compiled(chip, widths)) == []


@EVERY
def test_every_kernel_fits_on_the_chip(chip, widths):
    assert made.too_large(chip, made.compiled(chip, widths)) == []


@EVERY
def test_products_are_the_work_of_tensor_cores(chip, widths):
    assert made.without_tensor_cores(chip, made.compiled(chip, widths)) == []


@EVERY
def test_every_product_that_makes_an_address_has_64_bits(chip, widths):
    assert made.narrow(made.compiled(chip, widths)) == []


FEWEST = ("sm_80", 32), (H100, 70), ("sm_100", 13), ("sm_120", 32)


@pytest.mark.parametrize(("chip", "widths", "fewest"), asked(*FEWEST, fewest=20))
def test_no_product_is_made_twice(chip, widths, fewest):
    """Those of a B200's own instruction, which one thread issues for all, no listing tells."""
    assert made.repeating(chip, made.compiled(chip, widths)) == []
    assert made.counted(made.compiled(chip, widths)) >= fewest


@OF_AN_H100
def test_no_product_waits_for_the_last(chip, widths):
    assert made.serialized(made.compiled(chip, widths)) == []


@OF_AN_H100
def test_no_register_of_a_running_product_is_used(chip, widths):
    assert made.overwritten(made.compiled(chip, widths)) == []


def planted(chip, *configuration, width=128, **job):
    """A forward kernel in a configuration that nobody chose."""
    asked = {"way": "forward", "width": width, "variant": "plain", "configuration": configuration}
    return made.ahead(chip, [asked | job])


def test_a_planted_spill_is_found():
    """Each of 128 threads would hold 256 numbers of the output alone; it has 255 registers."""
    (fault,) = made.spilling("sm_80", planted("sm_80", 128, 64, 4, 2, width=256))
    assert "flash_forward has a stack of" in fault


@pytest.mark.parametrize("triton, is_seen", [("3.6.0", False), ("3.7.1", False), ("3.9.0", True)])
def test_a_spill_that_only_triton_3_9_makes_is_found_elsewhere(triton, is_seen, monkeypatch):
    monkeypatch.setattr(made, "version", {"triton": triton}.get)
    job = {"way": "backward, atomic", "width": 128, "variant": "masked"}
    kernel = {"name": "flash_backward_keys", "stack": 176, "again": False}
    answers = [{"job": job, "kernels": [kernel]}]
    assert (made.spilling("sm_80", answers) == []) == is_seen
    kernel["stack"] += 8
    assert len(made.spilling("sm_80", answers)) == 1


def test_shared_memory_that_no_program_can_have_is_found():
    """Three stages of 128 keys and values of width 256 in 16 bits: 384 KiB."""
    (fault,) = made.too_large("sm_80", planted("sm_80", 128, 128, 8, 4, width=256))
    assert "bytes of shared memory" in fault


def test_registers_that_no_program_can_have_are_found():
    kernel = {"name": "a", "registers": 255, "warps": 16, "shared": 0}
    (fault,) = made.too_large("sm_90", [{"job": {}, "kernels": [kernel]}])
    assert "130560 of 65536 registers" in fault


def test_products_on_other_units_are_found():
    """16 rows are too few for the instructions of four warps, and float32 has no tensor cores."""
    (fault,) = made.without_tensor_cores("sm_90", planted("sm_90", 16, 64, 4, 2, width=64))
    assert "flash_forward has {'mma.sync'" in fault
    answers = planted("sm_90", 16, 32, 4, 1, width=16, dtype="float32")
    answers[0]["job"]["dtype"] = "bfloat16"
    (fault,) = made.without_tensor_cores("sm_90", answers)
    assert "flash_forward has none" in fault


def test_products_that_are_made_twice_are_found():
    """64 keys are enough rows for one group of four warps; two make the same scores, and grad_A."""
    keys, rows = (64, 64, 8, 2, True), (128, 64, 8, 2, True)
    job = {"way": "backward, atomic", "width": 128, "configuration": (keys, rows)}
    (fault,) = made.repeating("sm_90", made.ahead("sm_90", [job]))
    assert fault.endswith("flash_backward_keys does the work of 7 products for 5")


def test_products_of_a_warp_that_are_made_twice_are_found():
    """64 rows are enough for four warps, of 16 rows each, below one another; not for eight."""
    keys, rows = (32, 32, 8, 1), (64, 32, 8, 2)
    job = {"way": "backward", "width": 64, "configuration": (keys, rows)}
    of_keys, of_rows = made.repeating("sm_80", made.ahead("sm_80", [job]))
    assert of_keys.endswith("flash_backward_keys does the work of 6 products for 4")
    assert of_rows.endswith("flash_backward_queries does the work of 6 products for 3")


def test_products_that_wait_are_found():
    """Scores and output of 128 by 128 each are more than 128 threads can hold while one runs."""
    (fault,) = made.serialized(planted("sm_90", 128, 128, 4, 2, True))
    assert "flash_forward waits for each product due to insufficient register" in fault


def test_what_does_not_compile_is_found():
    (fault,) = made.broken(planted("sm_90", 100, 64, 4, 2))
    assert "forward, 128" in fault
