"""Each program that `attention` chooses from, by itself: what it refuses, and what it is given."""

import sys
import types

import numpy as np
import pytest
import torch
from fused_cases import Case, assert_answers, options_of
from torch.nn.attention.flex_attention import flex_attention

from attnbook.fused import implementations
from attnbook.pytorch import options, rules

rng = np.random.default_rng(1)


def arrays(n_q, n_k, width=16, lead=(2,)):
    shapes = (4, n_q, width), (2, n_k, width), (2, n_k, width)
    return tuple(rng.standard_normal((*lead, *shape)) for shape in shapes)


def place(q, device, **changed):
    """What is asked of a tensor before it is computed with, as if it were on another device."""
    known = {"dtype": q.dtype, "shape": q.shape, "ndim": q.ndim, "requires_grad": q.requires_grad}
    return types.SimpleNamespace(device=torch.device(device), **known | changed)


Q, K, V = (torch.zeros(2, h, n, 16) for h, n in ((4, 3), (2, 5), (2, 5)))
BIAS = torch.zeros(3, 5)
KERNELS = {
    None: [
        {},
        {"grad": True},
        {"bias": BIAS},
        {"alibi": True},
        {"device": "cuda:1"},
        {"rule": rules.sliding_window(2) & rules.padding(torch.tensor([2, 3]))},
        {"rule": rules.causal() & rules.prefix(3) & rules.sliding_window(1, 2)},
        {"rule": rules.sliding_window(1, 1) & rules.padding(torch.tensor([2, 3]))},
        {"rule": rules.documents(torch.zeros(3, dtype=int), torch.zeros(5, dtype=int))},
        {"rule": rules.padding(torch.ones(2, 3, dtype=int))},
    ],
    "its backward pass takes no bias": [
        {"bias": BIAS, "grad": True},
        {"alibi": True, "grad": True},
        {"bias": BIAS.clone().requires_grad_()},
    ],
    "no kernel computes in float64": [{"dtype": torch.float64}],
    "its heads have 1 to 256 features, keys as many as values": [
        {"width": (257, 257)},
        {"width": (16, 32)},
    ],
    "it takes no mask, but rules": [{"mask": torch.ones(3, 5, dtype=bool)}],
    "its documents have contiguous keys, and are known to": [
        {"rule": rules.documents(torch.zeros(3, dtype=int), torch.tensor([0, 1, 0, 1, 0]))},
    ],
    "its kernels are for GPUs, and q is on the CPU": [{"device": "cpu"}],
    "its kernels are for GPUs, and q is on the device 'xpu'": [{"device": "xpu"}],
    "triton is not installed": [{"missing": "triton"}, {"missing": "attnbook.kernels"}],
}
FLEX = {
    None: [
        {"device": "cuda"},
        {"device": "cuda", "grad": True, "bias": BIAS},
        {"lead": 3, "device": "cuda"},
        {"lens": True, "device": "cuda"},
    ],
    "it has one axis for the batch": [{"lead": 3, "lens": True, "device": "cuda"}],
    "it is not known to work on the device 'xpu'": [{"device": "xpu"}],
    "it gives no gradients on a CPU": [
        {"device": "cpu", "grad": True},
        {"device": "cpu", "bias": BIAS.clone().requires_grad_()},
    ],
    "a gradient of the bias is asked for": [
        {"device": "cuda", "bias": BIAS.clone().requires_grad_()}
    ],
    "compiled, it takes no float64 and no width below 16": [
        {"device": "cuda", "dtype": torch.float64},
        {"device": "cuda", "width": (8, 16)},
        {"device": "cuda", "width": (16, 8)},
    ],
    "fewer than 2^26 scores: to compile takes longer": [{"device": "cpu"}],
}


def refusals(table):
    return [(why, case) for why, cases in table.items() for case in cases]


