"""Kernels with one mistake in one line, each rejected by one of a few small cases."""

import dataclasses
import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from kernel_oracle import definition, drawn, gradients, never_set

from attnbook import kernels
from attnbook.exercises.engine.edits import changed
from attnbook.kernels.arguments import options as resolve
from attnbook.kernels.configurations import INTERPRETED
from attnbook.pytorch import rules
from attnbook.pytorch.options import Options

from triton.runtime import interpreter

SOURCE = Path(kernels.__file__).parent
MODULES = (
    "arguments", "backward_keys", "backward_queries", "configurations",
    "decode_configurations", "delta", "forward", "hidden", "interpreter", "launch", "online",
    "order", "scores", "splits", "tiles", "visible",
)  # fmt: skip
MISTAKES = {
    "forward": [
        "acc * rescale[:, None] → acc",
        "acc / l[:, None] → acc",
        "k_strides, batch, head // group → k_strides, batch, head % (n_heads // group)",
        "v_strides, batch, head // group → v_strides, batch, head % (n_heads // group)",
        "index // n_heads, index % n_heads, block → index % n_batch, index // n_batch, block",
        "MASK != NONE or PADDED → MASK != NONE",
        "window is not None or MASK == INTERVALS → window is not None",
        "rows_of(v, first → rows_of(k, first",
        'scores = tl.where(visible, scores, -float("inf")) → scores = scores',
    ],
    "online": [
        "l * rescale + tl.sum(weights, 1) → l + tl.sum(weights, 1)",
        "return m_new, l * rescale → return m, l * rescale",
        "tl.maximum(m, tl.max(scores, 1) * unit) → tl.max(scores, 1) * unit",
        'tl.where(m_new == -float("inf"), 0.0, m_new) → m_new',
        "scores * unit - shift[:, None] → scores - shift[:, None]",
        "(m + tl.log2(l)) * LN_2 → m + tl.log2(l)",
        "(m + tl.log2(l)) * LN_2 → tl.log2(l) * LN_2",
        "tl.where(l == 0, 1.0, l) → l",
    ],
    "visible": [
        "tl.load(valid_lens + batch) → tl.load(valid_lens)",
        "end = tl.minimum(end, own + 1) → end = tl.minimum(end, own)",
        "own, end = rows + mask.n_k - mask.n_q → own, end = rows",
        "(keys >= own - mask.window) → (keys > own - mask.window)",
        "tl.maximum(nearest + 1, 0) → tl.maximum(farthest + 1, 0)",
        "tl.maximum(farthest + 1, 0) → tl.maximum(farthest, 0)",
        "tl.maximum(nearest - mask.window, 0) → tl.maximum(farthest - mask.window, 0)",
        "tl.maximum(farthest - mask.window, 0) → tl.maximum(nearest - mask.window, 0)",
        "tl.maximum(last + mask.window → tl.maximum(first + mask.window",
        "tl.maximum(first + mask.window → tl.maximum(last + mask.window",
        "tl.minimum(tl.maximum(first, 0), end) → tl.minimum(tl.maximum(last, 0), end)",
        "tl.minimum(tl.maximum(last, 0), end) → tl.minimum(tl.maximum(first, 0), end)",
        ("first = tl.load(mask.intervals + rows, mask=rows < mask.n_q, other=0) → "
            "first = tl.load(mask.intervals + 0 * rows, mask=rows < mask.n_q, other=0)"),
        "(first <= keys) & (keys < end) → (first <= keys) & (keys <= end)",
        "(first <= keys) & (keys < end) → (keys < end)",
        "batch.to(tl.int64) * 2 → 0 * batch.to(tl.int64)",
        "full_begin = tl.max(tl.where → full_begin = tl.min(tl.where",
        "full_end = tl.min(tl.where → full_end = tl.max(tl.where",
        "tl.max(last, 0) → tl.min(last, 0)",
        "2 * mask.n_q + first_key // KEYS → 2 * mask.n_q",
        "tl.load(of_block + tl.cdiv(mask.n_k, KEYS)) → tl.load(of_block)",
        "2 * (n_q + tl.cdiv(n_k, KEYS)) → 2 * (n_q + n_k // KEYS)",
        "end = tl.load(mask.intervals + mask.n_q + rows → end = tl.load(mask.intervals + rows",
        "tl.min(first, 0) // KEYS → tl.max(first, 0) // KEYS",
        "begin // ROWS * ROWS, end, end, end → begin // ROWS * ROWS, begin, end, end",
        ("tl.maximum(tl.cdiv(tl.minimum(full_begin, end), KEYS) → "
            "tl.maximum(tl.minimum(full_begin, end) // KEYS"),
        "torch.where(seen, group + 1, 0) → torch.where(seen, group, 0)",
        "torch.where(seen, group, n_groups) → torch.where(seen, group + 1, n_groups)",
        "(blocks < end[..., None]) → (blocks + size < end[..., None])",
        "[intervals.flatten(1), first, end] → [intervals.flatten(1), end, first]",
    ],
    "scores": [
        "1 - capped * capped → 1.0",
        "scoring.softcap * capped, LOG2_E → capped, LOG2_E",
        "products, scoring.scale * LOG2_E, 1.0 → products, scoring.scale, 1.0",
        ("(products * scoring.scale if scoring.softcap is None else scores) + added → "
            "scores + added"),
        "tl.where(x < 0, -size, size) → size",
        "keys.to(tl.int64) * strides[3] → keys.to(tl.int64)",
    ],
    "tiles": [
        "head.to(tl.int64) * strides[1] → head.to(tl.int64) * strides[0]",
        "rows.to(tl.int64) * head.stride → rows.to(tl.int64) * TILE.D",
        "[stride, 1] → [TILE.D, 1]",
    ],
    "delta": [
        "total -= tl.load(grad_lse → total += tl.load(grad_lse",
        "tl.sum(grad * result.to(tl.float32), 1) → tl.sum(grad, 1)",
        "index * padded_len(n_q) + rows, total) → index * n_q + rows, total)",
        "shift + index * padded_len(n_q) → shift + index * n_q",
        "log_sum * LOG2_E → log_sum",
        "index // n_heads * grad_strides[0] → index % n_heads * grad_strides[0]",
    ],
    "backward_queries": [
        "(grad_weights - queries.delta[:, None]) → grad_weights",
        "delta[:, None]) * slope → delta[:, None])",
        "result * scale → result",
        "weights = tl.where(visible, weights, 0.0) → weights = weights",
        "MASK != NONE or PADDED → MASK != NONE",
        "window is not None or MASK == INTERVALS → window is not None",
    ],
    "backward_keys": [
        "range(group) → range(1)",
        "n_shared * group + member → n_shared + member",
        "write(state[0] * scale → write(state[0]",
        "tl.where(keys < mask.n_valid, x, 0.0) → x",
        "MASK != NONE or (PADDED and → (PADDED and",
        " or (PADDED and grad_q is not None) → ",
        "(first < full_begin) | (first → (first",
        "(first >= full_end) | past → past",
        "(first >= full_end) | past → (first >= full_end)",
        "tl.dot(k.T, grad_scores, → tl.dot(v.T, grad_scores,",
        "(grad_weights - delta_block) → grad_weights",
        "tl.where(sees(rows, keys, mask, MASK), weights, 0.0) → weights",
        "index * n_q * TILE.D → 0 * n_q * TILE.D",
    ],
    "order": [
        "n_blocks - 1 - block → n_blocks - block",
        "first_head + in_wave % here → in_wave % here",
    ],
    "launch": [
        "torch.zeros_like(grads[0] → torch.ones_like(grads[0]",
        ("from attnbook.pytorch.products import positive → "
            "positive = lambda scale: (abs(scale), 1) if scale else (1.0, 0)"),
        "torch.mul(total, scale, → torch.mul(total, 1,",
    ],
}  # fmt: skip
MARGIN = 2**16
ONE_BY_ONE = [(file, mistake) for file, mistakes in MISTAKES.items() for mistake in mistakes]


