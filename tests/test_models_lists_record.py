"""The records of sorting and recall, on two versions of PyTorch, say what is claimed of them."""

import pytest

from attnbook import measure
from attnbook.models import lists

RECORDS = "lists", "lists-torch-2.14"


def claims(rows):
    assert [(row["task"], row["seed"]) for row in rows] == [
        (run, seed) for run in lists.RUNS for seed in lists.SEEDS
    ]
    of = {run: [row for row in rows if row["task"] == run] for run in lists.RUNS}
    assert all(row["exact match"] >= 0.99 for row in of["sorting"])
    for row in of["recall, two layers"]:
        assert row["tokens"] >= 0.99 and row["previous token"] >= 0.85 and row["induction"] >= 0.9
    assert all(row["tokens"] <= 0.25 for row in of["recall, one layer"])


@pytest.mark.parametrize("name", RECORDS)
def test_the_record_has_every_run_and_bears_out_the_claims(name):
    found = measure.recorded(name)
    assert found["command"] == lists.COMMAND and found["settings"] == lists.SETTINGS
    claims(found["rows"])


def test_the_records_are_of_two_versions():
    versions = {measure.recorded(name)["environment"]["torch"][:4] for name in RECORDS}
    assert versions == {"2.13", "2.14"}


OTHERWISE = [
    ("sorting", {"exact match": 0.98}),
    ("recall, two layers", {"tokens": 0.98}),
    ("recall, two layers", {"induction": 0.8}),
    ("recall, one layer", {"tokens": 0.3}),
]


@pytest.mark.parametrize(("task", "change"), OTHERWISE)
def test_a_record_that_says_otherwise_is_found(task, change):
    rows = measure.recorded("lists")["rows"]
    spoiled = [row | change if (row["task"], row["seed"]) == (task, 2) else row for row in rows]
    with pytest.raises(AssertionError):
        claims(spoiled)
