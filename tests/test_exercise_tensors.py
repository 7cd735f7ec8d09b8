"""Checks of functions on tensors see values, gradients and devices, and say what is no tensor."""

import numpy as np
import pytest
import torch

from attnbook import exercises
from attnbook.exercises.chapters.libraries.two_corners import causal, causal_by_option
from attnbook.exercises.engine.sandbox import Unfit
from attnbook.exercises.engine.settings import SETTINGS
from attnbook.exercises.engine.tensors import differentiated, placed

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


def test_zeros_may_be_constants():
    assert not differentiated(lambda x: torch.zeros(2))(X).gradient.any()


def _no_gradients(x):
    torch.set_grad_enabled(False)
    return 2 * x


def _another_dtype(x):
    torch.set_default_dtype(torch.float64)
    return 2 * x


def _another_device(x):
    torch.set_default_device("meta")
    return 2 * x


def _a_search_for_nan(x):
    torch.autograd.set_detect_anomaly(True)
    return 2 * x


def _other_threads(x):
    torch.set_num_threads(torch.get_num_threads() + 1)
    return 2 * x


def _deterministic(x):
    torch.use_deterministic_algorithms(True)
    return 2 * x


def _other_random_numbers(x):
    torch.manual_seed(0)
    return 2 * x


LEFTOVERS = [_no_gradients, _another_dtype, _another_device, _a_search_for_nan]
LEFTOVERS += [_other_threads, _deterministic]


@pytest.mark.parametrize("function", [*LEFTOVERS, _other_random_numbers], ids=lambda f: f.__name__)
def test_a_setting_that_is_left_changed_is_named_and_mended(function):
    torch.manual_seed(0)  # a reader's seed, which hides no answer's
    for _ in range(2):
        with pytest.raises(Unfit, match="your function changed"):
            differentiated(function)(X)
    assert [s.get() for s in SETTINGS] == [s.plain for s in SETTINGS]
    assert torch.initial_seed() == 0


def test_the_settings_of_the_notebook_do_not_reach_the_check():
    with torch.no_grad():
        assert differentiated(lambda x: x * torch.ones(2).dtype.itemsize)(X).gradient[0] == 4
        assert not torch.is_grad_enabled()


@pytest.mark.parametrize("function", [lambda x: x.mul_(2), lambda x: torch.exp(x).mul_(2).exp_()])
def test_writing_in_place_is_said_in_our_words(function):
    with pytest.raises(Unfit, match="a final underscore"):
        differentiated(function)(X)


@pytest.mark.filterwarnings("ignore:The given NumPy array is not writable")
def test_what_is_written_and_written_back_is_seen():
    given = np.array([True, False])
    given.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        placed(lambda mask, device: mask.logical_not_().logical_not_())(given, "cpu")


def test_rounding_breaks_no_square():
    rng = np.random.default_rng(0)
    q, v = rng.uniform(-1000, 1000, (2, 4, 64))
    k = q[:1] + 1e-8 * rng.normal(size=(4, 64))
    right, other = (f(*map(torch.from_numpy, (q, k, v))) for f in (causal, causal_by_option))
    assert not torch.allclose(right, other, rtol=1e-11, atol=1e-11)
    assert "one diagonal" in exercises.libraries.two_corners.verdict(q, k, v).text


def test_a_tensor_is_an_answer_like_a_list_of_its_numbers():
    libraries, twins = exercises.libraries, exercises.twins
    gradient = torch.tensor(twins.lse_gradient.answer(), requires_grad=True)
    assert twins.lse_gradient.verdict(gradient).state == "right"
    assert twins.lse_gradient.verdict(2 * gradient).state == "wrong"
    inputs = [torch.tensor(x) for x in ([[0.0]], [[0.0], [0.0]], [[0.0], [1.0]])]
    assert libraries.two_corners.verdict(*inputs).state == "right"
    assert libraries.two_corners.verdict(*inputs[:2], torch.ones(2, 1)).state == "wrong"
    assert libraries.polarity.verdict(torch.tensor([[True, True, False, False]])).state == "right"
