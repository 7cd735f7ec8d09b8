"""YaRN's frequencies are those that others compute, with the paper's ramp and with the code's.

Each test runs on the function of NumPy and on its twin in PyTorch.
"""

import json
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from both_positions import BOTH

from attnbook import positions
from attnbook.positions import RAMPS

PUBLISHED = json.loads((Path(__file__).parent / "data" / "yarn.json").read_text())
CODE = ["llama_2_64k", "qwen_128k", "narrow"]
ROUNDED = 1e-6  # they were computed in float32: the power, its inverse and the mixture, each 6e-8
THETA = positions.frequencies(128)
both = pytest.mark.parametrize("library", BOTH.values(), ids=BOTH)
right = SimpleNamespace(**vars(positions))  # kept, while a wrong version stands in its place


def ours(library, name, ramp):
    of = PUBLISHED[name]
    theta = library.frequencies(of["width"], of["base"])
    given = of["factor"], of["trained_length"], ramp, of["beta_fast"], of["beta_slow"]
    return library.yarn(theta, *given), np.array(of["frequencies"])


@both
@pytest.mark.parametrize("name", CODE)
def test_the_ramp_of_the_code_is_what_its_authors_and_hugging_face_compute(library, name):
    np.testing.assert_allclose(*ours(library, name, "code"), rtol=ROUNDED)


@both
def test_the_ramp_of_the_code_ends_at_the_last_feature(library):
    """Of 16 features, the 15th: a billionth of a turn would be reached at the 24th."""
    theta = positions.frequencies(16)
    kept = 1 - np.clip((np.arange(8) - 2) / (15 - 2), 0, 1)
    found = library.yarn(library.frequencies(16), 4, 4096, "code", 32, 1e-9)
    np.testing.assert_allclose(found, theta * (kept + (1 - kept) / 4))


@both
def test_the_ramp_of_the_paper_to_4_turns_is_the_scaling_of_llama_3(library):
    np.testing.assert_allclose(*ours(library, "llama_3_1", "paper"), rtol=ROUNDED)


@both
def test_the_two_ramps_turn_25_of_64_pairs_of_llama_2_otherwise_one_of_them_at_a_third(library):
    paper, code = ours(library, "llama_2_64k", "paper")
    differ = np.abs(paper / code - 1) > ROUNDED
    assert differ.sum() == 25
    assert np.min(paper / code) == pytest.approx(1 / 3.04, abs=0.001)


@both
def test_the_paper_keeps_what_turned_often_and_slows_what_turned_less_than_once(library):
    ratio = THETA / library.yarn(THETA, 4, 2048, "paper")
    turns = 2048 * THETA / (2 * np.pi)
    np.testing.assert_allclose(ratio[turns >= 32], 1)
    np.testing.assert_allclose(ratio[turns <= 1], 4)
    for m in np.flatnonzero((turns > 1) & (turns < 32)):
        np.testing.assert_allclose(1 / ratio[m], ((turns[m] - 1) * 1 + (32 - turns[m]) / 4) / 31)


@both
def test_a_text_too_short_for_one_turn_slows_all_pairs_of_the_paper(library):
    np.testing.assert_allclose(library.yarn(THETA, 4, 1, "paper"), THETA / 4)


@both
@pytest.mark.parametrize("ramp", RAMPS)
@pytest.mark.parametrize("length", [1, 5, 2048, 1e6])
def test_a_factor_of_1_changes_nothing(library, ramp, length):
    np.testing.assert_allclose(library.yarn(THETA, 1, length, ramp), THETA)


@both
@pytest.mark.parametrize("kind", [np.float64, Fraction])
@pytest.mark.parametrize("ramp", RAMPS)
def test_numbers_of_any_kind_widen_no_frequency(library, ramp, kind):
    out = library.yarn(THETA.astype(np.float32), kind(4), kind(2048), ramp, kind(32), kind(1))
    assert out.dtype == np.float32
    np.testing.assert_allclose(out, library.yarn(THETA, 4, 2048, ramp), rtol=1e-6)


