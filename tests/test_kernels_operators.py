"""The kernels as PyTorch sees them: operators, gradients, compilers, and what they refuse."""

import contextlib
import functools
import itertools
import os
import subprocess
import sys
import types
from pathlib import Path

import pytest
import torch
from kernel_oracle import drawn

from attnbook.kernels import (
    configurations,
    decode_attention,
    decode_attention_with_lse,
    flash_attention,
    flash_attention_backward,
    flash_attention_with_lse,
    launch,
)
from attnbook.kernels.arguments import KernelOptions
from attnbook.kernels.configurations import INTERPRETED, choices_for
from attnbook.kernels.operators import attend, attend_backward
from attnbook.pytorch import rules
from attnbook.pytorch.options import KERNEL_WIDTHS

import triton
from triton.runtime import _allocation

Q, K, V, GRAD = drawn((1, 2, 5, 16), (1, 1, 7, 16), count=4)
OPTIONS = KernelOptions(0.25, causal=True)
INTERVALS = (
    torch.tensor([0, 5]).repeat_interleave(Q.shape[2]).reshape(1, 2, -1).repeat(len(Q), 1, 1)
)
ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("intervals", [None, INTERVALS])
def test_the_operators_are_what_they_say_they_are(intervals):
    given, options = (
        [x.clone().requires_grad_() for x in (Q, K, V)],
        OPTIONS._replace(intervals=intervals),
    )
    kinds = "test_schema", "test_autograd_registration", "test_faketensor"
    torch.library.opcheck(attend, (*given, *options), test_utils=kinds)
    out, lse = attend(Q, K, V, *options)
    torch.library.opcheck(
        attend_backward, (GRAD, None, Q, K, V, out, lse, False, *options), test_utils=kinds
    )


def test_a_compiler_keeps_them_whole():
    seen = []

    def keep(graph, inputs):
        seen.extend(str(node.target) for node in graph.graph.nodes)
        return graph.forward

    def loss(q, k, v):
        return flash_attention(q, k, v, causal=True).square().sum()

    compiled = torch.compile(loss, backend=keep, fullgraph=True)
    assert torch.equal(compiled(Q, K, V), loss(Q, K, V))
    assert "attnbook.flash_attention.default" in seen


def test_gradients_pass_through_a_compiler_under_a_rule():
    given = [x.clone().requires_grad_() for x in (Q, K, V)]
    attend = functools.partial(flash_attention, rule=rules.sliding_window(3, 2))
    ours = torch.autograd.grad(
        torch.compile(attend, backend="aot_eager", fullgraph=True)(*given), given, GRAD
    )
    for x, right in zip(ours, torch.autograd.grad(attend(*given), given, GRAD), strict=True):
        torch.testing.assert_close(x, right)


def test_gradients_pass_through_a_compiler():
    given = [x.clone().requires_grad_() for x in (Q, K, V)]
    compiled = torch.compile(flash_attention, backend="aot_eager", fullgraph=True)
    ours = torch.autograd.grad(compiled(*given), given, GRAD)
    right = torch.autograd.grad(flash_attention(*given), given, GRAD)
    assert all(torch.equal(a, b) for a, b in zip(ours, right, strict=True))


def test_gradients_of_gradients_are_refused():
    given = [x.clone().requires_grad_() for x in (Q, K, V)]
    grads = torch.autograd.grad(flash_attention(*given), given, GRAD, create_graph=True)
    with pytest.raises(NotImplementedError, match="no gradients of gradients"):
        torch.autograd.grad(grads[0].sum(), given)


