"""What a check does with an answer that misbehaves, and what is kept of a reader's progress."""

import json
import time
from dataclasses import fields, replace
from fractions import Fraction

import numpy as np
import pytest

from attnbook import exercises
from attnbook.exercises import attempt, record
from attnbook.exercises.break_it import Break
from attnbook.exercises.compare import difference
from attnbook.exercises.exercise import Exercise, Misconception
from attnbook.exercises.write import Write, case, stress

DOUBLE = Write(
    name="test.double",
    title="Double",
    level="easy",
    minutes=1,
    solution_of=lambda x: 2 * x,
    explanation="Twice.",
    hints=("Add it to itself.", "Or multiply."),
    misconceptions=(Misconception(lambda x: x**2, "that is the square."),),
    notice="Doubling is linear.",
    cases=(case(x=np.array([2.0])), case(x=np.array([3.0])), case(x=np.ones((2, 40)))),
)


@pytest.fixture(autouse=True)
def kept(tmp_path, monkeypatch):
    monkeypatch.setattr(record, "path", lambda: tmp_path / "data" / "progress.json")
    return tmp_path / "data"


def text(answer):
    return DOUBLE.verdict(answer).text


def test_an_error_is_told_with_its_line_and_input_and_no_frames_of_ours():
    def broken(x):
        y = x + 1
        return y[7]

    assert text(broken).split("\n") == [
        "Not yet: your function raised IndexError: index 7 is out of bounds for axis 0 with size 1",
        f"  where  line {broken.__code__.co_firstlineno + 2}, in broken: return y[7]",
        "  input  x = [2.]",
    ]


def test_returning_nothing_is_told():
    assert "nothing was returned" in text(lambda x: None)


def test_wrong_type_shape_and_dtype_are_told_with_both():
    assert "a list was returned; expected a float64 array of shape (1,)" in text(lambda x: [4.0])
    assert "the shape is (1, 1); expected (1,)" in text(lambda x: 2 * x[None])
    assert "the dtype is float32; expected float64" in text(lambda x: np.float32(2) * x.astype("f"))


def test_a_changed_argument_is_named():
    def in_place(x):
        x *= 2
        return x

    assert "your function changed its argument x" in text(in_place)


def test_an_answer_that_writes_and_restores_is_found():
    def restores(x):
        x *= 2
        out = x.copy()
        x /= 2
        return out

    assert "your function writes into its argument" in text(restores)


def test_an_answer_that_is_right_only_once_is_found():
    seen = []

    def forgets(x):
        seen.append(x.tolist())
        return 2 * x * (seen.count(x.tolist()) == 1)

    assert "called again with this input, the values differ" in text(forgets)


def test_a_result_that_a_later_call_overwrites_is_found():
    kept = {}

    def into_one_array(x):
        return np.multiply(x, 2, out=kept.setdefault(x.shape, np.empty(x.shape)))

    assert "a later call changed the array that was returned here" in text(into_one_array)


def test_an_answer_that_never_ends_is_stopped(monkeypatch):
    def endless(x):
        while True:
            try:
                print("still here")
            except Exception:
                pass

    monkeypatch.setattr(attempt, "SECONDS", 0.2)
    start = time.monotonic()
    assert "did not finish" in text(endless)
    assert time.monotonic() - start < 5


@pytest.mark.parametrize("then", [lambda x: 2 * x, lambda x: None])
def test_an_answer_that_swallows_the_interrupt_is_stopped(monkeypatch, then):
    def endless(x):
        out = None
        while out is None:
            try:
                time.sleep(0.01)
            except BaseException:
                out = then(x)
        return out

    monkeypatch.setattr(attempt, "SECONDS", 0.2)
    start = time.monotonic()
    assert "did not finish" in text(endless)
    assert time.monotonic() - start < 5


class UnknownToPython(BaseException):
    pass


@pytest.mark.parametrize(
    "error", [SystemExit, RecursionError, MemoryError, AssertionError, UnknownToPython]
)
def test_whatever_an_answer_raises_is_told(error):
    def raises(x):
        raise error("no")

    assert f"raised {error.__name__}: no" in text(raises)


def test_what_cannot_be_shown_is_told_all_the_same():
    class Mute(Exception):
        def __str__(self):
            raise ValueError

        __repr__ = __str__

    def raises(x):
        raise Mute

    assert "raised Mute" in text(raises)
    assert "a Mute was returned" in text(lambda x: Mute())
    assert "the dtype is object" in text(lambda x: (2 * x).astype(object if x.size > 32 else float))


