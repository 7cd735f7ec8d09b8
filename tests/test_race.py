"""The race on a GPU, run on a processor with a clock that is made up: everything but the times."""

import dataclasses
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
from kernel_oracle import definition
from made_up_gpu import RATES, SMALL, WAYS, MadeUp, plain

from benchmarks.race import agreement, cases, forms, race, turns


def test_every_case_has_a_name_of_its_own_and_the_sizes_of_the_papers():
    every = cases.cases()
    assert len({case.id for case in every}) == len(every)
    squares = [case for case in every if case.way in WAYS]
    assert {case.batch * case.n_q for case in squares} == {2**14}
    assert {case.heads * case.width for case in squares} == {2048}
    asked = {(c.way, c.width, c.n_q, c.causal) for c in every if c.name in ("plain", "causal")}
    lengths = [2**p for p in (10, 11, 12, 13, 14)]
    assert asked == {(w, d, n, c) for w in WAYS for d in (64, 128) for n in lengths for c in (0, 1)}
    assert {(c.n_q, c.n_k) for c in every if c.way == cases.DECODE} == {(1, 2**16)}
    for way in WAYS:
        variants = {c.name.split(",")[0] for c in every if c.way == way}
        assert variants == {"plain", "causal", "grouped", "window", "lengths", "soft cap"}


@pytest.mark.parametrize("key", SMALL)
def test_work_is_counted_pair_by_pair(key):
    """Against the mask itself; a causal one counts half, and the way back 2.5 times."""
    case = SMALL[key]
    lens = None if case.valid_lens is None else torch.tensor(case.valid_lens)
    mask = cases.visible(case, lens, "cpu")
    full = torch.ones(case.batch, 1, case.n_q, case.n_k, dtype=torch.bool)
    pairs = (full if mask is None else full & mask).sum().item()
    if case.causal and case.window is None:
        pairs = case.batch * case.n_q * case.n_k // 2
    assert case.pairs == pairs
    work = 4 * pairs * case.width * case.heads
    assert case.flops == (2.5 * work if case.way == cases.BACKWARD else work)


def test_bytes_are_those_of_the_tensors():
    case = SMALL[cases.FORWARD, "grouped, causal"]
    x = cases.drawn(case, "cpu")
    assert case.kept_bytes == x.q.nbytes + 4 * x.q[..., 0].numel()
    back = dataclasses.replace(case, way=cases.BACKWARD)
    assert back.kept_bytes == x.q.nbytes + x.k.nbytes + x.v.nbytes
    one = SMALL[cases.DECODE, "grouped"]
    x = cases.drawn(one, "cpu")
    assert one.read_bytes == 2 * x.q.nbytes + x.k.nbytes + x.v.nbytes


@pytest.mark.parametrize("key", [key for key in SMALL if key[0] != cases.BACKWARD])
def test_the_exact_output_is_the_definition(key):
    case = SMALL[key]
    x = cases.drawn(case, "cpu")
    options = {"causal": case.causal, "window": case.window, "softcap": case.softcap}
    right = definition(x.q, x.k, x.v, valid_lens=x.valid_lens, **options)[0]
    np.testing.assert_allclose(agreement.exact(case, x)[0], right, rtol=0, atol=1e-13)


