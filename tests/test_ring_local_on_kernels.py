"""A rank takes the same tensors where the kernels compute: here, interpreted.

What it asks of a tensor before it chooses is its device, dtype and shape. Here each has the device
of a GPU.
"""

from types import SimpleNamespace

import one_line
import pytest
import torch
from kernel_oracle import definition, drawn, gradients, tolerance
from test_kernels_backward import assert_close, sizes_of_errors

from attnbook import kernels
from attnbook.distributed import local
from attnbook.pytorch import options

HALF, WIDE = torch.float16, torch.float32
DTYPES = {  # of q, k, v, and of the gradient and L; and whether the kernels take them
    "one dtype": (HALF, HALF, HALF, HALF, WIDE, True),
    "a wide gradient": (HALF, HALF, HALF, WIDE, WIDE, True),
    "a gradient and L of more digits": (HALF, HALF, HALF, torch.float64, torch.float64, True),
    "wide keys": (HALF, WIDE, HALF, HALF, WIDE, False),
    "wide keys and values": (HALF, WIDE, WIDE, WIDE, WIDE, False),
    "wide values": (HALF, HALF, WIDE, HALF, WIDE, False),
}


@pytest.fixture(params=(False, True), ids=("processor", "GPU"))
def on_gpu(request, monkeypatch):
    if request.param:
        put_on_gpu(monkeypatch)
    return request.param


def put_on_gpu(monkeypatch):
    def no_kernel(*tensors):
        device = torch.device("cuda")
        return options.no_kernel(
            *(SimpleNamespace(device=device, dtype=x.dtype, shape=x.shape) for x in tensors)
        )

    monkeypatch.setattr(local, "no_kernel", no_kernel)


def watch(monkeypatch, name, calls):
    call = getattr(kernels, name)
    monkeypatch.setattr(kernels, name, lambda *x, **y: calls.append(name) or call(*x, **y))


def tensors(*dtypes):
    """The same numbers in each dtype."""
    rest = drawn((1, 4, 9, 16), (1, 2, 11, 16), HALF, count=4)
    return [x.to(dtype) for x, dtype in zip(rest, dtypes, strict=True)]


def assert_right(*dtypes, lse_dtype=WIDE):
    q, k, v, grad_out = tensors(*dtypes)
    out, lse = local.attend(q, k, v, causal=True)
    right, right_lse, scores = definition(q, k, v, causal=True)
    assert out.dtype == lse.dtype == WIDE
    assert abs(out.double().numpy() - right).max() <= tolerance(q.dtype, scores, v)
    assert abs(lse.numpy() - right_lse).max() <= tolerance(WIDE, scores, torch.ones(1))
    given = grad_out, q, k, v, out, lse.to(lse_dtype)
    errors = sizes_of_errors(grad_out, q, k, v, causal=True)
    expected = gradients(grad_out, q, k, v, causal=True)
    assert_close(local.attend_backward(*given, causal=True), expected, errors, WIDE)


@pytest.mark.parametrize("name", DTYPES)
def test_the_same_dtypes_are_taken_wherever_it_is_computed(name, on_gpu, monkeypatch):
    *dtypes, lse_dtype, taken = DTYPES[name]
    by_kernels, calls = ["flash_attention_with_lse", "flash_attention_backward"], []
    for function in by_kernels:
        watch(monkeypatch, function, calls)
    assert_right(*dtypes, lse_dtype=lse_dtype)
    assert calls == (by_kernels if taken and on_gpu else [])


def test_heads_without_features_are_taken_and_wrong_heads_refused_alike(on_gpu):
    q, k, v, grad_out = (x[..., :0] for x in tensors(HALF, HALF, HALF, HALF))
    out, lse = local.attend(q, k, v, scale=1.0)
    assert out.shape == q.shape and torch.allclose(lse, torch.tensor(11.0).log())
    grads = local.attend_backward(grad_out, q, k, v, out, lse, scale=1.0)
    assert [x.shape for x in grads] == [q.shape, k.shape, v.shape]
    q, k, v, grad_out = tensors(HALF, HALF, HALF, HALF)
    q, grad_out = q[:, :3], grad_out[:, :3]
    said = ": k has 2 heads; expected a divisor of the 3 heads of q$"
    with pytest.raises(ValueError, match="^attend" + said):
        local.attend(q, k, v)
    with pytest.raises(ValueError, match="^attend_backward" + said):
        local.attend_backward(grad_out, q, k, v, q, q[..., 0].float())


WRONG = {
    "a gradient that stays wide": (local.attend_backward,
        "grad_out.to(q.dtype), q → grad_out, q", "a wide gradient"),
    "keys that are not looked at": (options.no_kernel,
        "q.dtype == k.dtype == v.dtype → q.dtype == v.dtype", "wide keys"),
    "values that are not looked at": (options.no_kernel,
        "q.dtype == k.dtype == v.dtype → q.dtype == k.dtype", "wide values"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", WRONG)
def test_a_dtype_that_only_the_processor_takes_is_found(mistake, monkeypatch):
    function, change, name = WRONG[mistake]
    *dtypes, lse_dtype, _ = DTYPES[name]
    one_line.put(monkeypatch, function, change)
    assert_right(*dtypes, lse_dtype=lse_dtype)
    put_on_gpu(monkeypatch)
    with pytest.raises(TypeError, match="expected float16, as q has"):
        assert_right(*dtypes, lse_dtype=lse_dtype)