def amid(x):
    """The same tensor amid others' memory, of which a mistake reads."""
    memory = torch.full((x.numel() + 2 * MARGIN,), 9.0)
    memory[MARGIN:-MARGIN] = x.flatten()
    return memory[MARGIN:-MARGIN].view(x.shape)


def apart(x, odd):
    """The same tensor with its heads inside, and rows that tensor descriptors can not describe."""
    wide = torch.nn.functional.pad(x, (0, odd)).transpose(1, 2).contiguous().transpose(1, 2)
    return wide[..., : x.shape[-1]]


def cases():
    """The tensors of each case, its options, the form of its backward pass, and its blocks.

    Those in which most mistakes show come first.
    """
    rng = torch.Generator().manual_seed(1)
    lens, bias = torch.tensor([70, 0]), torch.randn(4, 70, generator=rng)
    below = [5 * x.abs() for x in drawn((1, 1, 9, 16), (1, 1, 33, 16), count=4)]
    below[1] = -4 * below[1]
    several, large = drawn((2, 2, 70, 16), (2, 1, 83, 16), count=4), (1, 2, 97, 16)
    strided = [apart(x, 1) for x in drawn((2, 2, 83, 16), (2, 1, 70, 16), count=4)]
    grouped = [apart(x, 0) for x in drawn((1, 4, 20, 16), (1, 2, 45, 16), count=4)]
    documents = torch.tensor([[0, 0, 1, 3, 2], [0, 1, 2, 3, 2]]).repeat_interleave(14, dim=1)
    of_keys = torch.tensor([[0, 1, 2], [0, 1, 1]]).repeat_interleave(28, dim=1)[:, :83]
    rule = rules.documents(documents, of_keys) & rules.sliding_window(60, 30)
    yield [amid(x) for x in several], {"causal": True, "valid_lens": lens}, False, LARGE
    yield [amid(x) for x in several], {"rule": rule}, False, SMALL
    yield grouped, {"scale": -0.3, "bias": bias[:4, :20, None][None]}, True, LARGE
    yield strided, {"softcap": 1.5, "bias": bias[None, :2, None]}, False, LARGE
    near = {"causal": True, "window": 50}
    yield [amid(x) for x in drawn(large, large, count=4)], near, False, SMALL
    yield below, {}, True, LARGE
    yield [amid(x) for x in several], {"rule": rules.prefix(40)}, True, LARGE


