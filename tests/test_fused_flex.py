"""FlexAttention's rules are the masks of the book, its changes of a score the book's scores."""

import warnings

import numpy as np
import pytest
import torch
from fused_cases import Case, assert_answers, mask_of, rule
from torch.nn.attention.flex_attention import (
    and_masks,
    create_block_mask,
    create_mask,
    flex_attention,
)

from attnbook import fused, online, pytorch
from attnbook.fused import flex, implementations
from attnbook.pytorch import rules

torch.manual_seed(0)
B, H, N_Q, N_K = 2, 3, 5, 7
LENS, APART = np.array([4, 7]), (np.array([0, 0, 1, 1, 2]), np.array([0, 1, 0, 1, 1, 2, 2]))
NAMED = {
    "padding": [("padding", LENS)],
    "causal": [("causal",)],
    "window": [("sliding_window", 2)],
    "both sides": [("sliding_window", 1, 2)],
    "prefix": [("prefix", 4)],
    "documents": [("documents", APART[0], np.sort(APART[1]))],
    "documents apart": [("documents", *APART)],
    "documents of each": [("documents", *(np.stack([x, x[::-1]]) for x in APART))],
}
NAMED["every"] = NAMED["padding"] + NAMED["causal"] + NAMED["documents of each"]


def mod_and_mask(named):
    mask = mask_of(named, N_Q, N_K)
    return flex.mask_mod(rule(named), N_Q, N_K), mask if mask.ndim == 2 else mask[:, None]


RULES = {name: mod_and_mask(named) for name, named in NAMED.items()}
RULES["none"] = and_masks(), np.ones((N_Q, N_K), dtype=bool)


@pytest.mark.parametrize("name", RULES)
def test_a_rule_shows_what_the_mask_shows(name):
    rule, mask = RULES[name]
    shown = create_mask(rule, B, H, N_Q, N_K, device="cpu")
    np.testing.assert_array_equal(shown, np.broadcast_to(mask, (B, H, N_Q, N_K)))


@pytest.mark.parametrize("name", ["causal", "window", "prefix"])
def test_a_rule_with_its_triangle_at_the_other_corner_is_rejected(name):
    _, mask = RULES[name]
    shown = create_mask(lambda b, h, i, j: j <= i, 1, 1, N_Q, N_K, device="cpu")[0, 0].numpy()
    assert (shown & mask != mask).any()


def test_sizes_may_be_small_integers_of_numpy():
    """The negative of an unsigned 2 is 254."""
    places = 0, 0, torch.arange(N_Q)[:, None], torch.arange(N_K)
    window, n_q, n_k = (np.uint8(x) for x in (2, N_Q, N_K))
    near = flex.mask_mod(rules.sliding_window(window), n_q, n_k)
    np.testing.assert_array_equal(near(*places), RULES["window"][1])


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("block", [2, 4])
def test_blocks_are_those_of_the_online_chapter(name, block):
    rule, mask = RULES[name]
    kept = create_block_mask(rule, B, H, N_Q, N_K, device="cpu", BLOCK_SIZE=block)
    some, every = flex.visible_blocks(kept)
    for b in range(B):
        for h in range(H):
            whole = np.broadcast_to(mask, (B, H, N_Q, N_K))[b, h]
            right = online.visible_blocks(whole, block, block)
            np.testing.assert_array_equal(some[b, h], right[0])
            assert (every[b, h].numpy() <= right[1]).all()  # one cut by the edge is never full
            inner = slice(N_Q // block), slice(N_K // block)
            np.testing.assert_array_equal(every[b, h][inner], right[1][inner])


@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
def test_changes_of_a_score_are_those_of_the_book():
    q, k, v = (torch.randn(B, H, n, 4, dtype=torch.float64) for n in (N_Q, N_K, N_K))
    bias = torch.randn(1, H, N_Q, 1, dtype=torch.float64)
    changes = flex.in_turn(flex.softcap(1.5), flex.alibi(H, N_Q, N_K), flex.bias_tensor(bias))
    scores = pytorch.softcap(pytorch.dot_product_scores(q, k), 1.5)
    scores = scores + pytorch.alibi_bias(H, N_Q, N_K, dtype=torch.float64) + bias
    right = pytorch.softmax(scores) @ v
    torch.testing.assert_close(flex_attention(q, k, v, changes), right)
    turned = flex.in_turn(flex.alibi(H, N_Q, N_K), flex.bias_tensor(bias), flex.softcap(1.5))
    assert not torch.allclose(flex_attention(q, k, v, turned), right, atol=1e-3)
    assert flex.in_turn() is None


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # PyTorch's, of its own compiler
def test_compiled_it_answers_as_the_other_forms_do(monkeypatch):
    monkeypatch.setattr(implementations, "WORTH_COMPILING", 0)
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal((2, h, n, 16)) for h, n in ((4, 20), (2, 24), (2, 24))]
    arrays[1][0, :, 22], arrays[2][1, :, 3] = np.nan, np.inf
    options = {"causal": True, "window": 9, "valid_lens": np.array([5, 24]), "alibi": True}
    options["softcap"], options["bias"] = 2.0, rng.standard_normal((1, 4, 1, 24)).astype(np.float32)
    case = Case(tuple(arrays), options, torch.float32)
    rows = fused.explain(*case.tensors(), **case.named())
    if " " in torch.__file__:
        assert [row.backend for row in rows if row.status == "runs"] == ["readable"]
        pytest.skip("PyTorch compiles nothing in a folder with a space in its path")
    assert [row.backend for row in rows if row.status == "runs"] == ["FlexAttention"]
    assert_answers(fused.attention, case)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_inside_a_compiled_function_it_is_compiled_with_it():
    """Its graph, without the C++ that is made of it."""
    arrays = [np.random.default_rng(h).standard_normal((2, h, 9, 16)) for h in (4, 2, 2)]
    options = {"softcap": 2.0, "causal": True, "valid_lens": np.array([5, 9])}
    case = Case(tuple(arrays), options, torch.float32)
    torch.compiler.reset()
    compiled = torch.compile(fused.attention, fullgraph=True, backend="aot_eager")
    with warnings.catch_warnings():
        warnings.simplefilter("error", fused.SlowAttentionWarning)
        assert_answers(compiled, case)


