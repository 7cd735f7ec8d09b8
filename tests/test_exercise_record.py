"""What is kept of a reader's progress, and what hints are given."""

import datetime
import json

import pytest
from double import DOUBLE

from attnbook import exercises
from attnbook.exercises.engine import record

pytestmark = pytest.mark.usefixtures("progress_folder")


def test_tries_and_the_day_of_solving_are_kept(progress_folder):
    DOUBLE.check(lambda x: x)
    DOUBLE.check(lambda x: 2 * x)
    DOUBLE.check(...)
    for answer in (lambda x: 2 * x, lambda x: x):  # what is solved stays so, after as many tries
        DOUBLE.check(answer)
    entry = json.loads((progress_folder / "progress.json").read_text())["test.double"]
    assert entry["tries"] == 2 and len(entry["solved"]) == 10


def test_what_a_later_version_kept_survives(progress_folder):
    progress_folder.mkdir()
    later = {"chapter_99.new": {"tries": 1}, "test.double": {"tries": 4, "stars": 3}}
    (progress_folder / "progress.json").write_text(json.dumps(later))
    record.add("test.double", solved=False)
    after = {"chapter_99.new": {"tries": 1}, "test.double": {"tries": 5, "stars": 3}}
    assert json.loads((progress_folder / "progress.json").read_text()) == after


@pytest.mark.parametrize("content", ["{", "[1, 2]", '{"a": 1}', "\x00\xff", ""])
def test_a_corrupt_file_is_set_aside_with_a_notice(progress_folder, capsys, content):
    progress_folder.mkdir()
    (progress_folder / "progress.json").write_text(content, encoding="latin-1")
    record.add("test.double", solved=True)
    assert "could not be read" in capsys.readouterr().out
    assert (progress_folder / "progress.unreadable").read_text(encoding="latin-1") == content
    assert "test.double" in record.load()


def test_a_folder_that_cannot_be_written_is_no_error(progress_folder, capsys):
    progress_folder.write_text("a file where the folder should be")
    record.add("test.double", solved=True)
    assert "could not be" in capsys.readouterr().out


def test_progress_is_a_table_of_all_exercises():
    solved = exercises.every()[0]
    record.add(solved.name, solved=True)
    table = exercises.progress()
    assert f"| {solved.name} | 1 | 2" in table
    assert table.endswith(f"1 of {len(exercises.every())} solved.")
    record.add("chapter_99.new", solved=True)
    assert exercises.progress() == table, "this book has no such chapter"


def test_progress_shows_one_chapter():
    record.add("masks.causal_mask", solved=True)
    table = exercises.progress("masks")
    of_masks = [e.name for e in exercises.every() if e.name.startswith("masks.")]
    assert [line.split()[1] for line in table.split("\n")[2 : 2 + len(of_masks)]] == of_masks
    assert table.endswith(f"1 of {len(of_masks)} solved.")
    with pytest.raises(ValueError, match=r"chapter is 'mask'; expected one of weighted_average, "):
        exercises.progress("mask")


def test_the_day_of_the_first_solution_stays(progress_folder):
    progress_folder.mkdir()
    first = {"test.double": {"tries": 1, "solved": "2001-02-03"}}
    (progress_folder / "progress.json").write_text(json.dumps(first))
    record.add("test.double", solved=True)
    assert record.load() == first
    record.add("test.other", solved=True)
    assert record.load()["test.other"]["solved"] == datetime.date.today().isoformat()


def test_a_number_of_tries_that_is_none_begins_afresh(progress_folder):
    progress_folder.mkdir()
    (progress_folder / "progress.json").write_text(json.dumps({"test.double": {"tries": "many"}}))
    record.add("test.double", solved=False)
    assert record.load() == {"test.double": {"tries": 1}}


def test_what_is_half_written_never_stands_in_the_place_of_what_is_kept(progress_folder):
    record.add("test.double", solved=False)
    first = (progress_folder / "progress.json").stat().st_ino
    record.add("test.double", solved=False)
    assert (progress_folder / "progress.json").stat().st_ino != first, "written over"
    assert not list(progress_folder.glob("*.part"))


def test_brackets_too_deep_to_read_are_set_aside(progress_folder, capsys):
    progress_folder.mkdir()
    (progress_folder / "progress.json").write_text("[" * 100_000)
    assert record.load() == {}
    assert "could not be read" in capsys.readouterr().out


def test_the_names_known_without_import_are_those_of_the_exercises():
    assert exercises.names() == [e.name for e in exercises.every()]


def test_hints_can_be_asked_for_again(capsys):
    for number in (None, None, None, 1, None, 7, 0):
        DOUBLE.hint(number)
    assert capsys.readouterr().out.split("\n") == [
        "Hint 1 of 2: Add it to itself.",
        "Hint 2 of 2: Or multiply.",
        "No more hints; hint(1) shows the first again, solution() the solution.",
        "Hint 1 of 2: Add it to itself.",
        "Hint 2 of 2: Or multiply.",
        "No more hints; hint(1) shows the first again, solution() the solution.",
        "No more hints; hint(1) shows the first again, solution() the solution.",
        "",
    ]
