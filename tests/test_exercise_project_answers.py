"""What readers hand in at the checks of a project, built otherwise than its solutions."""

import numpy as np
import pytest

from attnbook import exercises
from attnbook.exercises.engine import diagnose
from attnbook.exercises.engine.diagnose import arguments
from attnbook.exercises.engine.diagnose.slips import mistaken
from attnbook.exercises.engine.edits import versions

RIGHT = {  # a change of the solution that changes nothing
    "many_gpus.forward": [
        "v[r], True → v[r], causal=True ; v[r, keys], False → v[r, keys], causal=False"
    ],
    "many_gpus.backward": ["source == r) → causal=source == r)"],
    "flash_attention.forward": [
        "step(m, l, o, → step(m=m, l=l, o=o, scores= ; v[keys]) → v=v[keys])"
    ],
    "flash_attention.backward": ["lse[i], scores, v[j] → lse=lse[i], scores=scores, v=v[j]"],
    "past_the_trained_length.endless": [
        "keys, values, sinks, drop, theta → keys=keys, values=values, start=sinks, count=drop, "
        "theta=theta"
    ],
}

RETURNED = [  # what else may be returned, and what is said of it
    (
        "flash_attention.forward",
        "return out, lse → return out",
        "a ndarray was returned; expected a tuple of 2",
    ),
    ("flash_attention.forward", "return out, lse → return [out, lse]", None),
    (
        "flash_attention.backward",
        "return grad_q, grad_k, → return grad_q,",
        "2 results were returned; expected a tuple of 3",
    ),
    (
        "many_gpus.forward",
        "return out, lse → return out",
        "a ndarray was returned; expected a tuple of 2",
    ),
    (
        "many_gpus.backward",
        "return grad_q, send(grad_k), → return grad_q,",
        "2 results were returned; expected a tuple of 3",
    ),
    ("past_the_trained_length.endless", "return out → return list(out)", None),
    (
        "past_the_trained_length.endless",
        "return out → return out, len(q) // room",
        "a tuple was returned; expected one array",
    ),
    (
        "past_the_trained_length.endless",
        "keys, values = closed_gap → closed_gap(k, v, 0, 0, theta); keys, values = closed_gap",
        "calls of `closed_gap`: 2; needed: 1; right: out",
    ),
    (
        "flash_attention.forward",
        "m, l, o = step(m → step(m, l, o, scores, v[keys])\n            m, l, o = step(m",
        "calls of `step`: 4; needed: 2; right: out and lse",
    ),
    (
        "many_gpus.forward",
        "k, v = send(k), send(v) → send(q)\n        k, v = send(k), send(v)",
        "numbers that a rank has sent: 18; needed: 10; right: out and lse and pairs",
    ),
]


def changed(name, line):
    (answer,) = versions(line, exercises.find(name).answer)
    return answer


@pytest.mark.parametrize(("name", "line"), [(n, x) for n, lines in RIGHT.items() for x in lines])
def test_another_right_answer_is_right(name, line):
    verdict = exercises.find(name).verdict(changed(name, line))
    assert verdict.state == "right", verdict.text


def test_a_wrong_call_names_the_function_that_was_called():
    wrong = changed("many_gpus.forward", "v[r], True → v[r]")
    told = exercises.many_gpus.forward.verdict(wrong).text
    assert "attend() missing 1 required positional argument: 'causal'" in told


RAGGED = {  # and what is seen of each, once slips are compared
    "behind = → if not start: return keys, values\n    behind =": "it is keys, as it came in",
    "keys[..., start + count :, :] → keys[..., start + count - keys.shape[-2] :, :]": (
        "right: values"
    ),
}


@pytest.mark.parametrize("line", RAGGED)
def test_a_slip_that_makes_no_array_ends_no_diagnosis(line):
    """Where keys come back too long, some slip of the solution returns a list of two shapes."""
    exercise = exercises.past_the_trained_length.closed_gap
    verdict = exercise.verdict(changed(exercise.name, line))
    assert verdict.state == "wrong" and RAGGED[line] in verdict.text


def test_where_no_fact_can_be_found_the_verdict_stands(monkeypatch):
    def failing(*seen):
        raise ZeroDivisionError

    monkeypatch.setattr(diagnose, "_same_as", failing)
    exercise = exercises.past_the_trained_length.closed_gap
    verdict = exercise.verdict(changed(exercise.name, next(iter(RAGGED))))
    assert verdict.state == "wrong" and "the shape is" in verdict.text


@pytest.mark.parametrize(("name", "line", "told"), RETURNED)
def test_results_are_told_from_what_the_check_counts(name, line, told):
    verdict = exercises.find(name).verdict(changed(name, line))
    assert verdict.state == ("wrong" if told else "right"), verdict.text
    assert (told or "Correct") in verdict.text


A_ROW_OF_TILES = {
    "flash_attention.forward": "for j in range → every = q[i : i + rows] @ k.T / d**0.5\n"
    "        for j in range ; q[i : i + rows] @ k[keys].T / d**0.5 → every[:, keys]",
    "flash_attention.backward": "for begin in range → every = scale * q @ k[j].T\n"
    "        for begin in range ; scale * q[i] @ k[j].T → every[i]",
}


@pytest.mark.parametrize("name", A_ROW_OF_TILES)
def test_a_pass_that_holds_the_scores_of_a_row_of_tiles_is_refused(name):
    verdict = exercises.find(name).verdict(changed(name, A_ROW_OF_TILES[name]))
    assert verdict.state == "wrong" and "MiB at its peak" in verdict.text


def test_a_row_that_need_not_stand_alone_is_no_cause():
    """`theta` has a number for each pair, and not for each row of the keys."""
    exercise = exercises.past_the_trained_length.closed_gap
    further = changed(exercise.name, "-count) → count - keys.shape[-2])")
    told = exercise.verdict(further).text
    assert "the values differ" in told and "depends on the last of" not in told


def test_a_function_that_is_handed_out_stands_in_no_other_s_place():
    exercise = exercises.past_the_trained_length.endless
    assert not any("closed_gap in the place" in words for words, _ in mistaken(exercise.answer))
    assert any("drop in the place" in words for words, _ in mistaken(exercise.answer))


FOR_SHOW = (
    "k, v = send(k), send(v) → send(k), send(v) ; "
    "k[r, keys], v[r, keys] → k[(r - step) % w, keys], v[(r - step) % w, keys]"
)


def test_a_rank_that_sends_for_show_and_reads_from_another_is_refused():
    told = exercises.many_gpus.forward.verdict(changed("many_gpus.forward", FOR_SHOW)).text
    assert "a rank reads keys where they lie on another" in told


BEGUN_ANEW_IN_EACH_TILE = (
    "range(0, last[-1] + 1, columns): → range(0, n_k, columns):\n"
    "            m, l, o = m - np.inf, 0 * l, 0 * o\n"
    "            if j > last[-1]:\n"
    "                break"
)


def test_nan_hides_what_an_argument_does(monkeypatch):
    exercise = exercises.flash_attention.forward
    wrong = changed(exercise.name, BEGUN_ANEW_IN_EACH_TILE)
    told = exercise.verdict(wrong).text
    assert "the values differ" in told and "has no effect" not in told
    case = {"x": np.ones(1)}
    seen = (lambda case: np.full(1, np.nan)), (lambda case: case["x"])
    assert arguments.unused(*seen, case, [case]) is None
    monkeypatch.setattr(arguments, "_holds_nan", lambda x: False)
    assert arguments.unused(*seen, case, [case]) == "x has no effect on it"
