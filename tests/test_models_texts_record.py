"""The record of the Transformers says what the chapter on training claims of it."""

import pytest

from attnbook import measure
from attnbook.models import texts

PLATEAU = 3 * 2.302585 / 5  # three digits of five targets are not foreseen


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
    assert ran == [(*run, seed) for *run, seeds in texts.RUNS for seed in range(seeds)]
    assert all(row["exact match"] >= 0.98 for row in of(rows, "reversal", "learned"))
    rotary, learned = (of(rows, "sums", kind) for kind in ("rotary", "learned"))
    assert rotary[0]["exact match"] > learned[0]["exact match"]
    assert rotary[1]["exact match"] < learned[1]["exact match"]
    assert all(waits(row["losses by 20"]) >= 5 for row in rotary + learned)
    (gospels,) = of(rows, "gospels", "rotary")
    assert gospels["bits per character"] < 1.75


def test_the_record_has_every_run_and_bears_out_the_claims():
    found = measure.recorded("texts")
    assert found["command"] == texts.COMMAND and found["settings"] == texts.SETTINGS
    claims(found["rows"])


OTHERWISE = [
    (("reversal", 2), {"exact match": 0.9}),
    (("sums", 0), {"exact match": 0.97}),
    (("sums", 1), {"losses by 20": [2.5] * 50}),
    (("gospels", 0), {"bits per character": 1.8}),
]


@pytest.mark.parametrize(("which", "change"), OTHERWISE)
def test_a_record_that_says_otherwise_is_found(which, change):
    rows = measure.recorded("texts")["rows"]
    spoiled = [row | change if (row["task"], row["seed"]) == which else row for row in rows]
    with pytest.raises(AssertionError):
        claims(spoiled)
