"""The records of three seeds, on two versions of PyTorch, say what the chapter claims of them."""

from collections import Counter

import pytest

from attnbook import measure
from attnbook.models import __main__ as command

RECORDS = "dates", "dates-torch-2.14"
NARROW_LONG = ("none", 32, 1600)  # a run that came after the second record
LACKING = {"dates": set(), "dates-torch-2.14": {NARROW_LONG}}


def runs(rows):
    return [(row["attention"], row["hidden"], row["steps"]) for row in rows]


def every_run_thrice(rows, expected):
    assert Counter(runs(rows)) == dict.fromkeys(expected, 3)


def least_and_most(rows, attention, hidden, steps):
    wanted = {"attention": attention, "hidden": hidden, "steps": steps}
    found = [row["exact match"] for row in rows if wanted.items() <= row.items()]
    assert len(found) == 3
    return min(found), max(found)


def claims(rows):
    for scorer in ("additive", "dot product"):
        assert least_and_most(rows, scorer, 64, 400)[0] >= 0.99
        assert least_and_most(rows, scorer, 32, 400)[0] >= 0.97
    for hidden in (32, 64):
        assert least_and_most(rows, "none", hidden, 400)[1] <= 0.6
    assert least_and_most(rows, "none", 64, 1600)[0] >= 0.97
    if NARROW_LONG in runs(rows):
        least, most = least_and_most(rows, *NARROW_LONG)
        assert 0.01 <= least <= most <= 0.6


@pytest.mark.parametrize("name", RECORDS)
def test_the_record_has_every_run_and_bears_out_the_claims(name):
    found = measure.recorded(name)
    assert found["command"] == "python -m attnbook.models"
    assert found["settings"] == command.SETTINGS
    every_run_thrice(found["rows"], set(command.RUNS) - LACKING[name])
    claims(found["rows"])


def test_the_records_are_of_two_versions():
    versions = {measure.recorded(name)["environment"]["torch"][:4] for name in RECORDS}
    assert versions == {"2.13", "2.14"}


def test_a_run_that_stands_for_another_is_found():
    rows = measure.recorded("dates")["rows"]
    with pytest.raises(AssertionError):  # as many rows, of the same kinds, but not three of each
        every_run_thrice([*rows[1:], rows[-1]], set(command.RUNS))


def test_a_record_that_says_otherwise_is_found():
    rows = measure.recorded("dates")["rows"]
    for row in rows:
        with pytest.raises(AssertionError):
            claims([row | {"exact match": 0.8} if other is row else other for other in rows])
