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


def ratio(case, n, form):
    rows = measure.recorded("processor")["rows"]
    (row,) = [r for r in rows if (r["case"], r["n"], r["form"]) == (case, n, form)]
    return row["ratio"]


def test_the_recorded_measurement_has_every_case_and_length():
    rows = measure.recorded("processor")["rows"]
    found = {(row["case"], row["n"]) for row in rows}
    assert found == {(case, n) for case in attention.CASES for n in command.LENGTHS}
    assert all(set(row) == set(attention.Row._fields) for row in rows)


def test_the_recorded_figures_are_what_the_book_says_of_them():
    blocks = "ours, in blocks"
    assert all(ratio("plain", n, blocks) <= 1.15 for n in (1024, 2048))
    assert all(ratio("causal", n, blocks) < 0.9 for n in (256, 512))
    for n in (1024, 2048):
        share = ratio("padded", n, blocks) / ratio("padded", n, attention.UNPADDED)
        assert share == pytest.approx(15 / 32, rel=0.06)
        assert ratio("padded", n, blocks) < 0.55
        for flex in ("FlexAttention, with a mask", "FlexAttention, with blocks left out"):
            assert ratio("padded", n, flex) > 1.3 * ratio("padded", n, blocks)
    assert 3 < ratio("plain", 1024, "ours, readable") < 5


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda found: found.pop("environment"), "processor lacks environment"),
        (lambda found: found.update(settings={}), "processor lacks settings"),
        (lambda found: found["environment"].update(commit="abc1234+"), "has the commit abc1234+"),
        (lambda found: found["environment"].pop("commit"), "has the commit none"),
    ],
)
def test_a_measurement_from_nowhere_is_refused(tmp_path, monkeypatch, change, said):
    found = measure.recorded("processor")
    change(found)
    (tmp_path / "processor.json").write_text(json.dumps(found))
    monkeypatch.setattr("attnbook.measure.record.RESULTS", tmp_path)
    with pytest.raises(ValueError, match=re.escape(said)):
        measure.recorded("processor")
