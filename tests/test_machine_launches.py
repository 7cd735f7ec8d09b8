"""What the package would start on a GPU is compiled from the call itself."""

import pytest
import torch

from attnbook.kernels import launch, machine_code
from attnbook.kernels.configurations import AMPERE, HOPPER


def forward(width, configuration, n=256, **options):
    q, k, v = torch.zeros(3, 1, 2, n, width, dtype=torch.float16)
    given = {"bias": None, "valid_lens": None, "causal": False, "window": None, "softcap": None}
    given |= {"scale": width**-0.5, "configuration": configuration, **options}
    [found] = machine_code.launches(launch, lambda: launch.forward(q, k, v, **given))
    return found


def test_a_launch_is_written_down_and_not_made():
    before = launch.start
    found = forward(64, HOPPER[64])
    assert launch.start is before
    assert (found.warps, found.stages) == (HOPPER[64].warps, HOPPER[64].stages)
    assert found.signature["q"] == "*fp16:16" and found.signature["n_q"] == "i32:16"
    assert found.signature["scale"] == "fp32" and found.constants["bias"] is None
    assert found.constants["D"] == 64 and found.constants["group"] == 1
    assert forward(64, HOPPER[64], n=257).signature["n_q"] == "i32"
    assert found.signature["q_strides"] == ("i32:16",) * 3


def test_start_is_put_back_after_an_error():
    before = launch.start
    with pytest.raises(ZeroDivisionError):
        machine_code.launches(launch, lambda: 1 / 0)
    assert launch.start is before


def test_the_package_s_forward_on_an_h100():
    code = forward(64, HOPPER[64]).compiled()
    tile = HOPPER[64].rows * HOPPER[64].keys
    assert code.stack == code.spills == 0
    assert code.hot.flops == 4 * tile * 64
    assert code.hot.counts["tensor loads"] == 2
    assert 1 <= code.hot.per_score(tile)["exponentials"] < 1.05


def test_the_package_s_forward_on_an_a100():
    code = forward(64, AMPERE[64], causal=True).compiled("sm_80")
    assert code.stack == 0 and code.hot.flops == 4 * AMPERE[64].rows * AMPERE[64].keys * 64
