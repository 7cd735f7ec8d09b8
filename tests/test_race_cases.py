"""The cases of the race by their numbers; errors, rows and times that are unlike each other."""

import dataclasses

import pytest
import torch
from made_up_gpu import RATES, SMALL, MadeUp, plain

from attnbook.kernels import launch
from benchmarks.race import agreement, cases, forms, race, record, turns


def test_plain_squares_share_no_heads_and_hide_nothing():
    for case in cases.cases():
        if case.name in ("plain", "causal"):
            assert case.heads == case.kv_heads and case.causal == (case.name == "causal")
            assert case.window is case.softcap is case.valid_lens is None
    order = [case.n_k for case in cases.cases() if case.name == "plain" and case.width == 64]
    assert order == [n for n in (4096, 16384, 1024, 2048, 8192) for _ in range(2)]
    assert [c.name for c in cases.cases()[8:15]] == [
        *(c.name for c in cases.decoding()),
        "grouped, causal",
    ]


def test_lengths_are_halves_quarters_and_eighths_in_turn():
    case = cases.Case("x", "forward", 16, 64, 64, batch=6, heads=2, kv_heads=2, padded=True)
    assert case.valid_lens == [64, 32, 16, 8, 64, 32]
    assert dataclasses.replace(case, padded=False).valid_lens is None
    assert case.pairs == 64 * (64 + 32 + 16 + 8 + 64 + 32)
    assert case.read_bytes == 2 * 16 * (2 * 6 * 2 * 64 + 2 * 2 * sum(case.valid_lens))
    assert cases.drawn(case, "cpu").valid_lens.tolist() == case.valid_lens
    assert cases.drawn(case, "cpu").valid_lens.dtype == torch.int32


def test_a_record_has_each_case_with_its_name_and_all_its_sizes():
    case = cases.decoding()[0]
    described = case.described()
    assert described.pop("id") == "decode, grouped, width 128, 65536 keys, 32/8 heads, batch 1"
    assert cases.Case(**described) == case


def test_what_hides_hides_together():
    """Queries 0 and 1 of two are at the places 2 and 3; sequences of 3 keys and of 4."""
    case = cases.Case("x", "forward", 16, 2, 4, 2, 1, 1, causal=True, window=1, padded=True)
    mask = cases.visible(case, torch.tensor([3, 4]), "cpu")
    assert mask[:, 0].tolist() == [
        [[False, True, True, False], [False, False, True, False]],
        [[False, True, True, False], [False, False, True, True]],
    ]
    first = cases.visible(case, torch.tensor([3, 4]), "cpu", slice(0, 1))
    assert torch.equal(first, mask[:1])
    for option, n in ({"window": None}, 13), ({"causal": False}, 8), ({"padded": False}, 4):
        other = dataclasses.replace(case, **option)
        lens = torch.tensor([3, 4]) if other.padded else None
        assert cases.visible(other, lens, "cpu").sum() == n


def test_numbers_are_drawn_by_their_seed():
    case = SMALL["forward", "plain"]
    one, two = cases.drawn(case, "cpu"), cases.drawn(case, "cpu", seed=1)
    assert torch.equal(one.q, cases.drawn(case, "cpu", seed=0).q)
    assert not torch.equal(one.q, two.q) and one.q.dtype == torch.bfloat16


def test_an_error_in_a_row_of_nothing_is_measured_by_what_is_usual():
    """Rows of 2, and one of 0.02: 1.6 wrong in it is 0.9 of what is usual, and no 80."""
    right = torch.ones(1, 1, 5, 4, dtype=torch.float64)
    right[..., 4, :] = 0.01
    wrong = right.clone()
    wrong[..., 4, :] += 0.8
    usual = ((4 * 4 + 4e-4) / 5) ** 0.5
    whole, row = agreement.error(wrong, (right,))
    assert row == pytest.approx(1.6 / usual) and whole == pytest.approx(1.6 / (usual * 5**0.5))
    wrong = right.clone()
    wrong[..., 0, :] += 0.8
    assert agreement.error(wrong, (right,)).row == pytest.approx(0.8)  # larger than what is usual


