"""What the encodings of positions do with a tensor: its dtype, its device, its gradient."""

import inspect

import pytest
import torch
from both_positions import NAMES
from libraries import array
from test_arguments import refusal

from attnbook import positions, pytorch

PLACES = torch.arange(5)
THETA = pytorch.frequencies(8)
X = torch.randn(2, 3, 5, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
CALLS = {
    "frequencies": lambda f, x: f(8),
    "stretched": lambda f, x: f(THETA, 4, "ntk"),
    "yarn": lambda f, x: f(THETA, 4, 2048, "code"),
    "sinusoidal": lambda f, x: f(PLACES, 8),
    "rope": lambda f, x: f(x, PLACES, THETA),
    "rotate": lambda f, x: f(x, x[:, :, :, :3], x[:, :, :, 3:6], "halves"),
    "halves_from_neighbours": lambda f, x: f(x),
    "neighbours_from_halves": lambda f, x: f(x),
    "alibi_bias": lambda f, x: f(3, 4, 5),
}
every_function = pytest.mark.parametrize("name", NAMES)
of_vectors = pytest.mark.parametrize(
    "name", ["rope", "rotate", "halves_from_neighbours", "neighbours_from_halves"]
)


def call(name, x=X, function=None):
    return CALLS[name](function or getattr(pytorch, name), x)


@every_function
def test_the_twin_has_the_same_arguments_and_may_take_a_device_and_a_dtype(name):
    ours, twins = (
        [(p.name, p.default) for p in inspect.signature(getattr(m, name)).parameters.values()]
        for m in (positions, pytorch)
    )
    assert twins[: len(ours)] == ours
    assert {p for p, default in twins[len(ours) :] if default is None} <= {"device", "dtype"}


@of_vectors
def test_gradients_are_right(name):
    x = X[:1, :1].clone().requires_grad_()
    assert torch.autograd.gradcheck(lambda x: call(name, x), x)
    assert torch.autograd.gradgradcheck(lambda x: call(name, x), x, fast_mode=True)


def test_frequencies_that_are_learned_have_gradients():
    theta = THETA.clone().requires_grad_()

    def turned(theta):
        return pytorch.rope(X[0, 0], PLACES, pytorch.stretched(theta, 4, "ntk"))

    assert torch.autograd.gradcheck(turned, theta)


@of_vectors
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_a_half_type_is_computed_in_float32_and_rounded_once(name, dtype):
    x = X.to(dtype)
    out = call(name, x)
    assert out.dtype == dtype and torch.equal(out, call(name, x.float()).to(dtype))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32], ids=str)
def test_angles_far_on_are_as_exact_as_the_dtype_of_the_vectors(dtype):
    """Off by 2 eps of numbers below 4; angles of bfloat16 are off by up to 128 at 60,000."""
    far, allowed = PLACES + 60_000, 8 * torch.finfo(dtype).eps
    out = pytorch.rope(X.to(dtype), far, THETA)
    assert out.dtype == dtype
    assert (out - pytorch.rope(X.to(dtype).double(), far, THETA)).abs().max() < allowed
    angles = far[:, None] * THETA
    narrow = angles.to(dtype).double()
    assert (torch.cos(narrow) - torch.cos(angles)).abs().max() > allowed


def test_frequencies_in_a_half_type_are_refused():
    said = refusal(pytorch.rope, X.bfloat16(), PLACES, THETA.bfloat16())
    assert said.startswith("rope: frequencies is bfloat16 tensor of shape (4,)")
    assert "expected float or double tensor of shape (pairs,)" in said


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("frequencies", (4.0,)),
        ("stretched", (THETA.tolist(), 2, "ntk")),
        ("sinusoidal", (PLACES + 0.5, 4)),
        ("alibi_bias", (2.0, 3, 3)),
    ],
)
def test_a_wrong_type_is_refused_by_name(name, given):
    first = next(iter(inspect.signature(getattr(pytorch, name)).parameters))
    assert refusal(getattr(pytorch, name), *given).startswith(f"{name}: {first} is ")


def test_the_dtype_of_frequencies_does_not_count():
    for theta in (THETA, THETA.float()):
        assert pytorch.rope(X.float(), PLACES, theta).dtype == torch.float32


def test_autocast_rounds_vectors_and_no_frequency():
    x, far = X.float(), PLACES + 5000
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = pytorch.rope(x, far, THETA.float())
        assert pytorch.halves_from_neighbours(x).dtype == torch.bfloat16
    assert torch.equal(out, pytorch.rope(x.bfloat16(), far, THETA.float()))
    rounded = THETA.bfloat16().float()
    assert not torch.allclose(out, pytorch.rope(x.bfloat16(), far, rounded), atol=0.1)


def test_what_is_made_has_pytorchs_default_dtype_and_frequencies_have_float64():
    assert THETA.dtype == pytorch.frequencies(8, dtype=torch.float64).dtype == torch.float64
    assert pytorch.frequencies(8, dtype=torch.float32).dtype == torch.float32
    for name in ("sinusoidal", "alibi_bias"):
        assert call(name).dtype == torch.float32
        exact = call(name, function=lambda *a, name=name: getattr(positions, name)(*map(array, a)))
        assert torch.equal(call(name), torch.from_numpy(exact).float())
    half = pytorch.sinusoidal(PLACES + 10_000, 8, dtype=torch.bfloat16)
    assert torch.equal(half, pytorch.sinusoidal(PLACES + 10_000, 8).bfloat16())


def test_on_a_device_without_float64_angles_are_float32():
    class OnMps:
        device, to = torch.device("mps"), staticmethod(lambda dtype: dtype)

    assert pytorch.positions._wide(OnMps) == torch.float32
    assert pytorch.positions._wide(PLACES).dtype == torch.float64


def test_each_result_is_on_the_device_of_what_came_in():
    places, x = PLACES.to("meta"), X.to("meta")
    theta = pytorch.frequencies(8, device="meta")
    assert pytorch.rope(x, places, theta).is_meta and theta.is_meta
    assert pytorch.stretched(theta, 2, "ntk").is_meta
    assert pytorch.yarn(theta, 2, 2048, "code").is_meta
    assert pytorch.sinusoidal(places, 8).is_meta
    assert pytorch.alibi_bias(2, 3, 4, device="meta").is_meta


@every_function
def test_compiles_to_one_graph(name):
    torch.compiler.reset()
    x = X.bfloat16()
    compiled = torch.compile(lambda x: call(name, x), fullgraph=True, backend="eager")
    assert torch.equal(compiled(x), call(name, x))


def test_a_batch_of_texts_and_their_places_can_be_mapped():
    places = torch.stack([PLACES, PLACES + 7])
    mapped = torch.func.vmap(lambda x, p: pytorch.rope(x, p, THETA))(X[:, 0], places)
    assert torch.equal(mapped, pytorch.rope(X[:, 0], places, THETA))
