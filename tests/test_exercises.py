"""Every exercise accepts its solution, reports its stub, and names each known mistake."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest

from attnbook import exercises
from attnbook.exercises.engine import writes
from tools.nearest_tests import imported

ALL = exercises.every()
WRITE = [e for e in ALL if e.kind == "Write"]
MISTAKES = [(e, known) for e in ALL for known in e.mistakes]


name = {"ids": lambda x: getattr(x, "name", None)}


def answers(exercise, answer):
    """The arguments of `check`: a broken input may be several."""
    return answer if exercise.kind == "Break" and isinstance(answer, tuple) else (answer,)


def solution(exercise):
    if exercise.kind == "Write":
        return (exercise.answer,)
    return answers(exercise, exercise.answer())


def test_every_chapter_has_exercises():
    assert {exercise.name.split(".")[0] for exercise in ALL} == set(exercises.CHAPTERS)


CHAPTERS = Path(exercises.__file__).parent / "chapters"


def unlisted(folder, listed):
    """The exercises of a chapter that its order lacks."""
    return sorted({path.stem for path in folder.glob("[!_]*.py")} - set(listed))


@pytest.mark.parametrize("chapter", exercises.CHAPTERS)
def test_every_exercise_stands_once_in_the_order_of_its_chapter(chapter):
    folder, listed = CHAPTERS / chapter, exercises.names_in(chapter)
    assert unlisted(folder, listed) == []
    assert len(set(listed)) == len(listed)
    assert unlisted(folder, listed[1:]) == listed[:1]  # one that was forgotten is found


MODULES = sorted(CHAPTERS.glob("*/*.py"))


def test_a_module_of_a_chapter_that_is_no_exercise_has_an_underscore_in_front():
    for path in MODULES:
        makes_one = re.search(r"^exercise = ", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert bool(makes_one) != path.stem.startswith("_"), path


def borrowed(chapter, text):
    """What a module of a chapter imports from another's: that would change with it."""
    said = [found.split(".") for found in sorted(imported(text))]
    said = [parts for parts in said if parts[:3] == ["attnbook", "exercises", "chapters"]]
    return [".".join(parts[3:]) for parts in said if parts[3:4] not in ([], [chapter])]


def test_no_exercise_imports_those_of_another_chapter():
    assert MODULES
    for path in MODULES:
        assert borrowed(path.parent.name, path.read_text(encoding="utf-8")) == [], path


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("from attnbook.exercises.chapters.masks.tree_mask import tree_mask", "masks.tree_mask"),
        ("from attnbook.exercises.chapters import masks", "masks"),
        ("import attnbook.exercises.chapters.masks.added as added", "masks.added"),
    ],
)
def test_an_import_of_another_chapters_exercise_is_found(line, found):
    assert found in borrowed("museum", line)
    assert borrowed("masks", line) == []


@pytest.mark.parametrize("exercise", ALL, **name)
def test_an_exercise_is_named_after_its_variable_and_complete(exercise):
    chapter, variable = exercise.name.split(".")
    assert getattr(getattr(exercises, chapter), variable) is exercise
    assert exercise.notice and exercise.explanation
    assert len(exercise.hints) >= 2, "an exercise has two hints or more"
    sentences = {known.sentence for known in exercise.mistakes}
    assert len(sentences) >= 3, "an exercise has sentences for three mistakes or more"


def hyphens(markdown):
    """What stands for a minus, or for −∞, in text that is neither code nor a formula."""
    text = re.sub(r"`[^`]*`|\$[^$]*\$", "", markdown)
    return re.findall(r"(?<!\w)-(?=[\w∞√(])\w*| - |\binf\b", text)


@pytest.mark.parametrize("exercise", ALL, **name)
def test_an_explanation_has_true_minus_signs(exercise):
    assert hyphens(exercise.explanation) == []


def test_a_hyphen_for_a_minus_is_seen():
    assert hyphens("log-sum-exp of `-1`, $-1$ and −1") == []
    assert hyphens("(0 - 4) = -1, exp(-√2), -inf") == [" - ", "-1", "-", "-inf"]


@pytest.mark.parametrize("exercise", ALL, **name)
def test_the_solution_is_right(exercise):
    verdict = exercise.verdict(*solution(exercise))
    assert verdict.state == "right", verdict.text
    assert verdict.text.startswith(f"Correct. {exercise.notice}")


@pytest.mark.parametrize("exercise", ALL, **name)
def test_the_stub_is_not_attempted(exercise):
    def stub(*arguments):
        raise NotImplementedError

    stubs = (stub,) if exercise.kind == "Write" else (...,) * len(solution(exercise))
    assert exercise.verdict(*stubs).text == "Not attempted yet."


