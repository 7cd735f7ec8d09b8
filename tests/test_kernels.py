"""The forward kernel agrees with the definition, whatever is visible and wherever blocks end.

Interpreted, its blocks are of 64 queries and 32 keys.
"""

import numpy as np
import pytest
import torch
from kernel_oracle import definition, drawn, tolerance

from attnbook.kernels import attention, flash_attention, flash_attention_with_lse
from attnbook.kernels.arguments import padded

LENS = torch.tensor([0, 41])
WIDTHS_OF_MODELS = 40, 72, 80, 96, 112, 192
SIZES = [(70, 83), (83, 70), (64, 64), (1, 83), (5, 1)]
OPTIONS = {
    "everything": {},
    "causal": {"causal": True},
    "window": {"causal": True, "window": 7},
    "own key": {"causal": True, "window": 0},
    "window beyond the keys": {"causal": True, "window": 10**9},
    "lengths": {"valid_lens": LENS},
    "causal lengths": {"causal": True, "valid_lens": LENS},
    "soft cap": {"softcap": 1.5},
    "negative scale": {"scale": -0.3},
    "no scale": {"scale": 0},
    "all": {"causal": True, "window": 20, "valid_lens": LENS, "softcap": 1.5, "scale": 0.3},
}


def assert_right(q, k, v, **options):
    out, lse = flash_attention_with_lse(q, k, v, **options)
    expected, right_lse, scores = definition(q, k, v, **options)
    seen = np.isfinite(right_lse)
    error = np.abs(out.double().numpy() - expected).max(initial=0)
    assert error <= tolerance(q.dtype, scores, v)
    assert (out.dtype, out.shape, lse.dtype) == (q.dtype, q.shape, torch.float32)
    assert (lse.numpy()[~seen] == -np.inf).all() and (out.float().numpy()[~seen] == 0).all()
    error = np.abs(lse.numpy()[seen] - right_lse[seen]).max(initial=0)
    assert error <= tolerance(torch.float32, scores, torch.ones(1))


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize(("n_q", "n_k"), SIZES)
def test_the_kernel_agrees_with_the_definition(n_q, n_k, name):
    options = dict(OPTIONS[name])
    if "valid_lens" in options:
        options["valid_lens"] = LENS.clamp(max=n_k)
    assert_right(*drawn((2, 2, n_q, 16), (2, 1, n_k, 16)), **options)


@pytest.mark.parametrize("width", [16, 32, 64, 128, 256])
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.bfloat16])
def test_every_width_and_dtype(width, dtype):
    assert_right(*drawn((1, 1, 33, width), (1, 1, 65, width), dtype), causal=True)


@pytest.mark.parametrize("width", WIDTHS_OF_MODELS)
def test_widths_between_are_padded(width):
    q, k, v = drawn((1, 2, 33, width), (1, 1, 65, width))
    assert_right(q, k, v, causal=True)
    assert_right(q, k, v, scale=0.05)


def test_a_scale_of_the_padded_width_would_be_found(monkeypatch):
    validated = attention.validated
    monkeypatch.setattr(
        attention,
        "validated",
        lambda tensors, requested: validated(
            {name: padded(x) for name, x in tensors.items()}, requested
        ),
    )
    with pytest.raises(AssertionError):
        assert_right(*drawn((1, 1, 33, 40), (1, 1, 65, 40)))


@pytest.mark.parametrize("shape", [(2, 4, 9, 11), (4, 1, 11), (9, 11), (1, 11), (2, 1, 1, 1)])
@pytest.mark.parametrize("options", [{}, {"causal": True, "softcap": 2.0}])
def test_a_bias_of_any_shape_that_broadcasts(shape, options):
    q, k, v = drawn((2, 4, 9, 16), (2, 2, 11, 16))
    bias = torch.randn(shape, generator=torch.Generator().manual_seed(1))
    assert_right(q, k, v, bias=bias, **options)


def test_a_bias_of_minus_infinity_hides():
    q, k, v = drawn((1, 1, 5, 16), (1, 1, 70, 16))
    bias = torch.zeros(5, 70)
    bias[1:4, :40], bias[2, 40:], bias[4] = -torch.inf, -torch.inf, -torch.inf
    out, lse = flash_attention_with_lse(q, k, v, bias=bias)
    expected, right_lse, scores = definition(q, k, v, bias=torch.where(bias == 0, 0.0, -1e30))
    np.testing.assert_allclose(out[0, 0, :2], expected[0, 0, :2], atol=1e-6)
    assert (out[0, 0, [2, 4]] == 0).all() and (lse[0, 0, [2, 4]] == -torch.inf).all()
    assert np.isfinite(scores[0, 0, :1]).all() and np.isfinite(right_lse[0, 0, 3])


@pytest.mark.parametrize("hidden", [torch.nan, torch.inf])
def test_keys_past_a_length_have_no_influence(hidden):
    q, k, v = drawn((2, 2, 9, 16), (2, 1, 40, 16))
    lens = torch.tensor([7, 33])
    right = flash_attention(q, k, v, valid_lens=lens)
    for x in (k, v):
        x[0, :, 7:], x[1, :, 33:] = hidden, hidden
    assert torch.equal(flash_attention(q, k, v, valid_lens=lens), right)


def test_axes_in_front_may_be_any():
    q, k, v = drawn((2, 3, 4, 5, 16), (2, 3, 2, 7, 16))
    lens = torch.tensor([3, 7])
    for at in range(3):
        one = flash_attention(q[:, at], k[:, at], v[:, at], valid_lens=lens)
        assert torch.equal(flash_attention(q, k, v, valid_lens=lens)[:, at], one)
    assert torch.equal(flash_attention(q[1, 2], k[1, 2], v[1, 2]), flash_attention(q, k, v)[1, 2])


@pytest.mark.parametrize(
    "moved",
    [
        lambda x: x.transpose(1, 2).contiguous().transpose(1, 2),
        lambda x: torch.cat([x, x], dim=-1)[..., : x.shape[-1]],
        lambda x: torch.nn.functional.pad(x, (1, 0))[..., 1:],  # no multiple of 16 bytes
        lambda x: x.transpose(-1, -2).contiguous().transpose(-1, -2),
        lambda x: x[:1, :1].expand(x.shape),
    ],
    ids=["heads inside", "every second row", "not aligned", "features apart", "expanded"],
)
def test_tensors_may_lie_anywhere(moved):
    q, k, v = (moved(x) for x in drawn((2, 2, 70, 16), (2, 2, 40, 16)))
    right = flash_attention(*(x.contiguous() for x in (q, k, v)), causal=True)
    assert torch.equal(flash_attention(q, k, v, causal=True), right)


@pytest.mark.parametrize("n_q, n_k, batch", [(0, 5, 1), (5, 0, 1), (5, 5, 0)])
def test_nothing_is_an_answer_too(n_q, n_k, batch):
    q, k, v = drawn((batch, 2, n_q, 16), (batch, 1, n_k, 16))
    out, lse = flash_attention_with_lse(q, k, v)
    assert out.shape == q.shape and (out == 0).all() and (lse == -torch.inf).all()