def test_it_refuses_where_pytorchs_folder_has_a_space_in_its_path(monkeypatch):
    monkeypatch.setattr(implementations, "WORTH_COMPILING", 0)
    monkeypatch.setenv("CXX", "sh")
    monkeypatch.setattr(torch, "__file__", "/a b")
    q = torch.zeros(1, 1, 4, 16)
    said = {row.backend: row.reason for row in fused.explain(q, q, q, softcap=2.0)}
    assert "a space in its path" in said["FlexAttention"]


def test_it_gives_no_gradients_on_a_cpu_yet():
    """PyTorch 2.13: where this fails, `implementations.flex_refuses` can take gradients."""
    q = torch.zeros(1, 1, 4, 16, requires_grad=True)
    with pytest.raises(NotImplementedError, match="backward on CPU"):
        flex_attention(q, q, q)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_cap_after_another_and_a_cap_in_another_place_are_compiled():
    """PyTorch 2.15 makes a variable of a float that has changed, and refuses it in a score_mod."""
    torch.compiler.reset()
    q, k, v = torch.randn(3, 1, 4, 16, 8)
    for cap in (2.0, 3.0, 5):
        want = pytorch.softmax(pytorch.softcap(pytorch.dot_product_scores(q, k), cap)) @ v
        torch.testing.assert_close(flex_attention(q, k, v, flex.softcap(cap)), want)
    bias = pytorch.alibi_bias(4, 16, 16)
    for order in (1, -1):
        changes = (flex.softcap(2.0), flex.alibi(4, 16, 16))[::order]
        scores = pytorch.dot_product_scores(q, k) + (0 if order == 1 else bias)
        bent = pytorch.softcap(scores, 2.0) + (bias if order == 1 else 0)
        out = flex_attention(q, k, v, flex.in_turn(*changes))
        torch.testing.assert_close(out, pytorch.softmax(bent) @ v)


def test_what_hides_nothing_is_the_same_made_without_a_look():
    for n_q, n_k in ((1, 1), (128, 256), (130, 300)):
        made = flex.visible_blocks(flex.full_block_mask(n_q, n_k))[0]
        asked = create_block_mask(and_masks(), None, None, n_q, n_k, device="cpu")
        assert made.all() and torch.equal(made, flex.visible_blocks(asked)[0])


def blocks_passed(monkeypatch, attention):
    """The block mask that FlexAttention is called with, for a soft-cap that hides nothing."""
    passed = []

    def call(q, k, v, *, block_mask=None, **options):
        passed.append(block_mask)
        return q

    monkeypatch.setattr(implementations, "WORTH_COMPILING", 0)
    monkeypatch.setattr(implementations, "_cannot_compile", lambda: None)
    monkeypatch.setattr(implementations, "_compiled_flex", lambda: call)
    q = torch.zeros(1, 1, 300, 16)
    attention(q, q, q, softcap=2.0)
    return passed[0]


def test_on_a_cpu_it_is_never_called_without_blocks(monkeypatch):
    """PyTorch 2.13 would take one block of everything, and hold all scores of a head."""
    passed = blocks_passed(monkeypatch, fused.attention)
    assert passed.BLOCK_SIZE == (128, 128) and passed.seq_lengths == (300, 300)
    monkeypatch.setattr(flex, "full_block_mask", lambda n_q, n_k: None)
    assert blocks_passed(monkeypatch, fused.attention) is None, "the test sees what is passed"


def test_a_large_mask_is_made_by_the_compiled_function(monkeypatch):
    made = []
    monkeypatch.setattr(
        implementations, "_compiled_block_mask", lambda: lambda *sizes, device: made.append(sizes)
    )
    monkeypatch.setattr(implementations, "MASK_WORTH_COMPILING", 100)
    rule, q = flex.mask_mod(rules.causal(), 10, 10), torch.zeros(1)
    implementations._blocks(rule, None, None, 10, 10, q)
    implementations._blocks(rule, None, None, 9, 10, q)
    assert len(made) == 1