def asked(case, monkeypatch, device):
    monkeypatch.setattr(options, "is_there", lambda module: module != case.get("missing"))
    width = case.get("width", (16, 16))
    changed = {"dtype": case.get("dtype", torch.float32)}
    changed["requires_grad"] = case.get("grad", False)
    lead = (2,) * case.get("lead", 1)
    q, k, v = (
        place(x, case.get("device", device), **changed, shape=torch.Size((*lead, *x.shape[1:3], w)))
        for x, w in ((Q, width[0]), (K, width[0]), (V, width[1]))
    )
    q.ndim = len(q.shape)
    lens = torch.tensor([1, 2]) if case.get("lens") else None
    named = {name: case.get(name) for name in ("bias", "rule", "mask")}
    given = options_of(Q, K, alibi=case.get("alibi", False), valid_lens=lens, **named)
    return q, k, v, given


@pytest.mark.parametrize(("why", "case"), refusals(KERNELS))
def test_what_the_kernels_refuse_on_a_gpu(monkeypatch, why, case):
    assert implementations.kernels_refuse(*asked(case, monkeypatch, "cuda")) == why
    if why == "its backward pass takes no bias":
        with torch.no_grad():
            assert implementations.kernels_refuse(*asked(case, monkeypatch, "cuda")) is None


@pytest.mark.parametrize(("why", "case"), refusals(FLEX))
def test_what_flexattention_refuses(monkeypatch, why, case):
    assert implementations.flex_refuses(*asked(case, monkeypatch, "cpu")) == why


@pytest.mark.parametrize(("n", "worth"), [(2**13, True), (2**13 - 1, False)])
def test_flexattention_is_compiled_from_so_many_scores(monkeypatch, n, worth):
    """As many as queries of all heads and batches, times keys."""
    given = asked({}, monkeypatch, "cpu")
    given[0].shape, given[1].shape = torch.Size((2, 4, 2**10, 16)), torch.Size((2, 2, n, 16))
    monkeypatch.setenv("CXX", "sh")
    assert (implementations.flex_refuses(*given) is None) == worth
    monkeypatch.setenv("CXX", "no-such-compiler")
    said = implementations.flex_refuses(*given)
    assert said == "it needs a C++ compiler, and no-such-compiler is missing" or not worth
    monkeypatch.delenv("CXX")
    monkeypatch.setattr(implementations.shutil, "which", lambda name: name == "g++")
    assert (implementations.flex_refuses(*given) is None) == worth


def test_sdpa_and_the_readable_form_refuse_the_cap_and_nothing():
    for softcap, why in ((None, None), (2.0, "it cannot bend the scores: softcap is given")):
        assert implementations.sdpa_refuses(Q, K, V, options_of(Q, K, softcap=softcap)) == why
        assert implementations.readable_refuses(Q, K, V, options_of(Q, K, softcap=softcap)) is None


@pytest.mark.parametrize(
    ("sizes", "named", "masked", "triangle"),
    [
        ((5, 5), {}, False, False),
        ((5, 5), {"causal": True}, False, True),
        ((3, 5), {"causal": True}, True, False),  # whose triangle would be at the other corner
        ((5, 3), {"causal": True}, True, False),
        ((1, 5), {"causal": True}, False, False),  # one query sees all
        ((1, 1), {"causal": True}, False, False),
        ((2, 2), {"causal": True}, False, True),
        ((1, 5), {"causal": True, "window": 2}, True, False),
        ((5, 5), {"causal": True, "window": 2}, True, False),
        ((5, 5), {"causal": True, "lens": True}, True, False),
        ((1, 5), {"causal": True, "lens": True}, True, False),
        ((5, 5), {"lens": True}, True, False),
        ((5, 5), {"causal": True, "bias": True}, True, False),
        ((5, 5), {"causal": True, "alibi": True}, True, False),
        ((5, 5), {"rule": rules.causal()}, False, True),
        ((5, 5), {"rule": rules.causal() & rules.prefix(3)}, False, True),
        ((5, 5), {"rule": rules.prefix(3)}, True, False),
        ((1, 5), {"rule": rules.sliding_window(1, 1)}, True, False),
        ((5, 5), {"bias": True}, False, False),
        ((5, 5), {"alibi": True}, False, False),
    ],
)
def test_sdpa_is_given_a_mask_only_where_it_needs_one(sizes, named, masked, triangle):
    q, k, _ = Case(arrays(*sizes), {}).tensors()
    given = {"valid_lens": torch.tensor([1, 2])} if named.get("lens") else {}
    given |= {"bias": torch.zeros(sizes)} if named.get("bias") else {}
    given |= {name: named[name] for name in {"causal", "window", "alibi", "rule"} & set(named)}
    found = implementations.sdpa_options(q, k, options_of(q, k, **given, scale=0.3))
    assert (found["mask"] is not None, found["is_causal"]) == (masked, triangle)
    assert (found["bias"] is not None) == bool(named.get("bias") or named.get("alibi"))
    assert found["scale"] == 0.3


