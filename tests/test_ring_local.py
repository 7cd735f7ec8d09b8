"""What a rank computes alone: the definition, gradients, what is hidden, dtypes."""

import sys
import types
from functools import partial

import numpy as np
import one_line
import pytest
import torch

from attnbook import gradients, masks, online, reference
from attnbook.distributed import blockwise, local
from attnbook.pytorch import options

SIZES = [(5, 9, 3, 4), (9, 5, 3, 4), (7, 7, 2, 2), (1, 8, 4, 3), (8, 1, 4, 3)]  # n_q n_k d_k d_v
HEADS = [(4, 4), (4, 2), (6, 1)]
CLOSE = 1e-13  # float64, sums of some ten terms of size 1, and their gradients


def inputs(n_q, n_k, d_k, d_v, n_heads=4, n_kv_heads=2, seed=0):
    rng = np.random.default_rng(seed)
    shapes = (
        (n_heads, n_q, d_k),
        (n_kv_heads, n_k, d_k),
        (n_kv_heads, n_k, d_v),
        (n_heads, n_q, d_v),
    )
    return [torch.from_numpy(rng.standard_normal((2, *shape))) for shape in shapes]


def by_definition(q, k, v, causal):
    """NumPy's attention and L, of every head with its own keys."""
    times = q.shape[-3] // k.shape[-3]
    k, v = (reference.repeat_heads(x.numpy(), times) for x in (k, v))
    mask = masks.causal_mask(q.shape[-2], k.shape[-2]) if causal else None
    return online.attention_with_lse(q.numpy(), k, v, mask)


def close(x, y):
    np.testing.assert_allclose(x, y, rtol=0, atol=CLOSE)


@pytest.fixture(params=(1, 3, 1024))
def keys_in_a_block(request, monkeypatch):
    monkeypatch.setattr(blockwise, "KEYS", request.param)


@pytest.mark.parametrize("heads", HEADS)
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("causal", (False, True))
def test_it_is_the_definition(sizes, heads, causal, keys_in_a_block):
    q, k, v, _ = inputs(*sizes, *heads)
    for found, wanted in zip(
        local.attend(q, k, v, causal), by_definition(q, k, v, causal), strict=True
    ):
        close(found, wanted)