REFUSED = [
    ((0.5, 2048, "code"), "yarn: factor is 0.5; expected 1 or more"),
    ((2, 0, "paper"), "yarn: trained_length is 0; expected a finite number above 0"),
    ((2, -1, "code"), "yarn: trained_length is -1; expected a finite number above 0"),
    ((2, np.nan, "code"), "yarn: trained_length is nan; expected a finite number above 0"),
    ((2, np.inf, "code"), "yarn: trained_length is inf; expected a finite number above 0"),
    ((2, 2048, "yarn"), "yarn: ramp is 'yarn'; expected one of paper, code"),
    ((2, 2048, "code", 1, 1), "yarn: beta_slow is 1 and beta_fast is 1; expected numbers above 0"),
    ((2, 2048, "code", 4, 0), "yarn: beta_slow is 0 and beta_fast is 4; expected numbers above 0"),
]


@both
@pytest.mark.parametrize(("given", "said"), REFUSED)
def test_a_wrong_value_is_named(library, given, said):
    with pytest.raises(ValueError) as caught:
        library.yarn(THETA, *given)
    assert str(caught.value).startswith(said)


@both
def test_one_pair_has_a_ramp_in_turns_alone(library):
    assert library.yarn(THETA[:1], 2, 2048, "paper") == THETA[:1]
    with pytest.raises(ValueError, match="frequencies has 1 pair; expected at least 2 for 'code'"):
        library.yarn(THETA[:1], 2, 2048, "code")


def in_turns(low=lambda slow: slow, high=lambda fast: fast, inverted=False, circle=2 * np.pi):
    """The paper's ramp with one thing changed, whichever was asked for."""

    def yarn(theta, factor, trained_length, ramp, beta_fast=32, beta_slow=1):
        turns, slow, fast = trained_length * theta / circle, low(beta_slow), high(beta_fast)
        kept = np.clip((turns - slow) / (fast - slow), 0, 1)
        kept = 1 - kept if inverted else kept
        return theta * (kept + (1 - kept) / factor)

    return yarn


def in_pairs(first=np.floor, last=np.ceil):
    """The code's ramp with another rounding of its ends."""

    def yarn(theta, factor, trained_length, ramp, beta_fast=32, beta_slow=1):
        number = np.arange(len(theta))
        turns = np.log(trained_length * theta / (2 * np.pi))
        a, b = (np.interp(-np.log(r), -turns, number) for r in (beta_fast, beta_slow))
        kept = 1 - np.clip((number - first(a)) / (last(b) - first(a)), 0, 1)
        return theta * (kept + (1 - kept) / factor)

    return yarn


def paper(library):
    test_the_paper_keeps_what_turned_often_and_slows_what_turned_less_than_once(library)


def llama_2(library):
    test_the_ramp_of_the_code_is_what_its_authors_and_hugging_face_compute(library, CODE[0])


llama_3 = test_the_ramp_of_the_paper_to_4_turns_is_the_scaling_of_llama_3
WRONG = {
    "inverted": (in_turns(inverted=True), paper),
    "in radians": (in_turns(circle=1), paper),
    "from 0 turns": (in_turns(low=lambda slow: 0), paper),
    "to 16 turns": (in_turns(high=lambda fast: 16), paper),
    "always to 32 turns": (in_turns(high=lambda fast: 32), llama_3),
    "the paper's for the code's": (in_turns(), llama_2),
    "the code's for the paper's": (in_pairs(), llama_3),
    "the first pair rounded up": (in_pairs(first=np.ceil), llama_2),
    "the last pair rounded down": (in_pairs(last=np.floor), llama_2),
    "neither rounded": (in_pairs(first=float, last=float), llama_2),
}


@both
@pytest.mark.parametrize("mistake", WRONG)
def test_a_wrong_version_turns_its_claim_red(monkeypatch, library, mistake):
    wrong, claim = WRONG[mistake]
    claim(library)
    library.put(monkeypatch, "yarn", wrong)
    with pytest.raises(AssertionError):
        claim(library)


def test_the_wrong_ramp_in_pairs_is_right_but_for_its_rounding():
    of = PUBLISHED[CODE[0]]
    theta = right.frequencies(of["width"], of["base"])
    out = in_pairs()(theta, of["factor"], of["trained_length"], "code")
    np.testing.assert_allclose(out, of["frequencies"], rtol=ROUNDED)
