"""The backward kernels agree with autograd through the definition in float64.

Interpreted, their blocks are of 64 queries and 32 keys.
"""

import functools

import pytest
import torch
from kernel_oracle import drawn, gradients
from test_kernels import LENS, OPTIONS, WIDTHS_OF_MODELS

from attnbook.kernels import (
    flash_attention,
    flash_attention_backward,
    flash_attention_with_lse,
)

SIZES = [(70, 83), (150, 83), (83, 150), (1, 83), (5, 1)]
ATOMIC = functools.partial(flash_attention_backward, atomic=True)
FORMS = flash_attention_backward, ATOMIC


def sizes_of_errors(grad_out, q, k, v, scale=None, softcap=None, **rest):
    """How far two right gradients of q, k and v may be apart.

    A weight is off by 2 (|S| + 2) eps, relatively, of float32, and by another eps of the dtype when
    it is rounded for the next product. So is its gradient, before `delta`, the sum of the row, is
    subtracted, which may leave nothing: what counts is how large it was, at most |grad_O v|. A row
    of weights sums to 1; of a column we suppose no more than √n.
    """
    scale = q.shape[-1] ** -0.5 if scale is None else abs(scale)
    most = [float(x.detach().abs().max()) for x in (grad_out, q, k)]
    k, v = (x.detach().double().repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
    scores = float((q.detach().double() @ k.mT).abs().max()) * scale
    eps32, eps = (torch.finfo(x).eps for x in (torch.float32, q.dtype))
    one = 2 * (min(scores, softcap or scores) + 2) * eps32 + 2 * eps
    of_weights = float((grad_out.double() @ v.mT).abs().max())
    column = max(q.shape[2], k.shape[2]) ** 0.5
    return (
        one * scale * of_weights * most[2],
        one * scale * of_weights * most[1] * column,
        one * most[0] * column,
    )


def assert_close(grads, expected, tolerances, dtype):
    for ours, right, tolerance in zip(grads, expected, tolerances, strict=True):
        assert ours.dtype == dtype and ours.shape == right.shape
        assert float((ours.double() - right).abs().max()) <= tolerance


def assert_right(backward, grad_out, q, k, v, **options):
    out, lse = flash_attention_with_lse(q, k, v, **options)
    grads = backward(grad_out, q, k, v, out, lse, **options)
    expected = gradients(grad_out, q, k, v, **options)
    assert_close(grads, expected, sizes_of_errors(grad_out, q, k, v, **options), q.dtype)


def case(name, n_q, n_k):
    options = dict(OPTIONS[name])
    if "valid_lens" in options:
        options["valid_lens"] = LENS.clamp(max=n_k)
    q, k, v, grad_out = drawn((2, 2, n_q, 16), (2, 1, n_k, 16), count=4)
    return (grad_out, q, k, v), options


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize(("n_q", "n_k"), SIZES)
def test_gradients_agree_with_the_definition(n_q, n_k, name):
    tensors, options = case(name, n_q, n_k)
    assert_right(flash_attention_backward, *tensors, **options)


@pytest.mark.parametrize("name", OPTIONS)
def test_gradients_that_programs_add_up_agree_too(name):
    tensors, options = case(name, 70, 83)
    assert_right(ATOMIC, *tensors, **options)


@pytest.mark.parametrize("width", [16, 32, 64, 128, 256])
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.bfloat16])
def test_every_width_and_dtype(width, dtype):
    q, k, v, grad_out = drawn((1, 1, 33, width), (1, 1, 65, width), dtype, count=4)
    for backward in FORMS if width == 64 else FORMS[:1]:
        assert_right(backward, grad_out, q, k, v, causal=True)