def test_a_bias_that_asks_for_a_gradient_is_refused():
    bias = torch.zeros(5, 7, requires_grad=True)
    with pytest.raises(NotImplementedError, match=r"bias asks for a gradient; .* bias.detach\(\)"):
        flash_attention(Q, K, V, bias=bias)
    with torch.no_grad():
        flash_attention(Q, K, V, bias=bias)


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"k": K.half()}, TypeError, "k is float16 tensor .*; expected float32, as q has"),
        ({"q": Q.double()}, TypeError, "expected float16, bfloat16 or float32"),
        ({"k": K[..., :8]}, TypeError, r"k is float32 tensor .*; expected shape \(.*, 16\)"),
        ({"v": V[:, :, 1:]}, TypeError, r"v is float32 tensor .*; expected shape \(.*\)"),
        ({"softcap": 0}, ValueError, "softcap is 0; expected a finite number above 0"),
        ({"window": -1}, ValueError, "window is -1; expected 0 or more"),
        ({"window": 3}, ValueError, "window is 3 and causal is False; expected causal=True"),
        ({"valid_lens": torch.tensor([8])}, ValueError, "valid_lens has 8; expected 0 to n_k = 7"),
        ({"valid_lens": torch.tensor([1, 2])}, ValueError, "has 2 lengths; expected 1, the batch"),
        ({"valid_lens": torch.tensor([1.0])}, TypeError, "valid_lens is float32 tensor"),
        ({"bias": torch.zeros(4, 7)}, (TypeError, ValueError), "bias is float32 tensor"),
        ({"bias": torch.zeros(3, 1, 5, 7)}, ValueError, r"bias is .*; expected \(1, 2, 5, 7\)"),
        ({"is_causal": True}, TypeError, "is_causal"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_sentence(change, kind, message):
    given = {"q": Q, "k": K, "v": V} | change
    with pytest.raises(kind, match=message) as refused:
        flash_attention(**given)
    assert "\n" not in str(refused.value)


FUNCTIONS = {
    "flash_attention": flash_attention,
    "flash_attention_with_lse": flash_attention_with_lse,
    "decode_attention": decode_attention,
    "decode_attention_with_lse": decode_attention_with_lse,
    "flash_attention_backward": flash_attention_backward,
}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"valid_lens": torch.tensor([8])}, "valid_lens has 8; expected 0 to n_k = 7"),
        ({"softcap": 0}, "softcap is 0; expected a finite number above 0"),
        ({"k": K.half()}, "k is float16 tensor of shape (1, 1, 7, 16); expected float32, as q has"),
    ],
)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_refusal_begins_with_the_name_of_the_function(name, wrong, said):
    given = {"q": Q, "k": K, "v": V}
    if name == "flash_attention_backward":
        given |= {"grad_out": GRAD, "out": GRAD, "lse": GRAD[..., 0]}
    with pytest.raises((TypeError, ValueError)) as refused:
        FUNCTIONS[name](**given | wrong)
    assert str(refused.value) == f"{name}: {said}"


def test_a_mask_leads_to_a_rule_and_to_what_takes_a_mask():
    way = "mask is here rule (and attnbook.fused.attention takes a mask)"
    with pytest.raises(TypeError) as refused:
        flash_attention(Q, K, V, mask=torch.ones(5, 7, dtype=torch.bool))
    assert str(refused.value).endswith(f"{way}, or bias, -inf where a query may not look")
    with pytest.raises(TypeError) as refused:
        flash_attention_backward(GRAD, Q, K, V, GRAD, GRAD[..., 0], mask=None)
    assert str(refused.value).endswith(way)


@pytest.mark.parametrize("shape", [(2, 3), (), (0,), (1, 1), (2,)])
@pytest.mark.parametrize(("n_q", "n_k"), [(0, 5), (5, 0), (0, 0), (5, 7)])
def test_nothing_is_an_answer_with_any_axes_in_front(shape, n_q, n_k):
    q, k = torch.ones(*shape, 2, n_q, 16), torch.ones(*shape, 1, n_k, 16)
    bias = torch.zeros(*shape, 2, n_q, n_k)
    out, lse = flash_attention_with_lse(q, k, k, bias=bias)
    for found in (out, flash_attention(q, k, k), decode_attention(q, k, k)):
        assert found.shape == q.shape and (found == bool(n_k)).all()
    for atomic in (False, True):
        grads = flash_attention_backward(out, q, k, k, out, lse, atomic=atomic)
        assert [x.shape for x in grads] == [q.shape, k.shape, k.shape]
        assert n_q * n_k or all((x == 0).all() for x in grads)


def test_memory_that_others_gave_to_triton_is_theirs_again(monkeypatch):
    """A launch on a GPU gives Triton memory for descriptors, and takes it back."""
    seen, device = [], torch.device("cuda", 0)

    class Kernel:
        def __getitem__(self, grid):
            return lambda **arguments: seen.append(_allocation._allocator.get())

    def theirs(size, alignment, stream):
        raise AssertionError

    monkeypatch.setattr(launch, "is_interpreting", lambda: False)
    monkeypatch.setattr(torch.cuda, "device", contextlib.nullcontext)
    triton.set_allocator(theirs)
    launch.start(Kernel(), 1, INTERPRETED, q=types.SimpleNamespace(device=device))
    assert seen[0] is not theirs and _allocation._allocator.get() is theirs