@pytest.mark.parametrize("key", [key for key in SMALL if key[0] == cases.BACKWARD])
def test_the_exact_gradients_are_those_of_autograd_in_float64(key):
    case = dataclasses.replace(SMALL[key], n_q=7, n_k=7)
    x = cases.drawn(case, "cpu")
    leaves = [t.double().requires_grad_() for t in (x.q, x.k, x.v)]
    k, v = (t.repeat_interleave(case.heads // case.kv_heads, 1) for t in leaves[1:])
    scores = leaves[0] @ k.mT * case.width**-0.5
    if case.softcap is not None:
        scores = case.softcap * torch.tanh(scores / case.softcap)
    mask = cases.visible(case, x.valid_lens, "cpu")
    scores = scores if mask is None else scores.masked_fill(~mask, -torch.inf)
    out = scores.softmax(-1) @ v
    right = torch.autograd.grad(out, leaves, x.grad_out.double())
    for found, expected in zip(agreement.exact(case, x), right, strict=True):
        torch.testing.assert_close(found, expected, rtol=0, atol=1e-13)


def test_an_error_is_of_the_whole_and_of_the_worst_row():
    right = torch.ones(1, 2, 50, 4, dtype=torch.float64)
    wrong = right.clone()
    assert agreement.error(wrong, (right,)) == (0, 0)
    wrong[0, 1, 3] = 0
    whole, row = agreement.error(wrong, (right,))
    assert (whole, row) == (pytest.approx(0.1), pytest.approx(1))
    wrong[0, 0, 0, 0] = torch.nan
    assert np.isnan(agreement.error(wrong, (right,))).all()
    assert np.isnan(agreement.error([right, wrong], (right, right))).all()


def errors(**each):
    return {name.replace("_", " "): agreement.Error(*e) for name, e in each.items()}


@pytest.mark.parametrize(
    ("found", "expected", "judge"),
    [
        (errors(ours=(0.004, 0.02), SDPA_FLASH=(0.002, 0.01)), set(), forms.FLASH),
        (errors(ours=(0.0041, 0.01), SDPA_FLASH=(0.002, 0.01)), {"ours"}, forms.FLASH),
        (errors(ours=(0.002, 0.5), SDPA_FLASH=(0.002, 0.01)), {"ours"}, forms.FLASH),
        (errors(ours=(np.nan, 0.01), SDPA_FLASH=(0.002, 0.01)), {"ours"}, forms.FLASH),
        (errors(SDPA_MATH=(0.03, 0.1), SDPA_FLASH=(0.002, 0.01)), set(), forms.FLASH),
        (errors(SDPA_MATH=(0.04, 0.1), SDPA_FLASH=(0.002, 0.01)), {"SDPA MATH"}, forms.FLASH),
        (errors(ours=(0.02, 0.05)), set(), None),
        (errors(ours=(0.04, 0.05)), {"ours"}, None),
        (errors(ours=(0.002, 0.01), SDPA_FLASH=(0.7, 1.0)), {"SDPA FLASH"}, None),
        (errors(ours=(0.002, 0.01), SDPA_FLASH=(np.nan, 1), SDPA_CUDNN=(0.002, 0.01)),
         {"SDPA FLASH"}, forms.CUDNN),
    ],
)  # fmt: skip
def test_who_agrees_is_judged_by_the_first_peer_that_is_right(found, expected, judge):
    reasons, by = agreement.judged(found, forms.JUDGES, {forms.OURS})
    assert set(reasons) == expected and by == judge


@pytest.mark.parametrize("key", SMALL)
def test_ours_and_the_peers_that_a_processor_has_compute_each_case(key, monkeypatch):
    """CUDNN and EFFICIENT are no processor's, and compiling FlexAttention takes half a minute."""
    case, machine = SMALL[key], MadeUp()
    monkeypatch.setattr(machine, "time", lambda call, hold: (0.002, 0.0004))
    every = forms.forms(Path("nowhere"), case.way)
    del every[forms.FLEX], every[forms.TUNED]
    found = {row["form"]: row for row in race.rows(case, every, machine, RATES, 0.001)}
    assert list(found) == list(every)
    timed = {name for name, row in found.items() if "milliseconds" in row}
    capped = set() if case.softcap else {forms.FLASH, forms.MATH, forms.AS_CALLED}
    others = {"forward": set(), "backward": {"ours, adding in memory", "ours, deterministic"}}
    others["decode"] = {"ours, larger tiles"}
    assert timed == {forms.OURS} | capped | others[case.way]
    assert all(found[name]["refused"] for name in set(every) - timed)
    assert "06-fused-attention.py is not in" in found[forms.TUTORIAL]["refused"] or (
        "it has" in found[forms.TUTORIAL]["refused"]
    )


def test_a_row_says_what_was_measured(monkeypatch):
    """Times of 2 ms and 1 ms, 3 and 1 ms: ratios are of a round, not of medians."""
    case = SMALL[cases.FORWARD, "causal"]
    every = {forms.OURS: plain, forms.FLASH: forms.forms(Path("x"))[forms.FLASH]}
    given = {forms.OURS: turns.Timing([0.001] * 8, 0.0004)}
    given[forms.FLASH] = turns.Timing([0.002, 0.002, 0.002, 0.002, 0.003, 0.003, 0.003, 0.01], 0)
    monkeypatch.setattr(race, "turns", lambda calls, machine, seconds, attempt: given)
    ours, flash = race.rows(case, every, MadeUp(), RATES)
    assert ours["milliseconds"] == 1 and ours["times ours"] == 1 and ours["ratio"] == 0.4167
    assert flash["milliseconds"] == 2.5 and flash["times ours"] == 2.5 and flash["ratio"] == 1
    assert flash["spread"] == pytest.approx(0.4) and ours["spread"] == 0
    assert ours["TFLOP/s"] == pytest.approx(case.flops / 0.001 / 1e12, rel=1e-3)
    assert ours["share"] == pytest.approx(case.flops / 0.001 / 1e12, rel=1e-3)
    assert ours["times what is kept"] == pytest.approx(1000 / case.kept_bytes, rel=1e-3)
    assert (ours["rounds"], ours["host milliseconds"], ours["judge"]) == (8, 0.4, forms.FLASH)
    assert 0 < ours["error"] < 0.01 and ours["error ratio"] <= 2


def test_sdpa_as_called_says_which_kernels_ran(monkeypatch):
    """It chooses its program itself, so a record must tell which one that was."""
    case, asked = SMALL[cases.FORWARD, "causal"], []
    forced, every = forms.sdpa_kernel, forms.forms(Path("x"))
    monkeypatch.setattr(forms, "sdpa_kernel", lambda name: asked.append(name) or forced(name))
    called, flash = race.rows(
        case, {name: every[name] for name in (forms.AS_CALLED, forms.FLASH)}, MadeUp(), RATES, 0
    )
    assert called["kernels"] == ["a_made_up_kernel"] and "kernels" not in flash
    assert set(asked) == {forms.SDPBackend.FLASH_ATTENTION} and "milliseconds" in called


def test_what_is_decoded_is_measured_in_bytes():
    case = SMALL[cases.DECODE, "grouped"]
    (row,) = race.rows(case, {forms.OURS: plain}, MadeUp(), RATES)
    assert row["GB/s"] == pytest.approx(case.read_bytes / 0.002 / 1e9, rel=1e-3)
    assert row["share"] == pytest.approx(case.read_bytes / 0.002 / 1e11, rel=1e-3)
    assert "TFLOP/s" not in row


def scaled(factor, row=None):
    def form(case, x, machine):
        attend = plain(case, x, machine)

        def call(q, k, v):
            out = attend(q, k, v)
            factors = torch.ones(out.shape[-2])
            factors[slice(None) if row is None else row] = factor
            return out * factors[:, None].to(out.dtype)

        return call

    return form


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("wrong", [scaled(1.02), scaled(0.0, row=-1), scaled(float("nan"), row=5)])
def test_a_form_that_does_not_agree_is_not_timed(way, wrong):
    every = {forms.OURS: wrong, forms.FLASH: forms.forms(Path("x"))[forms.FLASH]}
    ours, flash = race.rows(SMALL[way, "causal"], every, MadeUp(), RATES)
    assert "milliseconds" in flash and "milliseconds" not in ours
    assert re.match(r"its error, (whole|row), is .*; expected at most", ours["refused"])


def test_what_raises_is_refused_with_its_reason_and_the_race_goes_on():
    def raises(case, x, machine):
        raise RuntimeError("no kernel\nand a long story")

    def warns(case, x, machine):
        def call(q, k, v):
            warnings.warn("Flash attention is too old", UserWarning, stacklevel=1)
            raise RuntimeError("No available kernel")

        return call

    every = {"one": raises, "two": warns, forms.OURS: plain}
    one, two, ours = race.rows(SMALL[cases.FORWARD, "plain"], every, MadeUp(), RATES)
    assert one["refused"] == "RuntimeError: no kernel"
    assert two["refused"] == "RuntimeError: No available kernel | Flash attention is too old"
    assert "milliseconds" in ours


def test_the_scores_of_math_must_fit():
    case, machine = SMALL[cases.FORWARD, "plain"], MadeUp(memory=16 * 2 * 4 * 24 * 24 * 4 - 1)
    with pytest.raises(forms.Refused, match="scores alone"):
        forms.backend("MATH", case, cases.drawn(case, "cpu"), machine)
    machine.total += 1
    forms.backend("MATH", case, cases.drawn(case, "cpu"), machine)
