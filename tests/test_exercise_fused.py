"""What FLASH, FlexAttention and its compiler want of an answer is asked of it, and told."""

import re

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from attnbook import exercises
from attnbook.exercises.engine.settings import plain_settings

FLASH = exercises.fused.for_flash


def text(exercise, *answer):
    return exercise.verdict(*answer).text


def by_scale(scale):
    def for_flash(q, k, v):
        return *FLASH.answer(q, k, v)[:3], scale(q.shape[-1])

    return for_flash


def test_a_scale_is_any_number_that_sdpa_takes():
    for number in (np.float64, lambda d: torch.tensor(d, dtype=torch.float64)):
        assert FLASH.verdict(by_scale(lambda d, n=number: n(d) ** -0.5)).state == "right"
    assert "expected a number" in text(FLASH, by_scale(str))
    assert "of float32" in text(FLASH, by_scale(lambda d: np.float32(d**-0.5)))


def changed(spoil):
    def for_flash(q, k, v):
        return *spoil(*FLASH.answer(q, k, v)[:3]), q.shape[-1] ** -0.5

    return for_flash


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda *x: [each.double() for each in x], "float32 came in, and float64 goes out"),
        (lambda *x: [each.bfloat16() for each in x], "float64 came in, and bfloat16 goes out"),
        (lambda q, k, v: (k, q, v), "each key has its value"),
        (lambda *x: [each.expand(2, -1, -1, -1) for each in x], "the first axis is the batch"),
        (lambda *x: [each.mT.contiguous().mT for each in x], "numbers of a row side by side"),
        (lambda *x: [each.to_sparse() for each in x], "NotImplementedError"),
        (lambda *x: [each[..., :64] for each in x], "70 or more"),
    ],
    ids=["double", "bfloat16", "exchanged", "two", "transposed", "sparse", "64"],
)
def test_what_flash_gets_is_told(spoil, said):
    assert said in text(FLASH, changed(spoil))


def test_who_writes_into_the_queries_is_told_so():
    def in_place(q, k, v):
        scale = q.shape[-1] ** -0.5
        q *= scale
        return *FLASH.answer(q, k, v)[:3], 1.0

    assert "changed its argument q" in text(FLASH, in_place)


def test_who_leaves_columns_in_memory_sees_the_arguments_of_the_stub_alone():
    def without_contiguous(q, k, v):
        width = max(q.shape[-1], v.shape[-1])
        wide = (
            x if x.shape[-1] == width else F.pad(x, (0, width - x.shape[-1])) for x in (q, k, v)
        )
        return *(x[None] for x in wide), q.shape[-1] ** -0.5

    told = text(FLASH, without_contiguous)
    assert "a row side by side, and in memory they lie [3, 4, 1] apart" in told
    assert re.findall(r"(\w+) = ", told) == ["q", "k", "v"]


def test_a_session_without_flash_changes_no_answer():
    with plain_settings():
        try:
            torch.backends.cuda.enable_flash_sdp(False)
            assert exercises.fused.which_flash.verdict([1, 0, 1, 1, 1, 0]).state == "right"
            assert FLASH.verdict(FLASH.answer).state == "right"
        finally:
            torch.backends.cuda.enable_flash_sdp(True)


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (lambda lens, b, j: j < lens, "look up valid_lens[b]"),
        (lambda lens, b, j: torch.stack([j < lens[b]] * 2), "numbers of shape (2,) at each place"),
        (lambda lens, b, j: np.abs(j) < lens[b], "leaves PyTorch"),
        (lambda lens, b, j: 0 <= j < lens[b], "a chain"),
    ],
    ids=["lengths", "several", "NumPy", "chain"],
)
def test_what_a_rule_does_that_vmap_refuses_is_told(rule, said):
    def window_rule(valid_lens, n_q, n_k, left):
        return lambda b, h, i, j: rule(valid_lens, b, j)

    assert said in text(exercises.flex_attention.window_rule, window_rule)