@pytest.mark.parametrize("width", [0, 257])
def test_other_widths_are_refused(width):
    q, k, v = drawn((1, 1, 2, width), (1, 1, 3, width))
    with pytest.raises(ValueError, match=f"q has {width} features; expected 1 to 256"):
        flash_attention(q, k, v)


def test_heads_that_do_not_divide_are_refused():
    q, k, v = drawn((1, 3, 2, 16), (1, 2, 3, 16))
    with pytest.raises(ValueError, match="k has 2 heads; expected a divisor of the 3 heads of q"):
        flash_attention(q, k, v)


def test_another_width_of_values_is_refused():
    with pytest.raises(TypeError, match="v is float32 tensor"):
        flash_attention(Q, K, torch.cat([V, V], dim=-1))


def test_arguments_are_left_as_they_were():
    tensors = [x.clone() for x in (Q, K, V, GRAD)]
    out, lse = flash_attention_with_lse(*tensors[:3], scale=-1)
    kept = [x.clone() for x in (out, lse)]
    flash_attention_backward(tensors[3], *tensors[:3], out, lse, scale=-1)
    before = [Q, K, V, GRAD, *kept]
    assert all(torch.equal(a, b) for a, b in zip([*tensors, out, lse], before, strict=True))


def test_autocast_brings_the_dtype():
    with torch.autocast("cpu", torch.bfloat16):
        out, lse = flash_attention_with_lse(Q, K, V)
    assert (out.dtype, lse.dtype) == (torch.bfloat16, torch.float32)


CHIPS = (8, 0), (9, 0), (10, 0), (12, 0), (-1, 0)
WORDS = {
    "forward": ("bias", "intervals", "softcap", "whole"),
    "keys": ("bias", "intervals", "softcap", "grouped", "atomic"),
    "queries": ("bias", "intervals", "softcap", "grouped", "atomic"),
}


def calls():
    """Every kind of call: the kernel, width and dtype, and which words hold."""
    for kernel, words in WORDS.items():
        for width, wide, *held in itertools.product(
            KERNEL_WIDTHS, *[[False, True]] * (len(words) + 2)
        ):
            dtype = torch.float32 if wide else torch.bfloat16
            yield (kernel, width, dtype), dict(zip(("aligned", *words), held, strict=True))


@pytest.mark.parametrize("chip", CHIPS)
def test_every_kernel_has_a_configuration_for_every_width_and_kind_of_call(chip):
    for call, variant in calls():
        for c in choices_for(chip, *call, **variant):
            assert not c.tma or (variant["aligned"] and not variant["bias"])
            assert not c.specialize or (c.tma and call[0] == "forward" and variant["whole"])


def unused(table, monkeypatch):
    """How many cells of a table no call on any GPU gets, since rows above them take all."""
    number = itertools.count()
    rows = [(*row, {width: (next(number), 0, 0, 0) for width in cells}) for *row, cells in table]
    monkeypatch.setattr(configurations, "TILES", rows)
    found = [choices_for(chip, *call, **variant) for chip in CHIPS for call, variant in calls()]
    return next(number) - len({c.rows for (c,) in found})


def test_every_cell_of_the_table_is_of_use(monkeypatch):
    table = configurations.TILES
    assert unused(table, monkeypatch) == 0
    assert unused(table[::-1], monkeypatch) > 0  # the rows for any variant first


def ran(code, **environment):
    """A Python of its own that knows nothing of Triton yet."""
    known = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "code"), "HOME": "/nowhere"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=known | environment, capture_output=True, text=True)
    return done.stdout + done.stderr


@pytest.mark.skipif(torch.cuda.is_available(), reason="compiled for the GPU here")
def test_triton_that_was_imported_to_compile_is_refused_in_one_sentence():
    said = ran("import triton, attnbook.kernels")
    assert "ImportError: triton was imported before attnbook.kernels" in said


def test_without_triton_one_sentence_says_so():
    said = ran("import sys; sys.modules['triton'] = None; import attnbook.kernels")
    assert "ImportError: attnbook.kernels needs Triton" in said


@pytest.mark.skipif(torch.cuda.is_available(), reason="compiled for the GPU here")
def test_kernels_to_be_compiled_are_not_run_without_a_gpu():
    code = "import torch; x = torch.ones(1, 1, 1, 16); from attnbook import kernels; "
    said = ran(code + "kernels.flash_attention(x, x, x)", TRITON_INTERPRET="0")
    assert "ValueError: flash_attention: q is on cpu; expected a GPU" in said
