"""What the race prints, and how several processes compile what it will need."""

from pathlib import Path

from made_up_gpu import RATES, MadeUp

from attnbook.measure.gpu import cases, warm
from attnbook.measure.gpu.table import HEAD, lines, progress, summary


def test_the_table_has_a_line_for_each_form():
    row = {"form": "ours", "milliseconds": 1.2, "spread": 0.01, "TFLOP/s": 500.0, "share": 0.6,
           "ratio": 0.8, "times ours": 1, "times what is kept": 1.01, "error ratio": 0.9,
           }  # fmt: skip
    refused = {"form": "peer", "refused": "it is not here"}
    head, ours, other = progress([row, refused])
    assert head == HEAD
    assert ours.split() == ["ours", "1.2", "1.0%", "0.80", "1.00", "500", "0.60", "1.01", "0.90"]
    assert other.split(None, 1) == ["peer", "it is not here"]
    assert len(lines(RATES)) == 3 and "TFLOP/s" in lines(RATES)[0]


def test_the_summary_has_a_line_for_each_case_that_is_done():
    case = cases.cases()[0]
    ours = {"form": "ours", "milliseconds": 2.0, "spread": 0.01, "TFLOP/s": 500.0, "share": 0.6,
            "times ours": 1, "times what is kept": 1.01, "error ratio": 0.9}  # fmt: skip
    rows = [ours, ours | {"form": "ours, second choice", "times ours": 0.8}]
    rows += [{"form": "SDPA FLASH", "milliseconds": 3.0, "times ours": 1.5}]
    rows += [{"form": "SDPA CUDNN", "refused": "it is not here"}]
    head, line = summary(cases.cases()[:2], [{"case": case.id} | row for row in rows])
    numbers = ["500", "0.60", "1.0%", "1.01", "0.90", "1.50", *"------"]
    assert line.split()[2:] == ["d=64", "n=4096", "b=4", *numbers, *line.split()[-6:]]
    assert line.endswith("  second choice: 1.25 times as fast") and "FLASH" in head


class Tuned:
    def __init__(self):
        self.configs = list(range(5))


def test_processes_share_what_a_tutorial_chooses_from():
    shared = []
    for i in range(3):
        kernel = Tuned()
        warm.share([kernel, "text", 1], i, 3)
        shared.append(kernel.configs)
    assert shared == [[0, 3], [1, 4], [2]]
    assert warm.share([Tuned()], 7, 8) == []


def test_warming_calls_every_case_once_among_all_processes(monkeypatch):
    called = []
    monkeypatch.setattr(warm, "_call", lambda case, forms, machine: called.append(case.id))
    made_up = {name: None for name in (warm.OURS, warm.FLEX)}
    made_up[warm.TUTORIAL] = type("Form", (), {"keywords": {"folder": Path("nowhere")}})
    for i in range(5):
        warm.warm(i, 5, made_up, MadeUp())
    assert sorted(called) == sorted(case.id for case in cases.cases())


def test_warming_goes_on_after_what_is_refused(capsys):
    def raises(case, x, machine):
        raise RuntimeError("no compiler")

    case = cases.Case("plain", cases.FORWARD, 16, 8, 8, 1, 1, 1)
    warm._call(case, {"peer": raises}, machine := MadeUp())
    assert "peer: RuntimeError: no compiler" in capsys.readouterr().out
    assert machine.log[-1] == "forget"
