"""The kernels compiled for all GPUs: an A100, an H100, a B200, a GeForce of 2025, AMD's MI300.

Every width, in the variants that `compiled_kernels.jobs` names.
"""

import compiled_kernels as made
import pytest

pytestmark = pytest.mark.everywhere
CHIPS = "sm_80", "sm_90", "sm_100", "sm_120", "gfx942"


@pytest.mark.parametrize("chip", CHIPS)
def test_every_kernel_compiles(chip):
    assert made.broken(made.compiled(chip)) == []
    assert [a["job"] for a in made.compiled(chip)] == made.jobs(chip)


@pytest.mark.parametrize("chip", CHIPS)
def test_every_product_that_makes_an_address_has_64_bits(chip):
    assert made.narrow(made.compiled(chip)) == []


@pytest.mark.parametrize("chip", CHIPS)
def test_no_kernel_spills(chip):
    assert made.spilling(chip, made.compiled(chip)) == []


@pytest.mark.parametrize("chip", CHIPS)
def test_every_kernel_fits_on_the_chip(chip):
    assert made.too_large(chip, made.compiled(chip)) == []


@pytest.mark.parametrize("chip", CHIPS)
def test_products_are_the_work_of_tensor_cores(chip):
    assert made.without_tensor_cores(chip, made.compiled(chip)) == []


@pytest.mark.parametrize(
    ("chip", "fewest"), [("sm_80", 32), ("sm_90", 70), ("sm_100", 13), ("sm_120", 32)]
)
def test_no_product_is_made_twice(chip, fewest):
    """Those of a B200's own instruction, which one thread issues for all, no listing tells."""
    assert made.repeating(chip, made.compiled(chip)) == []
    assert made.counted(made.compiled(chip)) >= fewest


def test_no_product_of_an_h100_waits_for_the_last():
    assert made.serialized(made.compiled("sm_90")) == []


def test_no_register_of_a_running_product_of_an_h100_is_used():
    assert made.overwritten(made.compiled("sm_90")) == []
