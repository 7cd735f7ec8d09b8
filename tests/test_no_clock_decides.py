"""No test and no cell hangs on how long something took: another machine must not turn it red."""

from pathlib import Path

import nbformat
import pytest
from clocks import reads_a_clock, times_asserted

from tools.reproducible import ROOT

TESTS = sorted({*ROOT.glob("tests/**/*.py")} - {Path(__file__)})  # this one plants them
NOTEBOOKS = sorted(ROOT.glob("book/*/*.ipynb"))


def cells(path):
    found = nbformat.read(path, as_version=4).cells
    return "\n".join(cell.source for cell in found if cell.cell_type == "code")


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.stem)
def test_no_test_asserts_a_time(path):
    assert times_asserted(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_cell_asserts_a_time(path):
    assert times_asserted(cells(path)) == []


PLANTED = {
    "a duration": """
        began = time.monotonic()
        work()
        assert time.monotonic() - began < 5""",
    "a ratio of medians": """
        fills = []
        for _ in range(4):
            began = process_time()
            fills.append(1e3 * (process_time() - began))
        assert fills[0] > 1.3 * statistics.median(fills[1:])""",
    "a prediction beside a measurement": """
        now, _, times = measure.rounds_with_ceilings(calls)
        took = {name: median(each) for name, each in times.items()}
        for name, each in zip(calls, took.values()):
            assert 1 / 2 < each / said[name] < 2, name""",
    "a rate": """
        found = timed(2)
        assert found.flops > 1e8""",
    "an array of times": """
        seconds = {way: min(timeit.repeat(run)) for way, run in runs.items()}
        np.testing.assert_array_less(seconds["right"], seconds["left"])""",
    "two times that should be about equal": """
        took, said = timed(2).seconds[512]
        assert took == pytest.approx(said, rel=0.5)""",
    "a claim with a name": """
        fast = perf_counter() - began < 1
        assert fast, "too slow" """,
    "a helper that stands below": """
        def test_it():
            assert took(work) == pytest.approx(1, rel=0.5)
        def took(call):
            began = time.perf_counter_ns()
            call()
            return (time.perf_counter_ns() - began) / 1e9""",
    "another program's clock": """
        CODE = "import os; before = os.times(); work(); print(os.times())"
        run = subprocess.run([python, "-c", CODE], capture_output=True)
        assert float(run.stdout) < 2""",
    "a machine's record": """
        def ratio(n):
            (row,) = [r for r in measure.recorded("xeon")["rows"] if r["n"] == n]
            return row["ratio"]
        assert 3 < ratio(2048) < 3.5""",
    "a failure in place of an assertion": """
        with one_thread():
            seconds = rounds(calls)
        if seconds["a"] > seconds["b"]:
            raise AssertionError("a is slow")""",
    "who was first": """
        shares = measure.operations(call)
        assert next(iter(shares)) == "mm" """,
    "seconds in an object": """
        self.took = time.thread_time()
        assert self.took < 1""",
}
ALLOWED = {
    "a limit that is handed over": """
        began = time.monotonic()
        assert run.wait(timeout=60) == 0 and launch(2, seconds=5).returncode == 0""",
    "a record's provenance, and what it has rows of": """
        found = measure.recorded("xeon")
        assert found["settings"] == SETTINGS and "commit" in found["environment"]
        assert {(row["case"], row["n"]) for row in found["rows"]} == CASES""",
    "one number that was measured, found twice": """
        found = timed(2)
        assert json.loads(written(found)) == [found.flops, found.bandwidth]""",
    "how many times there are, and of what": """
        times = measure.rounds(calls, n=2)
        assert set(times) == {"a"} and len(times["a"]) == 2""",
    "a clock that is made up": """
        times = measure.rounds(calls, n=2, clock=lambda: next(ticks))
        assert times == {"a": [9, 17]}
        def test_it(monkeypatch):
            monkeypatch.setattr(race.time, "monotonic", lambda: 3)
            assert time.monotonic() == 3""",
    "a name that held a time before": """
        took = time.monotonic()
        took = 3
        assert took == 3""",
    "bytes and operations beside a time": """
        took, peak = time.monotonic() - began, peak_memory(call)
        assert peak < 2 * n and cost.flops / cost.bytes == 0.5""",
}


def written(lines):
    """A source without the margin that it has in this file."""
    return "\n".join(line.removeprefix("        ") for line in lines.split("\n"))


@pytest.mark.parametrize("shape", PLANTED)
def test_a_planted_time_is_found(shape):
    assert len(times_asserted(written(PLANTED[shape]))) == 1
    assert reads_a_clock(written(PLANTED[shape]))


@pytest.mark.parametrize("shape", ALLOWED)
def test_what_no_clock_decides_is_left_alone(shape):
    assert times_asserted(written(ALLOWED[shape])) == []