@pytest.fixture(scope="module")
def answers():
    """What is right in each case, and what it was computed from."""
    return list(expected())


def expected():
    for (q, k, v, grad_out), options, atomic, blocks in cases():
        out, lse, _ = definition(q, k, v, **options)
        seen = torch.isfinite(torch.from_numpy(lse))
        grad_lse = torch.where(seen, grad_out[..., 0], 0.0)
        grads = gradients(grad_out, q, k, v, grad_lse, **options)
        right = [out, np.where(seen, lse, 0), *(x.numpy() for x in grads)]
        out, lse = (torch.from_numpy(x).float() for x in (out, lse))
        yield (q, k, v, grad_out, out, lse), options, atomic, blocks, seen, grad_lse, right


LARGE = {}, {}
SMALL = {"rows": 16, "keys": 16}, {"rows": 16, "keys": 32}


def ways(file=None):
    """Which passes a mistake in this file can be seen in: forward, backward or both."""
    if file in ("delta", "backward_keys", "backward_queries"):
        return ["backward"]
    return ["forward"] if file in ("forward", "online") else ["forward", "backward"]


def found(answers, launch, file):
    """What a launcher gives in each case, and what is right: all outputs first, then gradients.

    The gradients are those of the right output and log-sum, so that a pass stands for itself.
    """
    for way in ways(file):
        for tensors, options, atomic, blocks, seen, grad_lse, right in answers:
            q, k, v, grad_out, out, lse = tensors
            given = resolve(q, k, Options(**options))
            there, back = (INTERPRETED._replace(tma=q.stride(2) % 4 == 0, **x) for x in blocks)
            if way == "forward":
                out, lse = launch.forward(q, k, v, given, there)
                assert torch.equal(torch.isfinite(lse), seen)
                yield (out, torch.where(seen, lse, 0)), right[:2]
            else:
                more = given, grad_lse, atomic, (back, back)
                yield launch.backward(grad_out, q, k, v, out, lse, *more), right[2:]


def is_near(ours, right):
    """What is right differs by 1e-6 of its largest number at most; or by 2e-5, where scores are
    far below zero.
    """
    return np.abs(ours.numpy() - right).max() <= 1e-4 * max(np.abs(right).max(), 1e-3)


def assert_right(answers, launch, file=None):
    """In each case that a mistake in this file can be seen in."""
    for both in found(answers, launch, file):
        assert all(is_near(*pair) for pair in zip(*both, strict=True))


def copied(folder, name, file=None, change=""):
    """The launcher of a copy of the kernels, with one text in one file replaced by another."""
    (folder / name).mkdir()
    (folder / name / "__init__.py").touch()
    for module in MODULES:
        text = (SOURCE / f"{module}.py").read_text(encoding="utf-8")
        if module == file:
            text = changed(text, change)
        text = text.replace("from attnbook.kernels", f"from {name}")
        (folder / name / f"{module}.py").write_text(text, encoding="utf-8")
    return importlib.import_module(f"{name}.launch")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where copies go, of which no sum of integers is watched for overflow: a third of the time."""
    builder = interpreter.interpreter_builder
    unwatched = dataclasses.replace(builder.options, sanitize_overflow=False)
    monkeypatch.setattr(builder, "options", unwatched)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for module in [name for name in sys.modules if name.startswith("kernels_copy")]:
        del sys.modules[module]


def test_a_copy_without_a_mistake_is_right(folder, answers):
    assert_right(answers, copied(folder, "kernels_copy"))


@pytest.mark.parametrize("number", range(len(ONE_BY_ONE)))
def test_a_mistake_is_rejected(folder, answers, number):
    """By what it computes: one that cannot be computed would not show that a case can tell."""
    mistake = ONE_BY_ONE[number]
    launch = copied(folder, f"kernels_copy_{number}", *mistake)
    with pytest.raises(AssertionError):
        assert_right(answers, launch, mistake[0])


def test_every_field_of_a_rule_is_in_a_case():
    assert never_set(options for _, options, *_ in cases()) == set()


def test_there_are_different_mistakes_and_in_every_file_that_computes():
    assert len(set(ONE_BY_ONE)) == len(ONE_BY_ONE)
    others = {"arguments", "configurations", "hidden", "interpreter"}  # and those of decoding
    others |= {"decode_configurations", "splits"}
    assert set(MODULES) - set(MISTAKES) == others
