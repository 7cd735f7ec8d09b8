"""YaRN's frequencies are those that others compute, with the paper's ramp and with the code's.

Each test runs on the function of NumPy and on its twin in PyTorch.
"""

import json
from fractions import Fraction
from pathlib import Path

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


def paper(library):
    test_the_paper_keeps_what_turned_often_and_slows_what_turned_less_than_once(library)


def llama_2(library):
    test_the_ramp_of_the_code_is_what_its_authors_and_hugging_face_compute(library, CODE[0])


llama_3 = test_the_ramp_of_the_paper_to_4_turns_is_the_scaling_of_llama_3
RAMP, CHOSEN = "(turns - slow) / (fast - slow)", 'if ramp == "paper"'
MISTAKES = {
    "inverted": ("yarn", "kept = by_turns → kept = 1 - by_turns", paper),
    "in radians": ("yarn", "/ (2 * np.pi) → / 1", paper),
    "from 0 turns": ("yarn", f"{RAMP} → turns / fast", paper),
    "to 16 turns": ("yarn", f"{RAMP} → (turns - slow) / (16 - slow)", paper),
    "always to 32 turns": ("yarn", f"{RAMP} → (turns - slow) / (32 - slow)", llama_3),
    "the paper's for the code's": ("yarn", f"{CHOSEN} → if True", llama_2),
    "the code's for the paper's": ("yarn", f"{CHOSEN} → if False", llama_3),
    "the first pair rounded up": ("_kept_by_number", "np.floor( → np.ceil(", llama_2),
    "the last pair rounded down": ("_kept_by_number", "np.ceil( → np.floor(", llama_2),
    "neither rounded": ("_kept_by_number", "np.floor( → ( ; np.ceil( → (", llama_2),
}


@both
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_turns_its_claim_red(monkeypatch, library, mistake):
    name, change, claim = MISTAKES[mistake]
    library.assert_rejected(monkeypatch, name, change, claim)
