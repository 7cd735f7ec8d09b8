"""What measures: turns, ratios, memory, shares, and where a figure comes from."""

import json
import re
import time

import pytest
import torch
from torch.nn.attention.flex_attention import flex_attention

from attnbook import measure
from attnbook.measure import __main__ as command
from attnbook.measure import attention


def test_calls_take_turns_and_the_first_round_does_not_count():
    order, ticks = [], iter(range(100))
    calls = {name: lambda name=name: order.append(name) for name in "ab"}
    times = measure.rounds(calls, n=2, clock=lambda: next(ticks) ** 2)
    assert order == list("ababab")
    # The clock shows 0, 1, 4, 9 in the first round, 16, 25, 36, 49 in the second, and so on.
    assert times == {"a": [9, 17], "b": [13, 21]}


def test_a_ratio_is_the_median_over_rounds_and_not_a_ratio_of_medians():
    times = {"base": [1.0, 10.0, 2.0], "other": [3.0, 10.0, 8.0]}
    assert measure.ratios(times, to="base") == {"base": 1.0, "other": 3.0}  # medians: 8 / 2


def test_one_thread_gives_the_threads_back_after_an_error():
    before = torch.get_num_threads()
    with pytest.raises(KeyError), measure.one_thread():
        assert torch.get_num_threads() == 1
        raise KeyError
    assert torch.get_num_threads() == before


def two_in_turn():
    for _ in range(2):
        torch.empty(1000, dtype=torch.float64)


def two_at_once():
    first = torch.empty(1000, dtype=torch.float64)
    return first, torch.empty(1000, dtype=torch.float64)


@pytest.mark.parametrize(("call", "n"), [(two_in_turn, 8000), (two_at_once, 16000)])
def test_memory_is_what_is_held_at_once_to_the_byte(call, n):
    kept = torch.empty(5000)
    assert measure.peak_memory(call) == n
    assert len(kept) == 5000


def test_nearly_all_time_of_a_product_is_in_its_operation():
    a = torch.randn(300, 300)
    shares = measure.operations(lambda: a @ a)
    assert sum(shares.values()) == pytest.approx(1)
    assert next(iter(shares)) == "mm" and shares["mm"] > 0.5


def test_the_environment_says_where_a_figure_comes_from():
    found = measure.environment()
    assert found["processor"] and found["torch"] == torch.__version__
    assert re.fullmatch(r"[0-9a-f]{7,}\+?|none", found["commit"])
    assert time.strptime(found["date"], "%Y-%m-%d")


@pytest.mark.parametrize("case", attention.CASES)
@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
def test_every_form_of_a_case_agrees_and_has_a_row(monkeypatch, case):
    monkeypatch.setattr(attention, "flex", flex_attention)  # to compile it takes a minute
    rows = attention.case_rows(case, 48, 1)
    assert len(rows) >= 4 and len({row.form for row in rows}) == len(rows)
    assert all(row.ratio > 0 and row.milliseconds > 0 and row.peak_mib > 0 for row in rows)
    parsed = json.loads(command.record(rows, {}))
    assert parsed["rows"] == [row._asdict() for row in rows]
    assert parsed["environment"] == measure.environment() and parsed["settings"]["threads"] == 1


def test_a_form_that_does_not_agree_is_not_measured(monkeypatch):
    monkeypatch.setattr(attention, "flex", lambda q, k, v: 1.001 * v)
    with pytest.raises(ValueError, match="FlexAttention differs from the readable form by"):
        attention.case_rows("plain", 48, 1)
