"""A soft cap of any size keeps the digits of the scores, in the kernels and in their gradients."""

import numpy as np
import pytest
import torch
from kernel_oracle import drawn
from test_decode import assert_right as assert_decodes
from test_kernels import assert_right
from test_kernels_backward import FORMS
from test_kernels_backward import assert_right as assert_gradients_right

from attnbook import kernels
from attnbook.kernels import scores

import triton
import triton.language as tl

CAPS = [1e-3, 1.5, 1e3, 1e6, 1e8, 1e30, 1e300]


@triton.jit
def tanh_of(x, y, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(y + at, scores.tanh(tl.load(x + at)))


def computed(x):
    y = torch.empty_like(x)
    with np.errstate(all="ignore"):
        tanh_of[(1,)](x, y, N=x.numel())
    return y


def test_tanh_has_all_its_digits_wherever_it_is_asked():
    """To 5 roundings of float32: e has two, which 1 - e magnifies by 1.2 at 0.3; then 3 more."""
    sizes = torch.logspace(-38, 2, 2**12, dtype=torch.float64).float()
    middle = torch.linspace(0.2, 0.4, 2**12)  # where one form ends and the other begins
    x = torch.cat([sizes, middle])
    x = torch.cat([x, -x])
    right = np.tanh(x.double().numpy())
    error = np.abs(computed(x).double().numpy() - right) / np.abs(right)
    assert error.max() <= 5 * 2**-24
    assert computed(torch.tensor([0.0, torch.inf])).tolist() == [0, 1]
    assert computed(torch.tensor([-torch.inf, torch.nan]))[0] == -1
    assert computed(torch.tensor([torch.nan, 0.0]))[0].isnan()


@pytest.mark.parametrize("softcap", CAPS)
def test_scores_keep_their_digits_below_a_cap_of_any_size(softcap):
    q, k, v, grad_out = drawn((1, 2, 40, 16), (1, 1, 50, 16), count=4)
    assert_right(3 * q, k, v, softcap=softcap)
    for backward in FORMS:
        assert_gradients_right(backward, grad_out, q, k, v, softcap=softcap)
    assert_decodes(3 * q, k, v, softcap=softcap)


@pytest.mark.parametrize("function", [kernels.flash_attention, kernels.decode_attention])
@pytest.mark.parametrize("softcap", [float("inf"), float("nan"), 0, -1.0])
def test_a_cap_that_caps_nothing_is_refused(function, softcap):
    q, k, v = drawn((1, 1, 2, 16), (1, 1, 3, 16))
    with pytest.raises(ValueError, match=r"softcap is .*; expected a finite number above 0"):
        function(q, k, v, softcap=softcap)
