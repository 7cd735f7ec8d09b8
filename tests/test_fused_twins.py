"""The functions of `attnbook.pytorch` and their fused twins: one answer, whatever is asked."""

import pytest
import torch

from attnbook import fused, pytorch
from attnbook.fused.visible import ByMask

CLOSE = 1e-14  # float64, sums of a dozen terms of size 1, in another order
torch.manual_seed(0)
Q, K, V = (torch.randn(2, 3, n, d, dtype=torch.float64) for n, d in ((5, 4), (7, 4), (7, 6)))
CAUSAL = pytorch.causal_mask(5, 7)
GAPS = torch.rand(2, 1, 5, 7) < 0.6
GAPS[1, 0, 2] = False  # a query that sees nothing
BIAS = torch.randn(3, 5, 7, dtype=torch.float64)
SHUT = BIAS.clone()
SHUT[1, 3] = -torch.inf  # a query whose every key has the weight 0
NAN, INF = torch.nan, torch.inf


def close(found, wanted, atol=CLOSE):
    assert found.dtype == wanted.dtype
    torch.testing.assert_close(found, wanted, rtol=0, atol=atol, equal_nan=True)


@pytest.mark.parametrize("mask", [None, CAUSAL, GAPS, CAUSAL & GAPS, torch.zeros(5, 7) > 0])
@pytest.mark.parametrize("bias", [None, BIAS, BIAS[0], SHUT, BIAS[:, :1]])
@pytest.mark.parametrize("scale", [None, 0.7, -0.7, 0.0])
def test_it_is_its_twin(mask, bias, scale):
    wanted = pytorch.scaled_dot_product_attention(Q, K, V, mask, bias, scale)
    close(fused.scaled_dot_product_attention(Q, K, V, mask, bias, scale), wanted)


@pytest.mark.parametrize("axes", [0, 1, 3])
def test_any_number_of_axes(axes):
    given = {0: lambda x: x[0, 0], 1: lambda x: x[0], 3: lambda x: x[None, None]}
    q, k, v, mask = (given[axes](x) for x in (Q, K, V, GAPS.expand(2, 3, 5, 7)))
    wanted = pytorch.scaled_dot_product_attention(q, k, v, mask)
    close(fused.scaled_dot_product_attention(q, k, v, mask), wanted)


@pytest.mark.parametrize("mask", [None, CAUSAL, GAPS])
@pytest.mark.parametrize("bias", [None, SHUT])
def test_gradients_are_those_of_its_twin(mask, bias):
    grads = []
    for function in (fused, pytorch):
        leaves = [x.clone().requires_grad_() for x in (Q, K, V)]
        out = function.scaled_dot_product_attention(*leaves, mask, bias)
        grads.append(torch.autograd.grad((out * torch.linspace(-1, 1, 6)).sum(), leaves))
    for found, wanted in zip(*grads, strict=True):
        close(found, wanted)


@pytest.mark.parametrize("what", [NAN, INF])
@pytest.mark.parametrize("where", ["keys", "values"])
@pytest.mark.parametrize("mask", [None, CAUSAL, GAPS])
def test_what_is_hidden_has_no_influence_and_what_is_seen_makes_its_row_nan(mask, where, what):
    k, v = K.clone(), V.clone()
    (k if where == "keys" else v)[..., 6, 0] = what
    sees = torch.ones(2, 3, 5, 1) > 0 if mask is None else mask[..., 6:].expand(2, 3, 5, 1)
    wanted = fused.scaled_dot_product_attention(Q, K, V, mask)
    found = fused.scaled_dot_product_attention(Q, k, v, mask)
    close(found, torch.where(sees, NAN, wanted))


def test_a_bias_that_is_nan_spoils_the_rows_that_see_it():
    bias = BIAS.clone()
    bias[0, 2, 6], bias[1, 4, 0], bias[2, 0, 0] = NAN, NAN, INF
    found = fused.scaled_dot_product_attention(Q, K, V, CAUSAL, bias)
    wanted = fused.scaled_dot_product_attention(Q, K, V, CAUSAL, BIAS)
    spoilt = torch.zeros(3, 5, 1) > 0
    spoilt[1, 4] = spoilt[2, 0] = True  # the first is hidden by the mask
    close(found, torch.where(spoilt, NAN, wanted))


def test_a_query_that_is_nan_is_nan_and_no_zeros():
    q = Q.clone()
    q[1, 2, 3, 0] = NAN
    for mask, bias in ((None, None), (CAUSAL, None), (None, SHUT)):
        found = fused.scaled_dot_product_attention(q, K, V, mask, bias)
        assert found[1, 2, 3].isnan().all() and found.isnan().sum() == 6


