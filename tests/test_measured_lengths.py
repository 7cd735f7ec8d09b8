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

    def roofs(calls, n):
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


@pytest.mark.parametrize("spoil", [lambda x: x + 1e-4, lambda x: x * float("nan")])
def test_forms_that_do_not_agree_are_not_timed(spoil, monkeypatch):
    forms = lengths.forms

    def one_wrong(*tensors):
        calls = forms(*tensors)
        right = calls["SDPA"]
        return calls | {"SDPA": lambda: spoil(right())}

    monkeypatch.setattr(lengths, "rounds_with_ceilings", lambda calls, n: pytest.fail("timed"))
    monkeypatch.setattr(lengths, "forms", one_wrong)
    with pytest.raises(ValueError, match="SDPA differs from NumPy, readable by"):
        lengths.rows_at(8)
