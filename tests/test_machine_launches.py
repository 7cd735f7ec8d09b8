"""What the package would start on a GPU is compiled from the call itself."""

import functools
from types import SimpleNamespace

import pytest
import torch

from attnbook import kernels
from attnbook.kernels import configurations, launch, machine_code
from attnbook.kernels.configurations import choices_for
from attnbook.kernels.machine_code.launches import CAPABILITIES


def inputs(width, n=240):
    return torch.zeros(3, 1, 2, n, width, dtype=torch.bfloat16)


def forward(width, target="sm_90", n=240, **options):
    q, k, v = inputs(width, n)
    found = machine_code.launches(lambda: kernels.flash_attention(q, k, v, **options), target)
    assert [one.configuration.nan_safe for one in found] == [False, True][: len(found)]
    return found[0]


def tile(kernel, target="sm_90", **variant):
    """The one in use at width 64."""
    chip = CAPABILITIES[target]
    return choices_for(chip, kernel, 64, torch.bfloat16, aligned=True, **variant)[0]


def test_a_launch_is_written_down_and_not_made():
    before = launch.start
    found = forward(64)
    assert launch.start is before
    assert found.configuration == tile("forward")
    assert found.signature["q"] == "*bf16:16" and found.signature["n_q"] == "i32:16"
    assert found.signature["scale"] == "fp32" and found.constants["bias"] is None
    assert found.constants["D"] == 64 and found.constants["group"] == 1
    assert forward(64, n=257).signature["n_q"] == "i32"
    assert found.signature["q_strides"] == ("i32:16",) * 3


def test_a_launch_of_a_kernel_in_gluon_is_one_too():
    found = forward(64, n=256)
    assert found.kernel.fn.__name__ == "hopper_forward" and found.configuration.specialize
    assert found.signature["k"].startswith("tensordesc<bf16[128, 64],NVMMASharedLayout(")
    code = found.compiled()
    assert code.warps == 12 and code.counts["tensor stores"] > 0 == code.spills


def test_all_is_put_back_after_an_error():
    before = launch.start, launch.capability
    with pytest.raises(ZeroDivisionError):
        machine_code.launches(lambda: 1 / 0)
    assert (launch.start, launch.capability) == before


def test_each_gpu_has_its_own_sizes():
    for target in ("sm_80", "sm_120", "gfx942"):
        found = forward(64, target).configuration
        assert found == tile("forward", target) != tile("forward")


def test_a_capability_is_what_the_package_would_find(monkeypatch):
    """An MI300 has 9.4, and is no Hopper for that: the package asks whose GPU it is first."""
    assert CAPABILITIES["sm_120"] == (12, 0) and CAPABILITIES["sm_80"] == (8, 0)
    monkeypatch.setattr(torch.version, "hip", "6.0")
    monkeypatch.setattr(configurations, "is_interpreting", lambda: False)
    x = SimpleNamespace(device=torch.device("cuda"))
    assert CAPABILITIES["gfx942"] == configurations.capability(x)


def test_the_backward_pass_is_two_kernels_after_a_row_sum():
    q, k, v = inputs(64)
    out, lse = torch.zeros_like(q), torch.zeros(q.shape[:-1])
    given = torch.zeros_like(q), q, k, v, out, lse
    found = machine_code.launches(lambda: kernels.flash_attention_backward(*given))
    assert len({one.kernel for one in found}) == len(found) == 3
    assert [one.configuration for one in found[1:]] == [tile("keys"), tile("queries")]


def test_what_hides_a_key_is_started_twice():
    """The second pass is for what came out as NaN or infinite."""
    q, k, v = inputs(64)
    for times in (1, 2):
        called = functools.partial(kernels.flash_attention, q, k, v, causal=times == 2)
        assert len(machine_code.launches(called)) == times


def test_the_package_s_forward_on_an_h100():
    """Warps with different work: two groups of four share the queries, others load."""
    code = forward(64, n=256).compiled()
    c = tile("forward", whole=True)
    scores = c.rows * c.keys // 2
    assert code.stack == code.spills == 0
    assert code.hot.flops == 4 * scores * 64
    assert code.hot.counts["tensor loads"] == code.hot.counts["copies"] == 0
    assert any(loop.counts["tensor loads"] and not loop.flops for loop in code.loops)
    assert 1 <= code.hot.per_score(scores)["exponentials"] < 1.05


def test_the_package_s_forward_on_an_a100():
    code, c = forward(64, "sm_80", causal=True).compiled(), tile("forward", "sm_80", cut=True)
    assert code.stack == 0 and code.hot.flops == 4 * c.rows * c.keys * 64