@pytest.mark.parametrize("shift", ["score", "query", "other"])
def test_a_change_that_writes_in_place_is_told_what_the_compiled_flex_refuses(shift):
    def sloped(n_heads, n_q, n_k):
        right = exercises.flex_attention.sloped.answer(n_heads, n_q, n_k)

        def change(s, b, h, i, j):
            if shift == "score":
                s += right(s, b, h, i, j) - s
                return s
            back = i + n_k - n_q if shift == "other" else i
            back += n_k - n_q if shift == "query" else -j
            return s - 2.0 ** (-8 * (h + 1) / n_heads) * abs(j - back)

        return change

    said = {"score": "writes into s", "query": "writes into i", "other": "in place"}
    assert said[shift] in text(exercises.flex_attention.sloped, sloped)


def found(q, k, v):
    s = (q / q.shape[-1] ** 0.5) @ k.mT
    e = (s - s.amax(-1, keepdim=True)).exp()
    return (e @ v) / e.sum(-1, keepdim=True)


def filled(q, k, v, mask):
    scores = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(~mask, -torch.inf)
    return scores.softmax(-1) @ v


def by_sdpa(q, k, v):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v)


def narrow(q, k, v, mask):
    return exercises.fused.masked.answer(q[None], k[None], v[None], mask)[0]


@pytest.mark.parametrize(
    ("name", "answer", "said"),
    [
        ("shaped", narrow, "your values are 2 wide and your keys 8"),
        ("softmaxed", found, "What is left: div, bmm"),
        ("masked", filled, "doesn't recognise attention"),
        ("shaped", filled, "doesn't recognise attention"),
        ("softmaxed", by_sdpa, "calls SDPA itself"),
        ("softmaxed", lambda *given: by_sdpa(*given).tolist(), "of type list; expected a tensor"),
    ],
)
def test_what_the_compiler_misses_is_told(name, answer, said):
    exercise = getattr(exercises.fused, name)
    assert said in text(exercise, answer)
    assert exercise.verdict(exercise.answer).state == "right"


def attending(bias):
    def masked(q, k, v, mask):
        scores = q @ k.mT / q.shape[-1] ** 0.5 + bias(q, mask)
        return torch.softmax(scores, dim=-1) @ v

    return masked


@pytest.mark.parametrize("name", ["masked", "shaped"])
@pytest.mark.parametrize("fill", [-10.0, -30.0, -50.0, -1e5, -1e9])
def test_a_finite_fill_is_recognised(name, fill):
    exercise = getattr(exercises.fused, name)
    for bias in (
        lambda q, mask: torch.where(mask, 0.0, fill),
        lambda q, mask: (1.0 - mask.to(q.dtype)) * fill,
    ):
        assert "the fill is finite" in text(exercise, attending(bias))


@pytest.mark.parametrize("name", ["masked", "shaped"])
def test_what_is_full_of_nan_hears_what_makes_nan(name):
    exercise = getattr(exercises.fused, name)
    for bias in (
        lambda q, mask: (1.0 - mask.to(q.dtype)) * -torch.inf,
        lambda q, mask: torch.where(mask, 0.0, torch.inf),
        lambda q, mask: torch.nan,
    ):
        assert "0 · (−∞) and ∞ − ∞ are NaN" in text(exercise, attending(bias))
    assert "0 · (−∞)" in text(exercise, lambda *given: exercise.answer(*given) * torch.nan)


@pytest.mark.parametrize("name", ["masked", "shaped", "softmaxed"])
@pytest.mark.parametrize("scale", [lambda q, k: k.shape[-2] ** 0.5, lambda q, k: 2])
def test_another_root_hears_of_the_width(name, scale):
    exercise = getattr(exercises.fused, name)

    def answer(q, k, v, mask=None):
        bias = 0.0 if mask is None else torch.where(mask, 0.0, -torch.inf)
        return torch.softmax(q @ k.mT / scale(q, k) + bias, dim=-1) @ v

    assert "the scores are divided by √d_k" in text(exercise, answer)


def test_what_no_pattern_has_is_told():
    def bias(q, mask):
        return torch.where(mask, 0.0, -torch.inf)

    told = text(exercises.fused.shaped, attending(bias))
    assert "has four axes, and your first product has 3" in told
    told = text(exercises.fused.masked, filled)
    assert "division, sum, softmax" in told and "axes" not in told and "width" not in told
    assert "division, softmax" in text(exercises.fused.softmaxed, found)
