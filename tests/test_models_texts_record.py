"""The records of the Transformers, on two versions of PyTorch, say what the chapter claims."""

import pytest

from attnbook import measure
from attnbook.models import texts

PLATEAU = 3 * 2.302585 / 5  # three digits of five targets are not foreseen
RECORDS = "texts", "texts-torch-2.14"


def of(rows, task, positions):
    found = {
        row["seed"]: row for row in rows if (row["task"], row["positions"]) == (task, positions)
    }
    return [found[seed] for seed in sorted(found)]


def waits(losses):
    """How many means of 20 losses lie on the plateau; they differ from it by less than a digit."""
    return sum(abs(loss - PLATEAU) < 0.03 for loss in losses)


def claims(rows):
    ran = [(row["task"], row["positions"], row["seed"]) for row in rows]
    assert ran == [(*run, seed) for run in texts.RUNS for seed in texts.SEEDS]
    assert all(row["exact match"] >= 0.98 for row in of(rows, "reversal", "learned"))
    rotary, learned = (of(rows, "sums", kind) for kind in ("rotary", "learned"))
    assert all(row["exact match"] >= 0.99 for row in rotary + learned[1:])
    assert learned[0]["exact match"] < 0.05
    assert abs(learned[0]["losses by 20"][-1] - PLATEAU * 2 / 3) < 0.01  # two digits of three
    assert all(waits(row["losses by 20"]) >= 5 for row in rotary + learned)
    ones, tens, hundreds, *others = learned[0]["losses by place"]
    assert min(tens, hundreds) > 2.25 and max(ones, *others) < 0.01  # a guess costs ln 10 = 2.30
    assert all(max(row["losses by place"]) < 0.02 for row in rotary + learned[1:])
    assert all(row["bits per character"] < 1.75 for row in of(rows, "gospels", "rotary"))


@pytest.mark.parametrize("name", RECORDS)
def test_the_record_has_every_run_and_bears_out_the_claims(name):
    found = measure.recorded(name)
    assert found["command"] == texts.COMMAND and found["settings"] == texts.SETTINGS
    claims(found["rows"])


def test_the_records_are_of_two_versions():
    versions = {measure.recorded(name)["environment"]["torch"][:4] for name in RECORDS}
    assert versions == {"2.13", "2.14"}


OTHERWISE = [
    (("reversal", 2), {"exact match": 0.9}),
    (("sums", 0), {"exact match": 0.97}),
    (("sums", 1), {"losses by 20": [2.5] * 60}),
    (("sums", 0), {"losses by place": [2.3, 2.3, 0, 0, 0]}),
    (("sums", 2), {"losses by place": [0, 0, 0, 0.1, 0]}),
    (("gospels", 2), {"bits per character": 1.8}),
]


@pytest.mark.parametrize(("which", "change"), OTHERWISE)
def test_a_record_that_says_otherwise_is_found(which, change):
    rows = measure.recorded("texts")["rows"]
    spoiled = [row | change if (row["task"], row["seed"]) == which else row for row in rows]
    with pytest.raises(AssertionError):
        claims(spoiled)