@pytest.mark.parametrize("width", WIDTHS_OF_MODELS)
def test_widths_between_are_padded(width):
    q, k, v, grad_out = drawn((1, 2, 33, width), (1, 1, 65, width), count=4)
    for backward in FORMS:
        assert_right(backward, grad_out, q, k, v, causal=True)
    leaves = [x.requires_grad_() for x in (q, k, v)]
    flash_attention(*leaves, causal=True).backward(grad_out)
    expected = gradients(grad_out, q, k, v, causal=True)
    tolerances = sizes_of_errors(grad_out, q, k, v)
    assert_close([x.grad for x in leaves], expected, tolerances, q.dtype)


@pytest.mark.parametrize("softcap", [None, 1.5])
def test_autograd_knows_the_gradients_of_the_output_and_of_lse(softcap):
    q, k, v, grad_out = drawn((2, 4, 9, 16), (2, 2, 11, 16), count=4)
    grad_lse, bias = grad_out[..., 0], torch.randn(9, 11)
    given = [x.requires_grad_() for x in (q, k, v)]
    options = {"causal": True, "softcap": softcap, "bias": bias}
    out, lse = flash_attention_with_lse(*given, **options)
    ours = torch.autograd.grad((out, lse), given, (grad_out, grad_lse))
    close = sizes_of_errors(grad_out, q, k, v)
    assert_close(ours, gradients(grad_out, q, k, v, grad_lse, **options), close, q.dtype)
    of_lse = torch.autograd.grad(flash_attention_with_lse(*given)[1], given, grad_lse)
    nothing = torch.zeros_like(grad_out)
    assert_close(of_lse, gradients(nothing, q, k, v, grad_lse), close, q.dtype)


@pytest.mark.parametrize("hidden", [torch.nan, torch.inf])
@pytest.mark.parametrize("backward", FORMS, ids=["two kernels", "atomic"])
def test_keys_past_a_length_have_no_influence(hidden, backward):
    q, k, v, grad_out = drawn((2, 2, 9, 16), (2, 1, 40, 16), count=4)
    lens = torch.tensor([7, 33])
    out, lse = flash_attention_with_lse(q, k, v, valid_lens=lens)
    right = backward(grad_out, q, k, v, out, lse, valid_lens=lens)
    for x in (k, v):
        x[0, :, 7:], x[1, :, 33:] = hidden, hidden
    grads = backward(grad_out, q, k, v, out, lse, valid_lens=lens)
    assert all(torch.equal(a, b) for a, b in zip(grads, right, strict=True))
    assert (grads[1][0, :, 7:] == 0).all() and (grads[2][1, :, 33:] == 0).all()


def test_scores_far_below_zero_leave_no_infinity_behind():
    """2^-L overflows there for a key that does not exist, whose score is 0: it must be hidden."""
    q, k, v, grad_out = drawn((1, 1, 9, 16), (1, 1, 33, 16), count=4)
    q, k = q.abs() * 10, -k.abs() * 10
    assert float(flash_attention_with_lse(q, k, v)[1].max()) < -89  # 2^128 = e^88.7
    for backward in FORMS:
        assert_right(backward, grad_out, q, k, v)


def test_tensors_may_lie_anywhere_in_the_backward_pass_too():
    apart = [
        x.transpose(1, 2).contiguous().transpose(1, 2)
        for x in drawn((2, 2, 70, 16), (2, 1, 40, 16), count=4)
    ]
    q, k, v, grad_out = apart
    given = [x.requires_grad_() for x in (q, k, v)]
    grads = torch.autograd.grad(flash_attention(*given, causal=True), given, grad_out)
    close = sizes_of_errors(grad_out, q, k, v)
    assert_close(grads, gradients(grad_out, q, k, v, causal=True), close, q.dtype)
    grads = torch.autograd.grad(flash_attention(*given).sum(), given)
    assert_close(grads, gradients(torch.ones_like(grad_out), q, k, v), close, q.dtype)


def test_the_two_kernels_give_the_same_bits_twice():
    q, k, v, grad_out = drawn((1, 2, 70, 16), (1, 1, 83, 16), count=4)
    out, lse = flash_attention_with_lse(q, k, v)
    first, second = (flash_attention_backward(grad_out, q, k, v, out, lse) for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))
