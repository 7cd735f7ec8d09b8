"""Checks of functions on tensors see values, gradients and devices, and say what is no tensor."""

import numpy as np
import pytest
import torch

from attnbook.exercises.attempt import Unfit
from attnbook.exercises.twins.tensors import differentiated, placed

X = np.array([1.0, 2.0])


def test_a_result_comes_with_its_gradient():
    result, gradient = differentiated(lambda x: x**2)(X)
    assert np.array_equal(result, [1, 4])
    assert np.allclose(gradient, 2 * X * np.cos([0, 1]), rtol=1e-15)


def test_what_the_function_writes_is_seen_in_the_array():
    x = X.copy()
    differentiated(lambda x: (x.data.zero_(), x * 1)[1])(x)
    assert not x.any()


WITHOUT_GRADIENT = {
    "detached": lambda x: x.detach(),
    "made anew": lambda x: x.detach().clone().requires_grad_(),
    "no record": torch.no_grad()(lambda x: x * 2),
    "an array": lambda x: x.detach().numpy(),
    "nothing": lambda x: None,
    "bfloat16": lambda x: x.bfloat16(),
}


@pytest.mark.parametrize("function", WITHOUT_GRADIENT.values(), ids=WITHOUT_GRADIENT)
def test_what_has_no_gradient_is_unfit(function):
    with pytest.raises(Unfit):
        differentiated(function)(X)


def test_a_result_must_lie_on_the_device_that_was_asked_for():
    def ones(n, device):
        return torch.ones(n, device=device)

    assert np.array_equal(placed(ones)(2, "cpu"), [1, 1])
    assert placed(ones)(2, "meta").shape == (2,)
    with pytest.raises(Unfit, match="is on the device cpu; expected meta"):
        placed(lambda n, device: ones(n, "cpu"))(2, "meta")
