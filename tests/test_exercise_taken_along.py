"""A reader's progress goes from a page to a notebook and back, in a file."""

import json

import pytest

from attnbook import exercises
from attnbook.exercises.engine import record

pytestmark = pytest.mark.usefixtures("progress_folder")
SOLVED = {"tries": 2, "solved": "2026-01-05"}


def write(path, records):
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


def test_what_either_has_solved_is_solved(tmp_path):
    record.add("masks.added", solved=False)
    there = {"masks.added": SOLVED, "masks.causal_mask": {"tries": 1}, "of.another_book": SOLVED}
    exercises.import_progress(write(tmp_path / "there.json", there))
    assert record.load() == {"masks.added": SOLVED, "masks.causal_mask": {"tries": 1}}
    exercises.export_progress(tmp_path / "here.json")
    assert json.loads((tmp_path / "here.json").read_text()) == record.load()


def test_the_first_day_counts_and_nothing_is_lost(tmp_path):
    exercises.import_progress(write(tmp_path / "late.json", {"masks.added": SOLVED}))
    early = {"masks.added": {"tries": 1, "solved": "2026-01-01"}}
    exercises.import_progress(write(tmp_path / "early.json", early))
    assert record.load() == {"masks.added": {"tries": 2, "solved": "2026-01-01"}}
    exercises.import_progress(write(tmp_path / "empty.json", {}))
    assert record.load() == {"masks.added": {"tries": 2, "solved": "2026-01-01"}}


WRONG = "", "{", "[]", "3", '{"a": 1}', '{"a": {"tries": "2"}}', '{"a": {"b": 1}}'


@pytest.mark.parametrize("text", WRONG)
def test_a_file_that_is_no_record_is_refused_and_changes_nothing(text, tmp_path):
    record.add("masks.added", solved=True)
    before = record.load()
    (tmp_path / "wrong.json").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"path is .*wrong\.json': expected a record of exercises"):
        exercises.import_progress(tmp_path / "wrong.json")
    assert record.load() == before