@pytest.mark.parametrize(
    ("given", "rows"),
    [
        ({"valid_lens": torch.tensor([1, 2])}, 1),
        ({"valid_lens": torch.tensor([[1, 2, 3, 1, 2], [3, 3, 3, 3, 3]])}, 5),
        ({"valid_lens": torch.tensor([1, 2]), "causal": True, "window": 1}, 5),
        ({"valid_lens": torch.tensor([1, 2]), "causal": True}, 5),
        ({"valid_lens": torch.tensor([1, 2]), "mask": torch.ones(5, 5, dtype=torch.bool)}, 5),
    ],
)
def test_a_mask_has_one_row_where_all_queries_see_the_same_keys(given, rows):
    """SDPA makes a number of each of its entries: n_q times as many would lie in memory."""
    q, k, _ = Case(arrays(5, 5), {}).tensors()
    assert implementations.sdpa_options(q, k, options_of(q, k, **given))["mask"].shape[-2] == rows


def test_the_kernels_are_given_all_as_it_is_and_no_gradient_of_a_bias(monkeypatch):
    given = []
    stand_in = types.SimpleNamespace(flash_attention=lambda *x, **y: given.append((x, y)) or x[0])
    monkeypatch.setitem(sys.modules, "attnbook.kernels", stand_in)
    bias = torch.randn(3, 5, requires_grad=True)
    assert implementations.by_kernels(Q, K, V, options_of(Q, K, bias=bias)) is Q
    ((tensors, named),) = given
    assert all(x is y for x, y in zip(tensors, (Q, K, V), strict=True))
    assert named["bias"].shape == (1, 1, 3, 5) and not named["bias"].requires_grad
    assert torch.equal(named["bias"][0, 0], bias)
    implementations.by_kernels(Q, K, V, options_of(Q, K))
    assert given[1][1] == dict.fromkeys(("softcap", "bias", "scale")) | {"rule": rules.Rule()}
    implementations.by_kernels(Q, K, V, options_of(Q, K, bias=bias, alibi=True))
    assert given[2][1]["bias"].shape == (1, 4, 3, 5)
    assert given[2][1]["bias"][0, 0, 0, 1] == bias[0, 1] - 2.0**-2  # ALiBi's, and what is given
    rule, numbers = rules.prefix(2) & rules.sliding_window(2, 1), {"softcap": 4.0, "scale": 0.5}
    implementations.by_kernels(Q, K, V, options_of(Q, K, rule=rule, causal=True, **numbers))
    assert given[3][1] == numbers | {"bias": None, "rule": rules.causal() & rule}


