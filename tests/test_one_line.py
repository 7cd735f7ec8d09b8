"""A line that is changed stands where it is said to, or the change is refused."""

import one_line
import pytest

from attnbook import masks, reference
from attnbook.exercises.engine.edits import exchanged, versions


def twice(x):
    return x + x


class Twice:
    @staticmethod
    def twice(x):
        return twice(x) + 0  # that of the module


@pytest.mark.parametrize("line", ["x - x → 0", "x → y", "x - x ⇒ 0", "x + x → y ; x - x → 0"])
def test_an_edit_that_does_not_fit_is_refused(line):
    with pytest.raises(ValueError, match=r"fits nothing: .* times in the text of twice"):
        versions(line, twice)


def test_a_text_is_exchanged_once_or_everywhere():
    assert exchanged("a b", "a", "c") == "c b"
    assert exchanged("a b a", "a", "c", everywhere=True) == "c b c"
    for text, everywhere in (("b", False), ("a b a", False), ("b", True)):
        with pytest.raises(ValueError, match="times in the text"):
            exchanged(text, "a", "c", everywhere)


def test_a_version_is_the_function_with_one_line_changed(monkeypatch):
    assert one_line.version(twice, "x + x → x * x")(3) == 9
    with pytest.raises(ValueError, match="stands 2 times"):
        one_line.put(monkeypatch, Twice.twice, "x → ")
    one_line.put(monkeypatch, Twice.twice, "+ 0 → + 1")
    assert Twice.twice(3) == 7 and twice(3) == 6


def test_a_module_is_changed_and_stays_as_it_is():
    changed = one_line.of_module(masks, "ahead(n_q, n_k) <= 0 → ahead(n_q, n_k) < 0")
    assert changed.causal_mask(1, 2).tolist() == [[True, False]]
    assert masks.causal_mask(1, 2).tolist() == [[True, True]]
    with pytest.raises(ValueError, match="stands 0 times"):
        one_line.of_module(reference, "no such text → ")


def test_a_module_is_changed_until_the_test_ends():
    with pytest.MonkeyPatch.context() as patch:
        one_line.put(patch, masks, "ahead(n_q, n_k) <= 0 → ahead(n_q, n_k) < 0")
        assert masks.causal_mask(1, 2).tolist() == [[True, False]]
    assert masks.causal_mask(1, 2).tolist() == [[True, True]]


def test_a_claim_that_was_false_before_or_stays_true_rejects_nothing(monkeypatch):
    for claim, said in ((lambda: None, "DID NOT RAISE"), (lambda: pytest.fail("before"), "before")):
        with pytest.raises(pytest.fail.Exception, match=said):
            one_line.assert_rejected(monkeypatch, twice, "x + x → x * x", claim)
        monkeypatch.undo()
