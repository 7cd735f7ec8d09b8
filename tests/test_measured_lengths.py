"""One head at many lengths: the forms agree before they are timed, and what is written is read."""

import json

import pytest
import torch

from attnbook import measure
from attnbook.measure import __main__ as command
from attnbook.measure import lengths
from attnbook.measure.time import ONE_THREAD


def test_the_command_writes_each_form_at_each_length(tmp_path, monkeypatch):
    for name, n in ONE_THREAD.items():
        monkeypatch.setenv(name, n)
    modes = []

    def roofs(calls, n, device):
        modes.append((torch.is_grad_enabled(), n))
        return measure.Ceilings(1.0, 2.0, 3.0), [], {name: [0.5, 4.0, 1.0] for name in calls}

    monkeypatch.setattr(lengths, "rounds_with_ceilings", roofs)
    monkeypatch.setattr(lengths, "LENGTHS", (8, 4096))
    monkeypatch.setattr("sys.argv", ["measure", "lengths", str(tmp_path / "found.json")])
    command.main()
    found = json.loads((tmp_path / "found.json").read_text())
    assert [(r["n"], r["form"]) for r in found["rows"]] == [
        (n, form) for n in (8, 4096) for form in lengths.FORMS
    ]
    assert modes == [(False, lengths.ROUNDS)] * 2
    assert found["rows"][-1]["milliseconds"] == 1000  # one call a round
    assert found["rows"][0]["milliseconds"] < 1  # many
    assert found["rows"][0]["ceilings"] == {"flops": 1, "exps": 2, "bytes": 3}
    assert found["settings"] == lengths.SETTINGS and found["command"].endswith(" lengths")


@pytest.mark.parametrize("spoil", [lambda x: x + 1e-4, lambda x: x * float("nan")])
def test_forms_that_do_not_agree_are_not_timed(spoil, monkeypatch):
    forms = lengths.forms

    def one_wrong(*tensors):
        calls = forms(*tensors)
        right = calls["SDPA"]
        return calls | {"SDPA": lambda: spoil(right())}

    monkeypatch.setattr(lengths, "rounds_with_ceilings", lambda *a, **k: pytest.fail("timed"))
    monkeypatch.setattr(lengths, "forms", one_wrong)
    with pytest.raises(ValueError, match="SDPA differs from NumPy, readable by"):
        lengths.rows_at(8)


def test_what_was_recorded_was_measured_as_it_would_be_today():
    assert measure.recorded("lengths")["settings"] == lengths.SETTINGS
    assert measure.recorded("xeon")["settings"] == command.SETTINGS


def test_what_was_recorded_is_read_by_form():
    rows = measure.recorded("lengths")["rows"]
    met = [(row["n"], row["form"]) for row in rows]
    assert met == [(n, form) for n in lengths.LENGTHS for form in lengths.FORMS]
    ((name, forms, _),) = measure.length_results()
    assert "Xeon" in name and set(forms) == set(lengths.FORMS)


def test_rows_of_a_gpu_are_read_apart(tmp_path, monkeypatch):
    monkeypatch.setattr("attnbook.measure.record.RESULTS", tmp_path)
    rates = {"flops": 3.0, "exps": 2.0, "bytes": 1.0}
    forms = ("SDPA", 8, 1.0), ("SDPA", 16, 4.0), ("SDPA, cuda", 8, 0.5)
    rows = [{"n": n, "form": f, "milliseconds": t, "ceilings": rates} for f, n, t in forms]
    where = {"processor": "one", "gpu": "two", "commit": "abc1234"}
    run = {"environment": where, "settings": {"seed": 0}, "rows": rows}
    command = "python -m attnbook.measure lengths"
    (tmp_path / "run.json").write_text(json.dumps(run | {"command": command}))
    (tmp_path / "other.json").write_text(json.dumps(run | {"command": "another"}))
    on_processor, on_gpu = map(measure.length_results, ("cpu", "cuda"))
    assert on_processor == [("one", {"SDPA": ([8, 16], [1.0, 4.0])}, (3, 2, 1))]
    assert on_gpu == [("two", {"SDPA, cuda": ([8], [0.5])}, (3, 2, 1))]


def test_on_a_gpu_its_forms_are_judged_beside_the_others(monkeypatch):
    measured = []

    def roofs(calls, n, device):
        measured.append((device, sorted(calls)))
        return measure.Ceilings(1.0, 2.0, 3.0), [], {name: [1.0] for name in calls}

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    forms_on = lengths.forms_on
    monkeypatch.setattr(
        lengths,
        "forms_on",
        lambda device, *x: {n.replace("cpu", device): f for n, f in forms_on("cpu", *x).items()},
    )
    monkeypatch.setattr(lengths, "rounds_with_ceilings", roofs)
    assert len(lengths.rows_at(8, 1)) == 6
    assert measured == [
        ("cpu", sorted(lengths.FORMS)),
        ("cuda", ["PyTorch, readable, cuda", "SDPA, cuda"]),
    ]