DOCUMENTS = np.array([[0, 1, 1], [0, 0, 2]]), np.array([[0, 0, 1, 1, 2], [2, 1, 2, 0, 2]])
OPTIONS = {
    "nothing": {},
    "causal": {"causal": True},
    "window": {"causal": True, "window": 1},
    "lengths": {"valid_lens": np.array([2, 4])},
    "window on both sides": {"rule": [("sliding_window", 1, 1)]},
    "prefix": {"rule": [("prefix", 4)]},
    "documents": {"rule": [("documents", *DOCUMENTS)]},
    "mask": {"mask": (rng.random((2, 1, 3, 5)) < 0.5) | (np.arange(5) == 0)},
    "mask of each head": {"mask": (rng.random((1, 4, 1, 5)) < 0.7) | (np.arange(5) == 0)},
    "cap": {"softcap": 2.0},
    "bias": {"bias": rng.standard_normal((3, 5))},
    "bias of each head": {"bias": rng.standard_normal((1, 4, 1, 5))},
    "alibi": {"alibi": True},
    "scale": {"scale": 0.7},
    "all": {"causal": True, "window": 2, "valid_lens": np.array([4, 5]), "softcap": 2.0,
            "bias": rng.standard_normal((3, 5)), "alibi": True, "scale": 0.7},
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize(
    "call", [implementations.by_flex, implementations.by_sdpa, implementations.readable]
)
def test_each_program_by_itself_has_the_answer_of_the_reference(monkeypatch, call, name):
    """FlexAttention is not compiled here: its rules and changes are."""
    if call is implementations.by_sdpa and "softcap" in OPTIONS[name]:
        return
    monkeypatch.setattr(implementations, "_compiled_flex", lambda: flex_attention)

    def attend(q, k, v, **named):
        return call(q, k, v, options_of(q, k, **named))

    assert_answers(attend, Case(arrays(3, 5), OPTIONS[name]))
    alike = not {"valid_lens", "rule", "mask"} & set(OPTIONS[name])
    if alike and call is not implementations.readable:
        bias = OPTIONS[name].get("bias", np.zeros(2))
        more = {"bias": bias[None]} if bias.ndim == 4 else {}
        assert_answers(attend, Case(arrays(3, 5, lead=(2, 1)), OPTIONS[name] | more))


def test_the_blocks_of_flexattention_are_of_each_batch_only_where_it_is_told_apart(monkeypatch):
    made, given = [], []
    monkeypatch.setattr(
        implementations, "create_block_mask", lambda rule, *x, device: made.append((*x, device))
    )
    stand_in = lambda q, k, v, **named: given.append(named) or q  # noqa: E731
    monkeypatch.setattr(implementations, "_compiled_flex", lambda: stand_in)
    for named in ({}, {"causal": True}, {"valid_lens": torch.tensor([1, 2])}, {"softcap": 2}):
        implementations.by_flex(Q, K, V, options_of(Q, K, **named))
    cpu = torch.device("cpu")
    assert made == [(None, None, 3, 5, cpu), (2, None, 3, 5, cpu)]
    assert [each["score_mod"] is None for each in given] == [True, True, True, False]
    assert all(each["enable_gqa"] for each in given)
    implementations.by_flex(Q, Q, Q, options_of(Q, Q))
    assert not given[-1]["enable_gqa"]
    made.clear()
    packed = rules.documents(torch.zeros(2, 3, dtype=int), torch.zeros(2, 5, dtype=int))
    masks = (torch.ones(sizes, dtype=bool) for sizes in ((3, 5), (2, 1, 3, 5), (1, 4, 1, 5)))
    for named in ({"rule": packed}, {"rule": rules.prefix(2)}, *({"mask": x} for x in masks)):
        implementations.by_flex(Q, K, V, options_of(Q, K, **named))
    told_apart = (2, None), (None, None), (None, None), (2, None), (None, 4)
    assert [each[:2] for each in made] == list(told_apart)


def test_without_gradients_flexattention_is_given_none_to_keep(monkeypatch):
    given = []
    monkeypatch.setattr(
        implementations, "_compiled_flex", lambda: lambda *x, **y: given.append(x) or x[0]
    )
    leaf = Q.clone().requires_grad_()
    with torch.no_grad():
        implementations.by_flex(
            leaf, K.clone().requires_grad_(), V.clone().requires_grad_(), options_of(Q, K)
        )
    assert not any(x.requires_grad for x in given[0])
    implementations.by_flex(leaf, K, V, options_of(Q, K))
    assert given[1][0].requires_grad
