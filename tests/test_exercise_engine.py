"""What a check says of an answer that misbehaves."""

import gc
import sys
import warnings
from dataclasses import replace

import numpy as np
import pytest
import torch
from double import DOUBLE, like_double, text

from attnbook import exercises
from attnbook.exercises.engine import record
from attnbook.exercises.engine.attempt import attempt, identical
from attnbook.exercises.engine.breaks import Break, a_row
from attnbook.exercises.engine.compare import difference
from attnbook.exercises.engine.exercise import not_yet
from attnbook.exercises.engine.predicts import Predict
from attnbook.exercises.engine.reading import read_mistakes
from attnbook.exercises.engine.writes import Write, case
from attnbook.positions import rope

LIBRARY = {"warnings": warnings}
pytestmark = pytest.mark.usefixtures("progress_folder")


def test_an_error_is_told_with_its_line_and_input_and_no_frames_of_ours():
    def broken(x):
        y = x + 1
        return y[7]

    assert text(broken).split("\n") == [
        "Not yet: your function raised IndexError: index 7 is out of bounds for axis 0 with size 1",
        f"  where  line {broken.__code__.co_firstlineno + 2}, in broken: return y[7]",
        "  input  x = [2.]",
    ]


def test_a_name_that_no_cell_has_defined_is_told_with_what_to_run():
    def unbound(x):
        if x is None:
            y = 0
        return y  # a NameError, too, but no other cell helps

    assert "help   if a cell above defines it, run that cell first" in text(lambda x: lost)  # noqa: F821
    assert "  help " not in text(unbound)


def test_an_error_inside_a_library_is_told_with_the_readers_line():
    told = text(lambda x: np.stack([x[:, None, None]] * 0))
    assert "where  line" in told and "np.stack" in told


def test_returning_nothing_is_told():
    assert "nothing was returned" in text(lambda x: None)


def test_wrong_type_shape_and_dtype_are_told_with_both():
    assert "a tuple was returned; expected a float64 array of shape (1,)" in text(lambda x: (4.0,))
    assert "a MaskedArray was returned" in text(lambda x: np.ma.array(2 * x))
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


def test_of_several_results_each_is_copied_when_it_is_returned():
    kept = {}

    def into_kept_arrays(outs, lses):
        out, lse = exercises.online.merge_all.answer(outs, lses)
        into = kept.setdefault((lse.shape, lse.dtype), np.empty_like(lse))
        np.copyto(into, lse)
        return out, into

    told = exercises.online.merge_all.verdict(into_kept_arrays).text
    assert "a later call changed the array that was returned here" in told


def test_who_has_the_package_answer_is_right_and_hears_so():
    """Its own words of praise might be false of such an answer."""
    rope_halves = exercises.positions.rope_halves
    before = sys.getprofile()
    verdict = rope_halves.verdict(lambda x, positions, theta: rope(x, positions, theta, "halves"))
    assert verdict.state == "right" and "the package's own `rope` that answered" in verdict.text
    assert rope_halves.notice not in verdict.text
    assert rope_halves.notice in rope_halves.verdict(rope_halves.answer).text
    assert sys.getprofile() is before


class UnknownToPython(BaseException):
    pass


@pytest.mark.parametrize(
    "error", [SystemExit, RecursionError, MemoryError, AssertionError, UnknownToPython]
)
def test_whatever_an_answer_raises_is_told(error):
    def raises(x):
        raise error("no")

    assert f"raised {error.__name__}: no" in text(raises)


def test_details_of_several_lines_stand_below_each_other():
    assert not_yet("no.", one="1\n2", both_are="3").text.split("\n") == [
        "Not yet: no.",
        "  one       1",
        "            2",
        "  both are  3",
    ]


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


class Agreeing(np.ndarray):
    """An array that answers True whatever NumPy asks of it."""

    def __array_function__(self, *of_a_call):
        return True


def test_an_array_that_agrees_with_all_is_refused_in_words():
    told = text(lambda x: (2 * x).view(Agreeing))
    assert told.startswith("Not yet: a Agreeing was returned; expected a float64 array")
    assert text(lambda x: x.view(Agreeing)).startswith("Not yet: a Agreeing was returned")


def test_numpy_is_afterwards_as_it_was():
    isclose = np.isclose

    def patches(x):
        np.isclose = lambda *arguments, **options: True
        return x + 1.0

    assert text(patches).startswith("Not yet: the values differ")
    assert np.isclose is isclose


def test_a_list_that_is_far_too_long_is_refused_before_it_is_read():
    told = text(lambda x: [0.0] * 5_000_000)
    assert "a list of 5000000 numbers was returned: far too many" in told


