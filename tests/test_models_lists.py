"""Lists to sort and to recall from: what is asked is right; the command writes a row of each."""

import json

import pytest
import torch

from attnbook.models import __main__ as command
from attnbook.models import lists

ROW = {"task", "seed", "tokens", "exact match", "seconds"}
LOOKS = {"previous token", "induction"}


def generator():
    return torch.Generator().manual_seed(3)


def test_the_letters_behind_the_sign_are_those_before_it_in_their_order():
    texts = lists.sorting_texts(100, generator())
    assert texts.shape == (100, 21) and (texts[:, 10] == 26).all() and texts.unique().numel() == 27
    for row in texts.tolist():
        assert row[11:] == sorted(row[:10])
    with pytest.raises(ValueError, match="n is 0; expected 1 or more"):
        lists.sorting_texts(0, generator())


@pytest.mark.parametrize("run", lists.RUNS)
def test_the_whole_answer_is_asked_for_and_nothing_else(run):
    texts, asked = lists.drawn(run, 5, generator())
    targets = torch.arange(1, texts.shape[1])[asked].tolist()
    answers = range(11, 21) if run == "sorting" else range(13, 32, 2)
    assert targets == [*answers]
    values = texts[:, targets]
    assert (values < 26).all() if run == "sorting" else (values >= 26).all()


class Knows:
    """A model that writes these texts, whatever it is told."""

    def __init__(self, texts):
        self.targets = texts[:, 1:]

    def __call__(self, given):
        return torch.nn.functional.one_hot(self.targets, 53).double()


@pytest.mark.parametrize("run", ["sorting", "recall, one layer"])
def test_a_list_counts_only_if_all_of_it_is_right(run):
    texts, asked = lists.drawn(run, lists.SETTINGS["tested"], torch.Generator().manual_seed(10_000))
    assert lists.result(run, Knows(texts)) == {"tokens": 1.0, "exact match": 1.0}
    wrong = texts.clone()
    wrong[:250, -1] = 52
    assert lists.result(run, Knows(wrong)) == {"tokens": 0.975, "exact match": 0.75}
    elsewhere = texts.clone()
    elsewhere[:, 1:][:, : asked.start] = 52  # what nobody asked for
    assert lists.result(run, Knows(elsewhere))["exact match"] == 1.0


@pytest.fixture
def small(monkeypatch):
    settings = {
        name: kept | {"steps": 2, "batch": 3} if name in lists.RUNS else kept
        for name, kept in lists.SETTINGS.items()
    }
    monkeypatch.setattr(lists, "SETTINGS", settings | {"tested": 4})


def test_it_writes_a_row_for_each_run_and_seed(small, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["models", "lists", str(tmp_path / "lists.json")])
    command.main()
    found = json.loads((tmp_path / "lists.json").read_text())
    ran = [(row["task"], row["seed"]) for row in found["rows"]]
    assert ran == [(run, seed) for run in lists.RUNS for seed in lists.SEEDS]
    for row in found["rows"]:
        assert set(row) == ROW | (LOOKS if row["task"] == "recall, two layers" else set())
    assert found["command"] == lists.COMMAND and found["environment"]["torch"]


def test_an_interrupt_writes_nothing(small, tmp_path, monkeypatch):
    monkeypatch.setattr(lists.Training, "run", lambda self: [])
    with pytest.raises(SystemExit, match="nothing is written"):
        lists.main([str(tmp_path / "lists.json")])
    assert not (tmp_path / "lists.json").exists()