def test_dtypes_are_those_of_the_twin():
    for dtypes in (
        (torch.float64, torch.float32, torch.float16),
        (torch.float16, torch.bfloat16, torch.float16),
        (torch.float32,) * 3,
    ):
        given = [x.to(dtype) for x, dtype in zip((Q, K, V), dtypes, strict=True)]
        out = fused.scaled_dot_product_attention(*given)
        assert out.dtype == pytorch.scaled_dot_product_attention(*given).dtype
    with torch.autocast("cpu", torch.bfloat16):
        assert fused.scaled_dot_product_attention(Q.float(), K.float(), V).dtype == torch.float64
        out = fused.scaled_dot_product_attention(*(x.float() for x in (Q, K, V)))
    close(out, fused.scaled_dot_product_attention(*(x.bfloat16() for x in (Q, K, V))), 0)


@pytest.mark.parametrize("empty", ["queries", "keys", "values"])
def test_without_numbers_it_is_its_twin(empty):
    q = Q[..., :0, :] if empty == "queries" else Q
    k, v = (x[..., :0, :] if empty == "keys" else x for x in (K, V))
    v = v[..., :0] if empty == "values" else v
    close(
        fused.scaled_dot_product_attention(q, k, v), pytorch.scaled_dot_product_attention(q, k, v)
    )


def test_a_fused_program_computes_it():
    given = [x.float() for x in (Q, K, V)]
    for mask in (None, CAUSAL):
        (ran,) = fused.ran(lambda m=mask: fused.scaled_dot_product_attention(*given, m))
        assert "flash" in ran


def weights(d_q=4, d_k=4, d_v=6, d_model=12, d_kv=12, d_out=5):
    shapes = (d_q, d_model), (d_k, d_kv), (d_v, d_kv), (d_model, d_out)
    return [torch.randn(*shape, dtype=torch.float64) for shape in shapes]


@pytest.mark.parametrize("n_kv_heads", [None, 3, 1])
@pytest.mark.parametrize("mask", [None, CAUSAL, GAPS[:, 0], GAPS & (torch.rand(2, 3, 5, 7) < 0.8)])
def test_several_heads_are_those_of_the_twin(mask, n_kv_heads):
    given = Q[:, 0], K[:, 0], V[:, 0], *weights(d_kv=4 * (n_kv_heads or 3)), 3, mask, n_kv_heads
    wanted = pytorch.multi_head_attention(*given)
    close(fused.multi_head_attention(*given), wanted, 10 * CLOSE)
    assert wanted.shape == (2, 5, 5)


def test_several_heads_of_one_sequence():
    given = Q[0, 0], K[0, 0], V[0, 0], *weights(), 3
    close(fused.multi_head_attention(*given), pytorch.multi_head_attention(*given), 10 * CLOSE)
    given = *given, torch.rand(3, 5, 7) < 0.8
    close(fused.multi_head_attention(*given), pytorch.multi_head_attention(*given), 10 * CLOSE)


def test_heads_that_cannot_be_are_refused_as_by_the_twin():
    given = Q[:, 0], K[:, 0], V[:, 0]
    for weighed, heads in (((), (5,)), ((), (3, None, 2)), ((12, 8), (3, None, 3))):
        said = []
        for function in (fused, pytorch):
            with pytest.raises(ValueError) as error:
                sizes = dict(zip(("d_model", "d_kv"), weighed, strict=False))
                function.multi_head_attention(*given, *weights(**sizes), *heads)
            said.append(str(error.value))
        assert said[0] == said[1]


def test_a_mask_says_who_sees_nothing_and_who_sees_what_is_marked():
    mask, marked = GAPS[:, 0], torch.zeros(2, 7) > 0
    marked[0, 3] = marked[1, 6] = True
    sees = ByMask(mask).sees(marked)
    assert torch.equal(sees[..., 0], torch.stack([mask[0, :, 3], mask[1, :, 6]]))
    assert torch.equal(ByMask(mask).empty()[..., 0], ~mask.any(-1)) and ByMask(mask).empty()[1, 2]
    assert ByMask(None).sees(marked).tolist() == [[[True]], [[True]]]
    assert not ByMask(None).sees(marked & False).any() and not ByMask(None).empty().any()
    assert ByMask(None).all_see and not ByMask(mask).all_see
