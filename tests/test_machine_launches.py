"""What the package would start on a GPU is compiled from the call itself."""

import pytest
import torch

from attnbook import kernels
from attnbook.kernels import configurations, launch, machine_code
from attnbook.kernels.configurations import AMPERE, HOPPER
from attnbook.kernels.machine_code.launches import CAPABILITIES


def inputs(width, n=256):
    return torch.zeros(3, 1, 2, n, width, dtype=torch.bfloat16)


def forward(width, target="sm_90", n=256, **options):
    q, k, v = inputs(width, n)
    [found] = machine_code.launches(lambda: kernels.flash_attention(q, k, v, **options), target)
    return found


def test_a_launch_is_written_down_and_not_made():
    before = launch.start
    found = forward(64)
    assert launch.start is before
    assert (found.warps, found.stages) == (HOPPER[64].warps, HOPPER[64].stages)
    assert found.signature["q"] == "*bf16:16" and found.signature["n_q"] == "i32:16"
    assert found.signature["scale"] == "fp32" and found.constants["bias"] is None
    assert found.constants["D"] == 64 and found.constants["group"] == 1
    assert forward(64, n=257).signature["n_q"] == "i32"
    assert found.signature["q_strides"] == ("i32:16",) * 3


def test_all_is_put_back_after_an_error():
    before = launch.start, configurations.capability
    with pytest.raises(ZeroDivisionError):
        machine_code.launches(lambda: 1 / 0)
    assert (launch.start, configurations.capability) == before


def test_each_gpu_has_its_own_sizes():
    assert forward(64, "sm_80").constants["ROWS"] == AMPERE[64].rows
    assert forward(64, "sm_80").constants["KEYS"] == AMPERE[64].keys != HOPPER[64].keys
    assert CAPABILITIES["sm_120"] == (12, 0) and CAPABILITIES["sm_80"] == (8, 0)


def test_the_way_back_is_two_kernels_after_a_row_sum():
    q, k, v = inputs(64)
    out, lse = torch.zeros_like(q), torch.zeros(q.shape[:-1])
    given = torch.zeros_like(q), q, k, v, out, lse
    found = machine_code.launches(lambda: kernels.flash_attention_backward(*given))
    assert len({one.kernel for one in found}) == len(found) == 3


def test_the_package_s_forward_on_an_h100():
    code = forward(64).compiled()
    tile = HOPPER[64].rows * HOPPER[64].keys
    assert code.stack == code.spills == 0
    assert code.hot.flops == 4 * tile * 64
    assert code.hot.counts["tensor loads"] == 2
    assert 1 <= code.hot.per_score(tile)["exponentials"] < 1.05


def test_the_package_s_forward_on_an_a100():
    code = forward(64, "sm_80", causal=True).compiled()
    assert code.stack == 0 and code.hot.flops == 4 * AMPERE[64].rows * AMPERE[64].keys * 64
