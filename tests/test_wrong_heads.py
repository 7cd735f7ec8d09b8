"""Mistakes in `multi_head_attention` itself, one line each, in NumPy and on tensors."""

import sys

import numpy as np
import one_line
import pytest
import torch
from draw import assert_close
from test_grouped_heads import BOTH, HEADS, drawn, grouped_in_torch

from attnbook import reference

N_KV_HEADS = 2


def called(library, given, shown):
    given = given if library is reference else map(torch.from_numpy, given)
    seen = shown if library is reference else torch.from_numpy(shown)
    return np.asarray(library.multi_head_attention(*given, HEADS, seen, N_KV_HEADS))


def is_grouped_attention(library, of):
    """As torch has it, with a mask for all, for each sequence, or for each head."""
    shown = np.random.default_rng(2).random((2, HEADS, 3, 5)) < 2 / 3
    shown[..., 0] = True  # torch has no answer where nothing is visible
    shown = {"all": shown[0, 0], "sequences": shown[:, 0], "heads": shown}[of]
    theirs = shown[:, None] if of == "sequences" else shown
    given = drawn(N_KV_HEADS)
    assert_close(called(library, given, shown), grouped_in_torch(given, theirs))


every_mask = pytest.mark.parametrize("of", ["all", "sequences", "heads"])


@every_mask
@BOTH
def test_a_mask_is_for_all_for_sequences_or_for_heads(library, of):
    is_grouped_attention(library, of)


MISTAKES = {
    "the mask of a sequence for a head": ("mask[..., None, :, :]", "mask"),
    "a mask for all heads of a sequence as one of queries": ("None, :, :]", ":, None, :]"),
    "the mask ignored": ("(q, k, v, mask)", "(q, k, v)"),
    "W_k for W_v": ("((k, w_k), (v, w_v))", "((k, w_v), (v, w_k))"),
    "keys for values": ("((k, w_k), (v, w_v))", "((k, w_k), (k, w_v))"),
    "keys and values swapped": ("(q, k, v, mask)", "(q, v, k, mask)"),
    "as many heads of keys as of queries": ("n_kv_heads) for x, w in", "n_heads) for x, w in"),
    "as many copies as heads": ("n_heads // n_kv_heads) for", "n_heads) for"),
    "heads not merged by position": (
        "merge_heads(scaled_dot_product_attention(q, k, v, mask))",
        "scaled_dot_product_attention(q, k, v, mask).reshape(*q.shape[:-3], q.shape[-2], -1)",
    ),
    "W_o forgotten": (" @ w_o", ""),
    "W_o turned over": (" @ w_o", " @ w_o.T"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
@BOTH
def test_a_mistake_is_rejected(monkeypatch, library, mistake):
    one_line.put(monkeypatch, library.multi_head_attention, *MISTAKES[mistake])
    wrong = sys.modules[library.multi_head_attention.__module__].multi_head_attention
    monkeypatch.setattr(library, "multi_head_attention", wrong)
    with pytest.raises((AssertionError, ValueError, RuntimeError)):
        for of in ("all", "sequences"):
            is_grouped_attention(library, of)
