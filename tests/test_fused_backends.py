"""What SDPA's programs say, what ran, and what `torch.compile` recognises."""

import pytest
import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from attnbook import fused, pytorch

torch.manual_seed(0)
Q, K, V = torch.randn(3, 1, 2, 8, 16)
MASK = torch.ones(8, 8, dtype=torch.bool)
CASES = {
    "four axes": ((Q, K, V), {}),
    "three axes": ((Q[0], K[0], V[0]), {}),
    "other widths": ((Q, K, V[..., :8]), {}),
    "not side by side": ((Q.mT.contiguous().mT, K, V), {}),
    "dropout": ((Q, K, V), {"dropout_p": 0.1}),
    "a learned mask": ((Q, K, V), {"attn_mask": torch.zeros(8, 8, requires_grad=True)}),
    "a mask": ((Q, K, V), {"attn_mask": MASK}),
    "shared heads": ((Q, K[:, :1], V[:, :1]), {"enable_gqa": True}),
    "in float64": ((Q.double(), K.double(), V.double()), {"scale": 0.3}),
    "causal": ((Q[:, :, :3], K, V), {"is_causal": True}),
}
OPERATION = {
    "FLASH": "_scaled_dot_product_flash_attention_for_cpu",
    "MATH": "_scaled_dot_product_attention_math",
}
BACKEND = {"FLASH": SDPBackend.FLASH_ATTENTION, "MATH": SDPBackend.MATH}


def attend(case):
    tensors, options = CASES[case]
    return F.scaled_dot_product_attention(*tensors, **options)


@pytest.mark.parametrize("case", CASES)
def test_the_program_that_is_said_to_run_runs(case):
    tensors, options = CASES[case]
    (runs,) = [row.backend for row in fused.backends(*tensors, **options) if row.status == "runs"]
    assert fused.ran(lambda: attend(case)) == [OPERATION[runs]]


@pytest.mark.parametrize("case", CASES)
def test_who_refuses_raises_when_forced_and_nobody_else_does(case):
    tensors, options = CASES[case]
    rows = fused.backends(*tensors, **options)
    assert [row.backend for row in rows] == ["MATH", "FLASH"]
    for row in rows:
        with sdpa_kernel(BACKEND[row.backend]):
            if row.status == "refuses":
                assert row.reason
                with pytest.warns(UserWarning), pytest.raises(RuntimeError, match="No available"):
                    attend(case)
            else:
                attend(case)


def test_reasons_are_pytorchs_own_without_the_place_in_its_source():
    flash = fused.backends(Q, K, V[..., :8])[1]
    assert flash.reason.startswith("Flash attention requires q,k,v to have the same last dimension")
    assert "Triggered" not in flash.reason and "used because" not in flash.reason


def test_a_call_without_attention_ran_none():
    assert fused.ran(lambda: Q @ K.mT) == []


def plain(q, k, v):
    return torch.softmax(q @ k.transpose(-2, -1) / 4, dim=-1) @ v


def by_lse(q, k, v):
    scores = q @ k.transpose(-2, -1) / 4
    return torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True)) @ v


def ours(q, k, v):
    return pytorch.scaled_dot_product_attention(q, k, v)


def capped(q, k, v):
    return torch.softmax(2 * torch.tanh(q @ k.transpose(-2, -1) / 8), dim=-1) @ v


def by_queries(q, k, v):
    return torch.softmax(q @ k.transpose(-2, -1) / 4, dim=-2) @ v


@pytest.mark.parametrize(
    ("function", "is_found"), [(plain, True), (by_lse, False), (ours, False), (capped, False)]
)
def test_the_compiler_finds_the_plain_form_and_no_other(function, is_found):
    assert fused.recognised(function, Q, K, V) == is_found
    assert (OPERATION["FLASH"] in fused.graph(function, Q, K, V)) == is_found
    assert fused.graph(function, Q, K, V).count("bmm") == (0 if is_found else 2)


def test_what_is_compiled_in_earnest_runs_what_the_graph_shows():
    torch.compiler.reset()
    compiled = torch.compile(plain)
    compiled(Q, K, V)
    assert fused.ran(lambda: compiled(Q, K, V)) == [OPERATION["FLASH"]]


def test_a_form_is_found_after_it_was_compiled_in_earnest():
    """The compiler keeps that program on disk, and shows no graph of what it takes from there."""
    with torch.no_grad():
        torch.compile(plain)(Q, K, V)
    assert fused.recognised(plain, Q, K, V)


def test_softmax_over_queries_is_taken_for_attention_up_to_2_13_and_no_longer_in_2_15():
    """pytorch #196468."""
    torch.compiler.reset()
    compiled = torch.compile(by_queries)(Q, K, V)
    mended = torch.__version__ >= (2, 14)
    right, wrong = (plain, by_queries)[:: -1 if mended else 1]
    torch.testing.assert_close(compiled, right(Q, K, V))
    assert not torch.allclose(compiled, wrong(Q, K, V), atol=0.1)