def test_an_interrupt_is_the_readers_own():
    def interrupted(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        DOUBLE.verdict(interrupted)


def test_what_is_no_function_is_told():
    assert "wants your function itself, but got float64 array" in text(np.array([4.0]))


def test_a_misconception_comes_with_the_smallest_input_that_shows_it():
    assert text(lambda x: x * x).split("\n") == [
        "Not yet: that is the square.",
        "  input     x = [3.]",
        "  expected  [6.]",
        "  got       [9.]",
    ]


def test_a_mistake_that_only_resembles_a_misconception_is_not_called_one():
    assert "square" not in text(lambda x: x**2 + (x > 2.5))


def test_a_misconception_is_named_though_an_extreme_input_fails_for_a_second_reason():
    def square_in_single_precision(x):
        return (x.astype(np.float32) ** 2).astype(np.float64)

    extreme = replace(DOUBLE, cases=(*DOUBLE.cases, stress(x=np.array([1e300]))))
    assert "that is the square" in extreme.verdict(square_in_single_precision).text
    assert "that is the square" not in extreme.verdict(lambda x: 2 * x % 1e300).text


def test_a_misconception_that_only_extremes_show_must_explain_all_that_fails():
    capped = Misconception(lambda x: np.minimum(2 * x, 1e200), "there is no such limit.")
    extremes = (stress(x=np.array([1e300])), stress(x=np.array([-1e300])))
    extreme = replace(DOUBLE, misconceptions=(capped,), cases=(*DOUBLE.cases, *extremes))
    assert "no such limit" in extreme.verdict(capped.wrong).text
    assert "no such limit" not in extreme.verdict(lambda x: np.clip(2 * x, -1e200, 1e200)).text


def test_the_place_of_the_first_difference_is_told_in_a_large_array():
    def wrong_at_one_place(x):
        out = 2 * x
        if out.ndim == 2:
            out[1, 30] = 5
        return out

    assert "at [1, 30]: expected 2, got 5" in text(wrong_at_one_place)


def test_a_value_off_by_more_than_rounding_differs():
    assert difference(np.ones(2), np.ones(2) + 1e-12) is None
    assert difference(np.ones(2), np.ones(2) + 1e-10) == "the values differ"
    assert difference(np.zeros(2), np.full(2, 1e-12), exact_zeros=True) == "the values differ"
    assert difference(np.array([np.nan, np.inf]), np.array([np.nan, np.inf])) is None


def test_an_input_breaks_by_its_numbers_and_not_by_its_dtype():
    shared = {f.name: getattr(DOUBLE, f.name) for f in fields(Exercise) if f.init}
    fails_above_ten = Break(
        **shared | {"misconceptions": ()},
        wrong=lambda x: np.float64(1) * x,
        right=lambda x: x + (x > 10),
        allowed=lambda x: None,
    )
    assert fails_above_ten.verdict(np.float32([1, 2])).state == "wrong"
    assert fails_above_ten.verdict([1.0, 20.0]).state == "right"


def test_fractions_and_several_numbers_are_an_answer():
    answer = Fraction(1, 26), Fraction(9, 26), Fraction(16, 26)
    assert exercises.temperature.colder.verdict(list(answer)).state == "right"
    assert exercises.temperature.colder.verdict(*answer).state == "right"
    assert exercises.temperature.colder.verdict(*reversed(answer)).state == "wrong"
    assert exercises.weighted_average.not_a_lookup.verdict(Fraction(5, 2)).state == "right"
    assert exercises.weighted_average.not_a_lookup.verdict(10**400).state == "wrong"


def test_tries_and_the_day_of_solving_are_kept(kept):
    DOUBLE.check(lambda x: x)
    DOUBLE.check(lambda x: 2 * x)
    DOUBLE.check(...)
    entry = json.loads((kept / "progress.json").read_text())["test.double"]
    assert entry["tries"] == 2 and len(entry["solved"]) == 10


def test_what_a_later_version_kept_survives(kept):
    kept.mkdir()
    later = {"chapter_99.new": {"tries": 1}, "test.double": {"tries": 4, "stars": 3}}
    (kept / "progress.json").write_text(json.dumps(later))
    record.add("test.double", solved=False)
    after = {"chapter_99.new": {"tries": 1}, "test.double": {"tries": 5, "stars": 3}}
    assert json.loads((kept / "progress.json").read_text()) == after


def test_progress_survives_the_move_of_an_exercise_to_another_chapter(kept):
    kept.mkdir()
    solved = {"tries": 2, "solved": "2026-01-02"}
    (kept / "progress.json").write_text(json.dumps({"softmax.jacobian": solved}))
    assert record.load() == {"temperature.jacobian": solved}
    known = {exercise.name for exercise in exercises.every()}
    assert known >= set(record.RENAMED.values()) and not known & set(record.RENAMED)


@pytest.mark.parametrize("content", ["{", "[1, 2]", '{"a": 1}', "\x00\xff", ""])
def test_a_corrupt_file_is_set_aside_with_a_notice(kept, capsys, content):
    kept.mkdir()
    (kept / "progress.json").write_text(content, encoding="latin-1")
    record.add("test.double", solved=True)
    assert "could not be read" in capsys.readouterr().out
    assert (kept / "progress.json.unreadable-1").read_text(encoding="latin-1") == content
    assert "test.double" in record.load()


def test_a_folder_that_cannot_be_written_is_no_error(kept, capsys):
    kept.write_text("a file where the folder should be")
    record.add("test.double", solved=True)
    assert "could not be" in capsys.readouterr().out


def test_progress_is_a_table_of_all_exercises():
    solved = exercises.every()[0]
    record.add(solved.name, solved=True)
    table = exercises.progress()
    assert f"| {solved.name} | {solved.kind} | 1 | 2" in table
    assert table.endswith(f"1 of {len(exercises.every())} solved.")


def test_an_unknown_exercise_is_an_error():
    with pytest.raises(KeyError, match=r"there is no exercise 'masks\.nothing'"):
        exercises.find("masks.nothing")
    with pytest.raises(AttributeError, match="no chapter 'chapter_99'"):
        _ = exercises.chapter_99
