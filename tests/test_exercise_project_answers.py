"""What readers hand in at the checks of a project, built otherwise than its solutions."""

import pytest

from attnbook import exercises
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
