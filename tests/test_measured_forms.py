"""The forms of attention that are measured: they agree, and have a row each."""

import itertools
import json

import numpy as np
import pytest
import torch
from torch.nn.attention.flex_attention import flex_attention

from attnbook import measure, tiled
from attnbook.measure import __main__ as command
from attnbook.measure import attention


@pytest.mark.parametrize("case", attention.CASES)
@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
def test_every_form_of_a_case_agrees_and_has_a_row(monkeypatch, case):
    monkeypatch.setattr(attention, "flex", flex_attention)  # to compile it takes a minute
    clock = itertools.count()
    monkeypatch.setattr(
        attention, "rounds", lambda calls, n: measure.rounds(calls, n, clock=lambda: next(clock))
    )
    rows = attention.case_rows(case, 48, 1)
    assert len(rows) >= 3 and len({row.form for row in rows}) == len(rows)
    assert all((row.ratio, row.milliseconds) == (1, 1000) and row.peak_mib > 0 for row in rows)
    assert {"SDPA", "NumPy, in blocks"} <= {row.form for row in rows}
    parsed = json.loads(command.record(rows, {}, {}))
    assert parsed["rows"] == [row._asdict() for row in rows]
    assert parsed["environment"] == measure.environment() and parsed["settings"]["threads"] == 1


@pytest.mark.parametrize("wrong", [lambda x: 1.001 * x, lambda x: x - 1e-4, torch.log])
def test_a_form_that_does_not_agree_is_not_measured(monkeypatch, wrong):
    monkeypatch.setattr(attention, "flex", lambda q, k, v: wrong(attention.sdpa(q, k, v)))
    with pytest.raises(ValueError, match="FlexAttention differs from the readable form by"):
        attention.case_rows("plain", 48, 1)


NUMPY = {
    "plain": "attention_tiled",
    "causal": "causal_attention_tiled",
    "padded": "padded_attention_tiled",
    "window": "sliding_window_attention_tiled",
    "long": "attention_tiled",
    "backward": "attention_tiled_backward",
}


@pytest.mark.parametrize("case", attention.CASES)
def test_a_form_of_numpy_that_does_not_agree_is_not_measured(monkeypatch, case):
    right = getattr(tiled, NUMPY[case])
    monkeypatch.setattr(attention, "flex", lambda q, *other, **more: q)
    monkeypatch.setattr(attention, "_block_mask", lambda *given: None)
    monkeypatch.setattr(tiled, NUMPY[case], lambda *x: [np.float32(1.001) * y for y in right(*x)])
    with pytest.raises(ValueError, match="NumPy, in blocks differs from the readable form by"):
        attention.case_rows(case, 48, 1)


def test_a_row_has_multiples_of_sdpa_and_milliseconds_and_mebibytes(monkeypatch):
    def times(forms, n):
        return {name: [0.008, 0.002, 0.012] for name in forms} | {"SDPA": [0.002, 0.001, 0.004]}

    monkeypatch.setattr(attention, "flex", attention.sdpa)
    monkeypatch.setattr(attention, "rounds", times)
    monkeypatch.setattr(attention, "peak_memory", lambda call: 3 * 2**20)
    monkeypatch.setattr(attention, "peak_array_memory", lambda call: 3 * 2**20)
    peer, *others = attention.case_rows("plain", 48, 3)
    assert peer == ("plain", 48, "SDPA", 1.0, 2.0, 3.0)
    assert {row[3:] for row in others} == {(3.0, 8.0, 3.0)}


def test_the_same_numbers_are_measured_each_time(monkeypatch):
    seen = []
    monkeypatch.setattr(attention, "flex", lambda *x: seen.append(x[0]) or attention.sdpa(*x))
    for _ in range(2):
        attention.case_rows("plain", 48, 1)
    assert torch.equal(seen[0], seen[-1])


def test_other_work_is_what_its_name_says():
    q, k, v = torch.randn(3, attention.BATCH, attention.HEADS, 48, attention.WIDTH)
    unpadded = attention.padded(q, k, v)[attention.UNPADDED]()
    torch.testing.assert_close(unpadded, attention.sdpa(q, k, v))
    _, weights = attention.plain(q, k, v)[attention.MULTIHEAD]()
    assert weights is None
    assert attention.valid_lens(32).sum() == 15 / 32 * attention.BATCH * 32


def test_the_memory_for_long_sequences_is_that_of_each_form_but_the_readable():
    found = attention.long_memory(64)
    assert set(found) == {"SDPA", "ours, in blocks", "NumPy, in blocks"}
    output = 4 * 8 * 64 * 64 * 4 / 2**20
    assert all(output <= peak < 8 * output for peak in found.values())
