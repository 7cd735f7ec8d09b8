"""The diagrams of programs show the numbers that their chapter computes."""

from figures import words

from attnbook import plots
from attnbook.plots import programs


def test_every_memory_and_every_array_is_named():
    assert {"main memory", "shared memory", "registers", "the chip"} <= {*words(plots.gpu_diagram)}
    assert {"$Q$", "$K$", "$V$", "$O$", "$L$", "$q$", "$k$", "$v$", "$m$"} <= {
        *words(plots.gpu_diagram)
    }


def test_the_lane_without_a_number_is_masked():
    assert (
        words(plots.programs_diagram).count("yes") == 3
        and words(plots.programs_diagram).count("no") == 1
    )


def test_two_arrays_and_their_sum_are_drawn(monkeypatch):
    assert {"1", "7", "12", "$x + y$", "stored"} <= {*words(plots.programs_diagram)}
    monkeypatch.setattr(programs, "Y", (0, 4, 9))
    assert "13" in words(plots.programs_diagram) and "12" not in words(plots.programs_diagram)


def test_a_race_loses_what_was_stored_between():
    assert [cell for _, _, cell in programs.turns("0011")][-1] == sum(programs.ADDED)
    assert [does for _, does, _ in programs.turns("0101")] == [
        "load 0",
        "load 0",
        "store 4",
        "store 8",
    ]
    assert {"store 12", "store 8"} <= {*words(plots.race_diagram)}


def test_another_order_is_seen(monkeypatch):
    monkeypatch.setattr(programs, "ORDERS", {"a": "0011", "b": "1100"})
    assert (
        "store 8" in words(plots.race_diagram) and words(plots.race_diagram).count("store 12") == 2
    )


def test_a_thread_holds_its_share(monkeypatch):
    assert "128 numbers,\n128 registers" in words(plots.warps_diagram) and "32 threads" in words(
        plots.warps_diagram
    )
    monkeypatch.setattr(programs, "BLOCK", 64)
    assert "32 numbers,\n32 registers" in words(plots.warps_diagram)