def test_a_message_has_no_colours_of_a_terminal():
    def raises(x):
        raise ValueError("\x1b[1mbold\x1b[0m")

    assert "raised ValueError: bold\n" in text(raises)


def test_an_error_that_resembles_a_stub_is_an_error():
    class Missing(NotImplementedError):
        pass

    def raises(x):
        raise Missing("no such operation")

    assert "raised Missing: no such operation" in text(raises)


def test_an_interrupt_is_the_readers_own():
    def interrupted(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        DOUBLE.verdict(interrupted)


def test_an_interrupted_check_ends_in_one_line(progress_folder, capsys):
    def interrupted(x):
        raise KeyboardInterrupt

    DOUBLE.check(interrupted)
    said = "Interrupted: the check did not come to its end, and no try is counted.\n"
    assert capsys.readouterr().out == said
    assert record.load() == {}


def test_what_an_answer_prints_and_is_warned_of_is_shown_with_the_input_that_fails():
    def chatty(x):
        print("x is", x)
        print("of shape", x.shape, file=sys.stderr)
        return np.log(x - 3) if x[0] == 3 else 2 * x

    assert text(chatty).split("\n")[-3:] == [
        "  printed   x is [3.]",
        "            of shape (1,)",
        "  warned    RuntimeWarning: divide by zero encountered in log",
    ]


def test_what_a_right_answer_prints_is_shown_for_the_first_input_and_bounded():
    def chatty(x):
        print("now", x[0] if x.ndim == 1 else "rows")
        return 2 * x

    assert text(chatty) == "Correct. Doubling is linear.\n  printed  now 2.0"
    told = text(lambda x: [print("x" * 99) for _ in range(1000)] and 2 * x)
    assert told.endswith(" … (100000 characters in all)") and len(told) < 700
    words = text(lambda x: [print("whole words") for _ in range(1000)] and 2 * x)
    assert words.endswith(" whole … (12000 characters in all)")


def test_what_a_library_warns_of_is_not_shown():
    warning = "warnings.warn('old')"
    assert "warned" not in text(lambda x: exec(compile(warning, np.__file__, "exec"), LIBRARY) or x)
    assert "UserWarning: old" in text(lambda x: warnings.warn("old", stacklevel=1) or x)


def test_what_is_no_function_is_told():
    assert "wants your function itself, but got float64 array" in text(np.array([4.0]))


def test_the_place_of_the_first_difference_is_told_in_a_large_array():
    def wrong_at_one_place(x):
        out = 2 * x
        if out.ndim == 2:
            out[1, 30] = 5
        return out

    assert "at [1, 30]: expected 2, got 5" in text(wrong_at_one_place)


@pytest.mark.parametrize("one", [float, np.float64, np.asarray])
def test_numbers_that_would_look_the_same_are_told_apart(one):
    total = like_double(Write, answer=lambda x: x.sum(), cases=(case(x=np.ones(2)),))
    assert total.verdict(lambda x: one(1.999999996)).text.split("\n")[2:] == [
        "  expected  2",
        "  got       1.999999996",
    ]
    assert "expected  2\n  got       2.5" in total.verdict(lambda x: one(2.5)).text


def test_a_value_off_by_more_than_rounding_differs():
    assert difference(np.ones(2), np.ones(2) + 1e-12) is None
    assert difference(np.ones(2), np.ones(2) + 1e-10) == "the values differ"
    assert difference(np.zeros(2), np.full(2, 1e-12), exact_zeros=True) == "the values differ"
    assert difference(np.array([np.nan, np.inf]), np.array([np.nan, np.inf])) is None


def test_each_dtype_has_its_own_tolerance_and_integers_are_of_one_kind():
    for dtype, rounding, mistake in ((np.float32, 2e-6, 1e-4), (np.float16, 1e-3, 1e-2)):
        one = np.ones(2, dtype)
        assert difference(one, one + dtype(rounding)) is None
        assert difference(one, one + dtype(mistake)) == "the values differ"
    assert difference(np.arange(3), np.arange(3, dtype=np.int32)) is None
    assert "the dtype is" in difference(np.arange(3), np.arange(3.0))
    assert not identical(np.zeros(1), np.zeros(1, np.int64))


def test_a_list_of_numbers_is_an_array_and_a_list_of_results_their_tuple():
    assert difference(np.array([[0, 1], [1, 0]]), [[0, 1], [1, 0]]) is None
    assert difference(np.array([0.5, 1.0]), [0.5, np.float64(1)]) is None
    assert difference((3, 4), [3, 4]) is None
    assert "the dtype is" in difference(np.array([0, 1]), [0.0, 1.0])
    assert "the dtype is" in difference(np.float32([0.5]), [0.5])
    assert "a list was returned" in difference(np.zeros(2), [0.0, [0.0, 0.0]])
    assert "a list was returned" in difference(np.zeros(2), ["a", "b"])
    assert "3 results were returned" in difference((3, 4), (3, 4, 5))
    for name in ("triton.phases", "many_gpus.whose", "many_gpus.zigzag"):
        exercise = exercises.find(name)
        assert exercise.verdict(lambda *given, f=exercise.answer: [*f(*given)]).state == "right"


def test_a_whole_number_may_be_typed_as_a_float():
    assert exercises.triton.offset.verdict(16.0, 32, 65536.0).state == "right"
    assert exercises.fused.after_cut.verdict(2.0, 3.0, np.float32(2)).state == "right"
    told = exercises.fused.after_cut.verdict(2.5, 3, 2).text
    assert "n_q is float 2.5; the check wants a whole number from 0 to 1000" in told
    assert exercises.weighted_average.not_a_lookup.verdict(1e300).state == "wrong"


class Unreadable:
    def __array__(self, *given, **named):
        raise LookupError("no array")

    def __repr__(self):
        raise LookupError("no words")


UNREAD = [Unreadable(), range(10**9), range(10**30), 10**5000]


@pytest.mark.parametrize("typed", UNREAD, ids=["unreadable", "long", "longer", "large"])
def test_what_cannot_be_read_or_shown_is_refused(typed):
    for exercise in (exercises.weighted_average.not_a_lookup, exercises.temperature.colder):
        verdict = exercise.verdict(typed)
        assert verdict.state == "wrong" and len(verdict.text) < 200


def test_an_input_of_a_break_is_described_as_it_was_typed():
    told = exercises.modules.whose_mask.verdict(torch.zeros(2, 2, 2)).text
    assert "mask is float32 tensor of shape (2, 2, 2); expected booleans" in told
    assert (
        "mask is list [[[0, 1]], [[1, 1]]]"
        in exercises.modules.whose_mask.verdict([[[0, 1]], [[1, 1]]]).text
    )


def test_an_unknown_exercise_is_an_error():
    with pytest.raises(KeyError, match=r"there is no exercise 'masks\.nothing'"):
        exercises.find("masks.nothing")
    with pytest.raises(AttributeError, match="no chapter 'chapter_99'"):
        _ = exercises.chapter_99


ALIKE = """
one of two.
    a → b ; b → c || d || z
    at 2: 1 || (3, 4)
another, and this sentence
has two lines.
    = x | y || f(x)
    is f || g
    5 || [6, 7]
"""


def test_wrong_answers_that_begin_alike_may_stand_in_one_line():
    assert read_mistakes(ALIKE) == [
        (
            "one of two.",
            ["a → b ; b → c", "a → b ; b → d", "a → b ; b → z", "at 2: 1", "at 2: (3, 4)"],
        ),
        (
            "another, and this sentence has two lines.",
            ["= x | y", "= f(x)", "is f", "is g", "5", "[6, 7]"],
        ),
    ]


def test_no_garbage_is_collected_while_an_answer_runs():
    assert gc.isenabled()
    assert attempt(gc.isenabled, {}).value is False
    assert gc.isenabled()


class AllOfItself:
    """Every attribute of it is it again, so that it seems to have whatever is asked for."""

    def __getattr__(self, name):
        return self


def itself(*arguments):
    return itself


@pytest.mark.parametrize("answer", [AllOfItself(), AllOfItself, itself])
def test_an_answer_that_seems_to_have_every_attribute_is_refused_in_words(answer):
    shared = {"known": tuple, "answer": lambda: 1.0}
    predict = like_double(Predict, **shared)
    broken = like_double(
        Break, **shared, broken=abs, right=abs, allowed=lambda x: a_row(1, 2, 0, 9, x=x)
    )
    for exercise in (DOUBLE, replace(DOUBLE, answer=lambda x: 0.0 + x.size), predict, broken):
        assert exercise.verdict(answer).text.startswith("Not yet: ")
        assert exercise.verdict(lambda x: answer).text.startswith("Not yet: ")


def test_an_int_of_python_is_the_float_that_is_wanted():
    assert difference(np.float64(1), 1) is None
    assert difference(1.5, 1) == "the values differ"
    assert "dtype is int64" in difference(np.float64(1), np.int64(1))
    assert "dtype is bool" in difference(np.float64(1), True)
    assert "dtype is object" in difference(np.float64(1), 10**400)
    assert "dtype is float64" in difference(np.int64(1), 1.0)
