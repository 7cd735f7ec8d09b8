"""What a check says is true of the answer, and leaves the idea to the hints."""

from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from double import DOUBLE

from attnbook import exercises, fused, masks, pytorch
from attnbook.exercises.chapters.many_gpus.skipped import computes
from attnbook.exercises.chapters.many_gpus.zigzag import zigzag
from attnbook.pytorch import rules


def stored_bias(n_heads, n_q, n_k):
    far = torch.abs(torch.arange(n_k) - (torch.arange(n_q)[:, None] + n_k - n_q))
    bias = 2.0 ** (-8 * torch.arange(1, n_heads + 1) / n_heads)[:, None, None] * far
    return lambda s, b, h, i, j: s - bias[h, i, j]


def stored_mask(valid_lens, n_q, n_k, left):
    back = torch.arange(n_q)[:, None] + n_k - n_q - torch.arange(n_k)
    seen = (back >= 0) & (back <= left) & (torch.arange(n_k) < valid_lens[:, None, None])
    return lambda b, h, i, j: seen[b, i, j]


@pytest.mark.parametrize(
    ("name", "answer"), [("sloped", stored_bias), ("window_rule", stored_mask)]
)
def test_who_stores_an_array_of_all_places_is_not_told_that_there_is_none(name, answer):
    exercise = getattr(exercises.flex_attention, name)
    verdict = exercise.verdict(answer)
    assert verdict.state == "right" and "an array of n_q · n_k numbers is made" in verdict.text
    assert exercise.verdict(exercise.answer).text == f"Correct. {exercise.notice}"


def test_who_has_a_rule_of_the_package_answer_hears_so():
    def of_the_package(lens, n_q, n_k, left):
        return fused.flex.mask_mod(rules.sliding_window(left) & rules.padding(lens), n_q, n_k)

    for verdict, name in (
        (exercises.flex_attention.window_rule.verdict(of_the_package), "mask_mod"),
        (exercises.flex_attention.sloped.verdict(fused.flex.alibi), "alibi"),
    ):
        said = f"Correct. But it was the package's own `{name}` that answered: "
        assert verdict.state == "right" and verdict.text.startswith(said)


def test_what_a_skipped_rank_leaves_out_is_counted():
    kept, mask, left_out = zigzag(16, 4), masks.causal_mask(16, 16), 0
    for rank in range(4):
        for step in range(4):
            pairs = mask[kept[rank]][:, kept[(rank - step) % 4]].sum()
            left_out += 0 if computes(rank, step) else pairs
    assert f"Of the {mask.sum()} pairs" in exercises.many_gpus.skipped.notice
    assert f" {left_out} would be left out" in exercises.many_gpus.skipped.notice


FAULT_ALONE = {
    "positions.one_shift": ([0, 0.1, 0.5, 0.9, 2, 3, 5, 8], "repeat the first four"),
    "past_the_trained_length.falling": ([1.0, 2.0], "slow"),
    "gradients.trains_anyway": ([9, 10], "more keys"),
    "past_the_trained_length.left_behind": ([8, 4, 4, 8, 7, 7], "layers below"),
    "flash_attention.causal_blocks": ([6, 42, 4], "13, 14 and 15"),
    "transformer.missing": ([4, 2, 5, 3, 1], "told apart"),
    "positions.two_slopes": ([[1, 3, 4], [4, 3, 4]], "32"),
    "dot_product.toy_keys": ([0.31, 0.04], "is 2"),
    "dot_product.four_tests": ([[0, 0, 1, 0], [1, 0, 0, 1], [1, 1, 0, 0], [0, 1, 0, 0]], "passes"),
    "machine_code.missing_waits": ([-1, 1, 1, 6, 4, -1], "sign"),
}


@pytest.mark.parametrize("name", FAULT_ALONE)
def test_a_first_wrong_try_hears_its_fault_and_not_the_answer(name):
    answer, idea = FAULT_ALONE[name]
    verdict = exercises.find(name).verdict(answer)
    assert verdict.state == "wrong" and idea not in verdict.text


def with_the_batch_for_heads(attend):
    def self_attention(x, in_proj_weight, out_proj_weight, n_heads, mask=None):
        parts = (x @ in_proj_weight.T).chunk(3, dim=-1)
        q, k, v = (pytorch.split_heads(part, n_heads) for part in parts)
        return pytorch.merge_heads(attend(q, k, v, mask)) @ out_proj_weight.T

    return self_attention


BY_HAND = {
    "the package's softmax": lambda q, k, v, mask: (
        pytorch.softmax(pytorch.dot_product_scores(q, k), mask) @ v
    ),
    "SDPA": lambda q, k, v, mask: F.scaled_dot_product_attention(q, k, v, attn_mask=mask),
    "an axis in front": lambda q, k, v, mask: pytorch.scaled_dot_product_attention(
        q, k, v, None if mask is None else mask[None]
    ),
}


@pytest.mark.parametrize("way", BY_HAND)
def test_a_mask_without_an_axis_for_heads_is_named_however_it_is_used(way):
    told = exercises.modules.self_attention.verdict(with_the_batch_for_heads(BY_HAND[way])).text
    assert "a mask for each sequence meets the axis of the heads" in told


def test_an_empty_tensor_keeps_its_dtype_and_shape():
    told = exercises.modules.whose_mask.verdict(torch.zeros(2, 0, 3).bool()).text
    assert "mask is bool tensor of shape (2, 0, 3)" in told and "not empty" in told


def test_both_versions_of_a_break_are_called_versions():
    told = exercises.online.taken_out.verdict(0, 40).text
    assert "  right version  4\n  wrong version  nan" in told


def test_two_sentences_are_told_apart_by_what_they_stand_for():
    told = exercises.positions.dog_bites_man.verdict("dog bites man", "dog man bites").text
    assert "differ with ALiBi         True" in told and "version" not in told
    assert "Read backwards, though" in told


def test_results_in_another_order_are_told_by_their_shapes():
    results = {"answer": lambda x: (2 * x, x.max()), "results": ("twice", "top")}
    both = replace(DOUBLE, known=tuple, **results)
    told = both.verdict(lambda x: (x.min(), x * x)).text
    assert "; these have the shapes of top, twice\n" in told and "no effect" not in told
    assert "these have" not in both.verdict(lambda x: (x * x, x.min())).text
    assert "these have" not in both.verdict(lambda x: (x.min(), x.max())).text