@pytest.mark.parametrize("heads", HEADS)
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("causal", (False, True))
def test_its_gradients_are_those_of_the_definition(sizes, heads, causal, keys_in_a_block):
    from attnbook.pytorch import causal_mask, repeat_heads, scaled_dot_product_attention

    q, k, v, grad_out = inputs(*sizes, *heads)
    found = local.attend_backward(grad_out, q, k, v, *local.attend(q, k, v, causal), causal)
    q, k, v = (x.requires_grad_() for x in (q, k, v))
    shared = [repeat_heads(x, heads[0] // heads[1]) for x in (k, v)]
    mask = causal_mask(sizes[0], sizes[1]) if causal else None
    out = scaled_dot_product_attention(q, *shared, mask)
    for grad, wanted in zip(found, torch.autograd.grad(out, (q, k, v), grad_out), strict=True):
        close(grad, wanted)


def test_nothing_is_hidden_and_the_scale_is_that_of_the_width_if_nobody_says_so():
    q, k, v, grad_out = inputs(5, 9, 3, 4)
    for scale in (None, 0.9, -0.3):
        out, lse = local.attend(q, k, v, scale=scale)
        shared = (reference.repeat_heads(x.numpy(), 2) for x in (k, v))
        for found, wanted in zip(
            (out, lse), online.attention_with_lse(q.numpy(), *shared, scale=scale), strict=True
        ):
            close(found, wanted)
        found = local.attend_backward(grad_out, q, k, v, out, lse, scale=scale)
        times = 1 if scale is None else scale * 3**0.5  # the same as a multiple of the queries
        seen = local.attend(times * q, k, v)
        wanted = local.attend_backward(grad_out, times * q, k, v, *seen)
        for grad, right in zip(found, (times * wanted[0], *wanted[1:]), strict=True):
            close(grad, right)


def test_gradients_of_two_blocks_add_up_to_those_of_both():
    q, k, v, grad_out = inputs(5, 8, 3, 4)
    out, lse = local.attend(q, k, v)
    whole = local.attend_backward(grad_out, q, k, v, out, lse)
    halves = [
        local.attend_backward(grad_out, q, k[..., x, :], v[..., x, :], out, lse)
        for x in (slice(0, 3), slice(3, 8))
    ]
    close(halves[0][0] + halves[1][0], whole[0])
    close(torch.cat([half[1] for half in halves], -2), whole[1])
    alone = local.attend(q, k[..., :3, :], v[..., :3, :])
    wrong = local.attend_backward(grad_out, q, k[..., :3, :], v[..., :3, :], *alone)
    assert (wrong[1] - whole[1][..., :3, :]).abs().max() > 0.01  # L of its own keys alone


@pytest.mark.parametrize("what", (torch.nan, torch.inf))
def test_the_future_has_no_influence(what):
    q, k, v, grad_out = inputs(6, 6, 3, 4)
    grad_out[..., 3:, :] = 0
    dirty = [k.clone(), v.clone()]
    for x in dirty:
        x[..., 3:, :] = what
    seen = []
    for given in ((k, v), dirty):
        out, lse = local.attend(q, *given, True)
        grads = local.attend_backward(grad_out, q, *given, out, lse, True)
        seen.append([out[..., :3, :], lse[..., :3], grads[0][..., :3, :]])
    assert all(map(torch.equal, *seen))
    assert not torch.isfinite(out[..., 3:, :]).any()


def assert_not_finite_where_the_definition_is_not(what, causal):
    """Wherever one number is NaN or infinite, in q, k, v or the gradient; ±inf may be NaN."""
    mask = masks.causal_mask(6, 6) if causal else None
    for place in range(4):
        given = inputs(6, 6, 3, 4, 2, 2)
        given[place][..., 2, 1] = what
        q, k, v, grad_out = given
        seen = local.attend(q, k, v, causal)
        found = local.attend_backward(grad_out, q, k, v, *seen, causal)
        arrays = (x.numpy() for x in (grad_out, q, k, v))
        wanted = gradients.scaled_dot_product_attention_backward(*arrays, mask)
        for ours, right in zip(found, map(torch.from_numpy, wanted), strict=True):
            close(*(torch.where(x.isfinite(), x, torch.nan) for x in (ours, right)))


@pytest.mark.parametrize("causal", (False, True))
@pytest.mark.parametrize("what", (torch.nan, torch.inf, -torch.inf))
def test_gradients_are_not_finite_where_the_definition_is_not(what, causal, keys_in_a_block):
    assert_not_finite_where_the_definition_is_not(what, causal)


BACKWARD = {
    "weights that are not divided where L is NaN": "lse == -torch.inf → ~torch.isfinite(lse)",
    "a later query in the gradient of a key":
        "_mixed(grad_scores.mT, q_i, seen) → (grad_scores.mT @ q_i)",
    "a later query in the gradient of a value":
        "_mixed(weights.mT, g_i, seen) → (weights.mT @ g_i)",
}  # fmt: skip


@pytest.mark.parametrize("mistake", BACKWARD)
def test_a_number_that_is_not_finite_where_it_has_no_part_is_rejected(monkeypatch, mistake):
    claim = partial(assert_not_finite_where_the_definition_is_not, torch.nan, True)
    one_line.assert_rejected(monkeypatch, blockwise.backward, BACKWARD[mistake], claim)


def test_a_query_that_sees_nothing_has_zeros():
    q, k, v, grad_out = inputs(4, 2, 3, 4)
    out, lse = local.attend(q, k, v, True)
    grads = local.attend_backward(grad_out, q, k, v, out, lse, True)
    assert not out[..., :2, :].any() and (lse[..., :2] == -torch.inf).all()
    assert not grads[0][..., :2, :].any() and all(x.isfinite().all() for x in grads)


@pytest.mark.parametrize("dtype", (torch.float16, torch.bfloat16, torch.float32))
def test_short_floats_come_back_in_float32(dtype):
    q, k, v, grad_out = (x.to(dtype) for x in inputs(6, 6, 3, 4))
    out, lse = local.attend(q, k, v, True)
    grads = local.attend_backward(grad_out, q, k, v, out, lse, True)
    wanted, _ = local.attend(*(x.double() for x in (q, k, v)), True)
    assert {x.dtype for x in (out, lse, *grads)} == {torch.float32}
    assert (out - wanted).abs().max() < 20 * torch.finfo(torch.float32).eps  # ten roundings


def test_arguments_stay_as_they_are():
    given = inputs(6, 6, 3, 4)
    before = [x.clone() for x in given]
    out, lse = local.attend(*given[:3], True)
    local.attend_backward(given[3], *given[:3], out, lse, True)
    assert all(map(torch.equal, before, given))


def test_queries_without_width_need_a_scale():
    q, k, v, grad_out = inputs(5, 9, 0, 4)
    for scale, refused in ((0.5, False), (None, True)):
        seen = local.attend(q, k, v, scale=0.5)
        for call in (
            lambda scale=scale: local.attend(q, k, v, scale=scale),
            lambda scale=scale, seen=seen: local.attend_backward(
                grad_out, q, k, v, *seen, scale=scale
            ),
        ):
            if refused:
                with pytest.raises(ValueError, match="q has width d_k = 0; expected 1 or more"):
                    call()
            else:
                call()


def test_refusals_name_the_argument():
    q, k, v, _ = inputs(4, 4, 3, 4, 4, 3)
    with pytest.raises(ValueError, match="k has 3 heads; expected a divisor of the 4 heads of q"):
        local.attend(q, k, v)
    with pytest.raises(TypeError, match="attend: v is float64 tensor of shape"):
        local.attend(q, k, v[..., :2, :])


def test_short_floats_on_a_gpu_go_to_the_kernels(monkeypatch):
    """What is handed over, on a machine without a GPU: the interface of `attnbook.kernels`."""
    calls = []

    def with_lse(q, k, v, *, causal, scale):
        calls.append(("forward", causal, scale))
        return q, q[..., 0].float()

    def backward(grad_out, q, k, v, out, lse, *, causal, scale):
        calls.append(("backward", out.dtype, causal, scale))
        return q, k, v

    kernels = types.ModuleType("attnbook.kernels")
    kernels.flash_attention_with_lse, kernels.flash_attention_backward = with_lse, backward
    monkeypatch.setitem(sys.modules, "attnbook.kernels", kernels)
    monkeypatch.setattr("attnbook.kernels", kernels, raising=False)
    q = torch.ones(1, 2, 8, 16, dtype=torch.bfloat16)
    chosen = local._kernels

    def on_gpu(dtype=q.dtype, shape=q.shape):
        x = types.SimpleNamespace(device=torch.device("cuda"), dtype=dtype, shape=shape)
        return chosen(x, x, x)

    assert chosen(q, q, q) is None  # on the processor
    monkeypatch.setattr(options, "is_there", lambda module: True)
    assert all(on_gpu(shape=(8, width)) is kernels for width in (1, 16, 80, 256))
    assert on_gpu(shape=(8, 0)) is on_gpu(shape=(8, 257)) is None
    assert on_gpu(torch.float64) is on_gpu(torch.float32) is None
    monkeypatch.setattr(options, "is_there", lambda module: module != "triton")
    assert on_gpu() is None
    monkeypatch.setattr(local, "_kernels", lambda q, k, v: kernels)
    out, lse = local.attend(q, q, q, True)
    grads = local.attend_backward(q, q, q, q, out, lse, True, 0.5)
    assert calls == [("forward", True, None), ("backward", torch.bfloat16, True, 0.5)]
    assert {x.dtype for x in (out, *grads)} == {torch.float32}