@pytest.mark.parametrize(("exercise", "known"), MISTAKES, **name)
def test_a_misconception_fails_with_its_own_sentence(exercise, known):
    verdict = exercise.verdict(*answers(exercise, known.answer))
    first = verdict.text.split("\n")[0]
    assert first == f"Not yet: {known.sentence}", made_of(known)


def made_of(known):
    """The line that makes a wrong answer, and the function that it changes."""
    line = getattr(known, "line", "") or known.answer
    return f"this is {line!r} in {getattr(known.answer, '__name__', 'the answer')}"


@pytest.mark.parametrize("exercise", WRITE, **name)
def test_no_mistake_is_one_of_ours(exercise):
    """What a change of the solution uses has to be imported beside it."""
    for number, known in enumerate(exercise.mistakes):
        errors = [exercise.mistake_outcome(number, i)[0].error for i in range(len(exercise.cases))]
        assert not any(isinstance(error, NameError) for error in errors), known.sentence


CONSTANTS = [0, 1.0, True, "", "nothing", [], (), np.zeros(3), np.zeros((3, 3)), print]


@pytest.mark.parametrize("exercise", ALL, **name)
def test_no_check_passes_a_constant(exercise, monkeypatch):
    number = len(solution(exercise))
    for constant in (None, *CONSTANTS):
        assert exercise.verdict(*(constant,) * number).state == "wrong", constant
        assert exercise.verdict(lambda *a, c=constant: c).state == "wrong", constant
        monkeypatch.setattr(writes, "facts", lambda *seen: [])  # once is enough for these words


def with_an_axis_more(f, *arguments):
    return f(*arguments)[None]


def twice(f, *arguments):
    out = f(*arguments)
    return ~out if out.dtype == bool else 2 * out + 1


def in_single_precision(f, *arguments):
    out = f(*arguments)
    return out.astype(np.int8 if out.dtype == bool else np.float32)


def nan_everywhere(f, *arguments):
    out = f(*arguments)
    return np.full(out.shape, np.nan)


def late_error(f, *arguments):
    raise RuntimeError("oops")


def changes_its_arguments(f, *arguments):
    out = f(*arguments)
    for a in arguments:
        if hasattr(a, "shape"):  # an array or a tensor
            a[...] = 0 if a.any() else 1
    return out


def one_number_of_axes(f, *arguments):
    if arguments[0].ndim != 2:
        raise ValueError("not two axes")
    return f(*arguments)


GENERIC = [
    with_an_axis_more,
    twice,
    in_single_precision,
    nan_everywhere,
    late_error,
    changes_its_arguments,
    one_number_of_axes,
]


ONE_HEAD = {  # their arrays have two axes
    "alignment.exact_match_of",
    "circuit.induction_score",
    "teach.targets_of",
    "past_the_trained_length.endless",
    "flash_attention.forward",
    "flash_attention.backward",
    "triton.causal",
}


def applies(exercise, spoil):
    """Spoiling arguments needs arrays among them, and a fixed number of axes may be asked for."""
    if exercise.name in ONE_HEAD and spoil is one_number_of_axes:
        return False
    first = [next(iter(c.arguments.values())) for c in exercise.cases]
    arrays = all(isinstance(a, np.ndarray) for a in first)
    return arrays or spoil not in (changes_its_arguments, one_number_of_axes)


SPOILED = [(exercise, spoil) for exercise in WRITE for spoil in GENERIC if applies(exercise, spoil)]


@pytest.mark.parametrize(
    ("exercise", "spoil"), SPOILED, ids=lambda x: getattr(x, "name", None) or x.__name__
)
def test_a_right_answer_spoiled_is_wrong(exercise, spoil):
    assert exercise.verdict(lambda *a: spoil(exercise.answer, *a)).state == "wrong"


@pytest.mark.parametrize("exercise", WRITE, **name)
def test_an_answer_that_prints_is_right_and_silent(exercise, capsys):
    def chatty(*arguments):
        print("x" * 10_000)
        return exercise.answer(*arguments)

    assert exercise.verdict(chatty).state == "right"
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("exercise", ALL, **name)
def test_hints_come_one_at_a_time(exercise, capsys):
    shown = []
    for _ in range(len(exercise.hints) + 1):
        exercise.hint()
        shown.append(capsys.readouterr().out)
    assert all(hint in out for hint, out in zip(exercise.hints, shown, strict=False))
    assert shown[-1] == ("No more hints; hint(1) shows the first again, solution() the solution.\n")


@pytest.mark.parametrize("exercise", ALL, **name)
def test_the_solution_shown_is_the_solution_checked(exercise):
    shown = exercise.solution_markdown()
    assert inspect.getsource(exercise.answer).split("\n")[0] in shown
    assert exercise.explanation in shown
