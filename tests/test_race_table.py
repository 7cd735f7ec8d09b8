"""What the race prints, and how several processes compile what it will need."""

from pathlib import Path

import pytest
from made_up_gpu import MadeUp

from benchmarks.race import cases, warm
from benchmarks.race.table import HEAD, PEERS, lines, progress, summary


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
    made_up = {name: None for name in (warm.OURS, warm.FLEX, warm.TUNED)}
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


def made_up_tutorial(folder):
    """Forms whose tutorial is there, with one kernel that chooses among configurations."""
    (folder / "06-fused-attention.py").write_text(
        "class Kernel:\n    configs = list(range(3))\ntuned, plain = Kernel(), 3\n"
    )
    form = type("Form", (), {"keywords": {"folder": folder}})
    found = {warm.OURS: "ours", warm.FLEX: "flex", warm.TUNED: "tuned"}
    return found | {warm.TUTORIAL: form, warm.SPECIALISED: form}


@pytest.mark.parametrize(("number", "of", "calls"), [(0, 1, 4), (2, 3, 4), (3, 4, 0)])
def test_the_tutorial_is_warmed_at_the_shortest_length_by_who_has_configurations(
    tmp_path, monkeypatch, number, of, calls
):
    """There are three, and it takes plain and causal squares of two widths, forward."""
    warm.loaded.cache_clear()
    called = []
    monkeypatch.setattr(warm, "_call", lambda case, forms, machine: called.append((case, forms)))
    every = made_up_tutorial(tmp_path)
    warm.warm(number, of, every, MadeUp())
    mine = [case for case, forms in called if warm.TUTORIAL in forms]
    assert len(mine) == calls and all(
        (case.n_k, case.way) == (2**10, cases.FORWARD) and case.name in ("plain", "causal")
        for case in mine
    )
    others = [(case, forms) for case, forms in called if warm.TUTORIAL not in forms]
    assert [case for case, _ in others] == cases.cases()[number::of]
    assert all(list(forms) == [warm.OURS, warm.FLEX, warm.TUNED] for _, forms in others)
    called.clear()
    warm.warm(0, 1, every, MadeUp(), cases.decoding())
    assert len(called) == len(cases.decoding())  # no square, nothing of the tutorial


def test_a_missing_tutorial_is_said_and_no_reason_to_stop(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(warm, "_call", lambda *given: None)
    every = made_up_tutorial(tmp_path / "..")
    every[warm.TUTORIAL].keywords = {"folder": tmp_path / "nowhere"}
    warm.warm(0, 1, every, MadeUp())
    assert "06-fused-attention.py is not in the folder nowhere" in capsys.readouterr().out


def test_what_is_warmed_is_called_once_with_its_own_numbers(monkeypatch):
    asked = []
    monkeypatch.setattr(warm, "ready", lambda *given: asked.append(given))
    case, machine = cases.Case("plain", cases.FORWARD, 16, 8, 8, 1, 1, 1), MadeUp()
    warm._call(case, {"a": 1, "b": 2}, machine)
    assert [(name, form, c, m) for name, form, c, _, m in asked] == [
        ("a", 1, case, machine),
        ("b", 2, case, machine),
    ]
    assert asked[0][3].q.shape == (1, 1, 8, 16) and machine.log == ["forget"]


def test_a_form_has_a_line_of_what_was_measured_or_of_why_it_was_not():
    row = {"form": "ours", "milliseconds": 1.2, "spread": 0.01, "GB/s": 2500.0, "share": 0.8,
           "times what is kept": 1.01, "ratio": 0.123, "times ours": 1.0}  # fmt: skip
    refused = {"form": "peer", "refused": "it is not here"}
    head, ours, judged, other = progress([row, row | {"error ratio": 0.9}, refused])
    assert head == HEAD
    assert ours.split() == ["ours", "1.2", "1.0%", "0.12", "1.00", "2500", "0.80", "1.01"]
    assert judged.split() == [*ours.split(), "0.90"] and len(judged) == len(head)
    assert other.split(None, 1) == ["peer", "it is not here"]


def test_the_ceilings_are_in_units_of_a_trillion_and_a_billion():
    found = lines({"flops": 6.5e14, "exps": 3e12, "bytes": 2.5e12})
    assert [line.split(None, 1) for line in found] == [
        ["650", "TFLOP/s of a product"],
        ["3", "T exponentials/s"],
        ["2500", "GB/s of a copy"],
    ]


def test_each_case_that_is_done_is_summed_up_from_its_own_rows_with_a_column_for_each_peer():
    one, two, undone = cases.cases()[:3]
    ours = {"form": "ours", "milliseconds": 2.0, "spread": 0.01, "TFLOP/s": 500.0, "share": 0.6,
            "times what is kept": 1.01, "times ours": 1}  # fmt: skip
    rows = [ours | {"case": one.id}, ours | {"case": two.id, "TFLOP/s": 250.0, "error ratio": 0.9}]
    rows += [{"case": two.id, "form": f, "times ours": i} for i, f in enumerate(PEERS.values(), 2)]
    rows += [{"case": one.id, "form": "ours, second choice", "times ours": 0.8}]
    rows += [{"case": one.id, "form": "SDPA CUDNN", "refused": "it is not here"}]
    head, first, second = summary([one, two, undone], rows)
    assert first.split()[5:] == ["500", "0.60", "1.0%", "1.01", *"-" * 11, *first.split()[-6:]]
    assert first.endswith("  second choice: 1.25 times as fast")
    assert second.split()[5:] == ["250", "0.60", "1.0%", "1.01", "0.90"] + [
        f"{i}.00" for i in range(2, 12)
    ]
    assert head.split()[-len(PEERS) :] == [*PEERS] and len(head) == len(second)