def test_without_a_judge_either_error_is_too_large_by_itself():
    for whole, row, said in ((0.031, 0.1, "whole, is 0.031"), (0.03, 0.11, "row, is 0.11")):
        found = {"ours": agreement.Error(whole, row)}
        reasons, judge = agreement.judged(found, forms.JUDGES, {"ours"})
        assert said in reasons["ours"] and "what rounding makes" in reasons["ours"] and not judge
    found = {"ours": agreement.Error(0.03, 0.1)}
    assert agreement.judged(found, forms.JUDGES, {"ours"}) == ({}, None)
    judged = {"ours": agreement.Error(0.9, 0.1), forms.FLASH: agreement.Error(0.01, 0.01)}
    reasons, judge = agreement.judged(judged, forms.JUDGES, {"ours"})
    assert reasons["ours"] == (
        "its error, whole, is 0.9; expected at most 0.02, 2 times SDPA FLASH's"
    )


def scaled(factor):
    def form(case, x, machine):
        attend = plain(case, x, machine)
        return lambda q, k, v: (attend(q, k, v).float() * factor).to(q.dtype)

    return form


def test_a_second_choice_is_computed_where_there_is_one(monkeypatch):
    case = SMALL[cases.FORWARD, "causal"]
    x, machine = cases.drawn(case, "cpu"), MadeUp()
    with pytest.raises(forms.Refused, match="there is one configuration"):
        forms.ready("second", forms.second_choice, case, x, machine)
    _, right = forms.ready("ours", forms.ours, case, x, machine)
    one = launch.choices_for
    monkeypatch.setattr(launch, "choices_for", lambda *args, **more: 2 * one(*args, **more))
    _, found = forms.ready("second", forms.second_choice, case, x, machine)
    for result, expected in zip(found, right, strict=True):
        assert torch.equal(result, expected)


@pytest.mark.parametrize("form", ["ours, second choice", "ours, deterministic"])
def test_every_form_of_ours_is_held_to_the_limit_of_ours(form):
    """A hundredth too large is 4 times the judge's error, for which a peer is not refused."""
    every = {"ours": plain, form: scaled(1.01), "peer": scaled(1.01)}
    every |= {forms.FLASH: forms.forms("x")[forms.FLASH]}
    case = SMALL["forward", "causal"]
    ours, second, peer, flash = race.rows(case, every, MadeUp(), RATES)
    assert "refused" in second and "milliseconds" in peer and "milliseconds" in ours
    assert 2 < peer["error ratio"] <= 16 and flash["error ratio"] == 1
    assert [row["form"] for row in (ours, second, peer, flash)] == list(every)
    assert {row["case"] for row in (ours, second, peer, flash)} == {case.id}
    assert ours["peak bytes"] == 1000 and ours["worst row"] >= ours["error"]
    assert ours["judge"] == second["judge"] == forms.FLASH and "rounds" not in second


def test_a_form_that_broke_the_gpu_before_is_named_beside_those_that_refuse_now():
    def raises(case, x, machine):
        raise RuntimeError("no kernel")

    every = {"ours": plain, "one": raises, "two": raises}
    case = SMALL["forward", "plain"]
    found = race.rows(case, every, MadeUp(), RATES, broken={"one": "it broke"})
    assert [row.get("refused") for row in found] == [None, "it broke", "RuntimeError: no kernel"]
    assert "error ratio" not in found[0] and "judge" not in found[0]  # nobody judges


def test_one_late_round_changes_neither_a_median_nor_a_ratio():
    one, two = turns.Timing([1, 2, 3, 4, 90], 0), turns.Timing([1, 4, 3, 8, 9000], 0)
    assert one.median == 3 and turns.ratio(two, one) == 2
    times = [(1.0, 0.0)] * turns.WARM + [(1.0, host) for host in [1.0] * 10 + [99.0]]
    found = turns.turns({"a": lambda: None}, MadeUp(times), 0)
    assert found["a"].host == 1.0


def test_the_source_is_that_of_every_module_in_any_order():
    digests = {"b.py": "2" * 40, "a.py": "1" * 40}
    assert record.source(digests) == record.source(dict(sorted(digests.items())))
    assert len(record.source()) == 16 and record.source() != record.source({})
    assert (record.MEASURED["code/attnbook"] / "kernels/forward.py").exists()
    assert (record.MEASURED["benchmarks"] / "race/record.py").exists()
