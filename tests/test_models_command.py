"""The command that trains on three seeds: its rows, and the record that the chapter shows."""

import json

import pytest
import torch

from attnbook.models import __main__ as command
from attnbook.models import texts

TASKS = "reversal", "sums", "gospels"
ROW = {"attention", "hidden", "steps", "seed", "exact match", "seconds"}


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(command, "RUNS", [("dot product", 4, 2), ("none", 4, 3)])
    monkeypatch.setattr(command, "SEEDS", range(2))
    monkeypatch.setattr(command, "SETTINGS", command.SETTINGS | {"pairs": 40, "held out": 20})
    command.tensors.cache_clear()
    yield
    command.tensors.cache_clear()


def test_it_writes_a_row_for_each_seed_and_where_they_come_from(small, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["models", str(tmp_path / "dates.json")])
    threads = torch.get_num_threads()
    command.main()
    found = json.loads((tmp_path / "dates.json").read_text())
    assert [(row["attention"], row["seed"]) for row in found["rows"]] == [
        ("dot product", 0),
        ("dot product", 1),
        ("none", 0),
        ("none", 1),
    ]
    assert all(set(row) == ROW for row in found["rows"])
    assert found["command"] == "python -m attnbook.models" and found["environment"]["torch"]
    assert torch.get_num_threads() == threads


def test_an_interrupt_writes_nothing(small, tmp_path, monkeypatch):
    monkeypatch.setattr(command.Training, "run", lambda self: [])
    monkeypatch.setattr("sys.argv", ["models", str(tmp_path / "dates.json")])
    with pytest.raises(SystemExit, match="nothing is written"):
        command.main()
    assert not (tmp_path / "dates.json").exists()


class Right:
    """Writes what it is told, with a logit for each symbol."""

    def __init__(self, symbols):
        self.symbols = symbols

    def __call__(self, letters, lens, given):
        return torch.nn.functional.one_hot(self.symbols[:, : given.shape[1]], 11).double()


def test_a_date_counts_only_if_all_ten_symbols_are_right(small):
    symbols = command.tensors(1, 20)[2]
    wrong = symbols.clone()
    wrong[:5, 9] = (wrong[:5, 9] + 1) % 10
    assert command.exact_match(Right(symbols)) == 1.0
    assert command.exact_match(Right(wrong)) == 0.75


def test_no_day_that_is_asked_was_trained_on(small):
    seen, asked = (
        {tuple(row.tolist()) for row in command.tensors(n, k)[2]} for n, k in ((0, 40), (1, 20))
    )
    assert not seen & asked


TASK_ROW = {"task", "positions", "seed", "seconds", "losses by 20"}
RESULTS = {
    "reversal": {"exact match"},
    "sums": {"exact match", "losses by place"},
    "gospels": {"bits per character"},
}
TINY = {"d_model": 8, "n_layers": 1, "n_heads": 2}


@pytest.fixture
def small_texts(monkeypatch):
    settings = {
        task: kept | {"steps": 25, "batch": 4, "model": TINY} | {"tested": 5}
        if task in TASKS
        else kept
        for task, kept in texts.SETTINGS.items()
    }
    monkeypatch.setattr(texts, "SETTINGS", settings)


def test_texts_writes_a_row_for_each_task_and_seed(small_texts, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["models", "texts", str(tmp_path / "texts.json")])
    command.main()
    found = json.loads((tmp_path / "texts.json").read_text())
    assert [(row["task"], row["positions"], row["seed"]) for row in found["rows"]] == [
        (*run, seed) for run in texts.RUNS for seed in texts.SEEDS
    ]
    for row in found["rows"]:
        assert set(row) == TASK_ROW | RESULTS[row["task"]]
        assert len(row["losses by 20"]) == 2  # of 20 steps, and of the 5 that are left
    assert found["command"] == "python -m attnbook.models texts" and found["environment"]["torch"]


def test_texts_writes_nothing_when_interrupted(small_texts, tmp_path, monkeypatch):
    monkeypatch.setattr(texts.Training, "run", lambda self: [])
    with pytest.raises(SystemExit, match="nothing is written"):
        texts.main([str(tmp_path / "texts.json")])
    assert not (tmp_path / "texts.json").exists()


def test_characters_that_are_asked_were_not_trained_on(small_texts):
    kept = texts.Characters()
    assert len(kept.known) == 392_622 and len(kept.held_out) == 43_625


def test_the_loss_of_each_digit_is_told_from_the_others():
    sums = texts.sums(3, torch.Generator().manual_seed(0))
    targets = texts.answer_targets(sums, texts.SUM_SIGNS.index("="))

    def guesses_the_second(given):
        logits = 1000.0 * torch.nn.functional.one_hot(sums[:, 1:], len(texts.SUM_SIGNS))
        logits[:, given.shape[1] - 4] = 0  # of five tokens, the second
        return logits

    found = texts.losses_by_place(guesses_the_second, sums, targets)
    expected = torch.tensor([0, len(texts.SUM_SIGNS), 0, 0, 0]).log().clamp(min=0)
    torch.testing.assert_close(found, expected)
