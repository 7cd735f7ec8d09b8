"""Measure the forms of attention on this machine's processor, on one thread.

    python -m attnbook.measure [FILE]

prints a table, and writes it to FILE as JSON, together with where it comes from. `lengths` before
FILE measures one head at many lengths instead.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

import torch

from attnbook.measure import environment, one_thread, operations
from attnbook.measure import lengths as of_lengths
from attnbook.measure.attention import (
    BATCH,
    BLOCKS,
    CASES,
    HEADS,
    READABLE,
    WIDTH,
    WINDOW,
    case_rows,
    lengths,
    long_memory,
    plain,
)
from attnbook.measure.record import written
from attnbook.measure.time import ONE_THREAD

ROUNDS = 7
SETTINGS = {
    "batch": BATCH,
    "heads": HEADS,
    "width": WIDTH,
    "window": WINDOW,
    "dtype": "float32",
    "threads": 1,
    "clock": "processor time",
    "rounds": ROUNDS,
    "seed": 0,
}


def main():
    if os.environ | ONE_THREAD != os.environ:
        again = [sys.executable, "-m", "attnbook.measure", *sys.argv[1:]]
        sys.exit(subprocess.call(again, env=os.environ | ONE_THREAD))
    if sys.argv[1:2] == ["lengths"]:
        of_lengths.main(sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", nargs="?", type=Path, help="JSON to write")
    args = parser.parse_args()
    print(environment(), SETTINGS, sep="\n")
    with one_thread(), torch.no_grad():
        rows = measured()
        shares, peaks = where_it_goes(), long_memory()
        print("peak MiB at n = 8192:", peaks)
    if args.file:
        args.file.write_text(record(rows, shares, peaks), encoding="utf-8")


def measured():
    """All rows, each printed as soon as it is there."""
    rows = []
    print(f"{'case':8}{'n':>6} {'time/SDPA':>10}{'ms':>9}{'peak MiB':>10}  form")
    for case in CASES:
        torch.compiler.reset()  # PyTorch 2.13 compiles one function 8 times, and then no more
        for n in lengths(case):
            new = case_rows(case, n, ROUNDS)
            print(*map(line, new), sep="\n", flush=True)
            rows += new
    return rows


def line(row):
    return (
        f"{row.case:8}{row.n:6} {row.ratio:10.2f}{row.milliseconds:9.1f}{row.peak_mib:10.1f}"
        f"  {row.form}"
    )


def where_it_goes(n=1024):
    """Of both our forms: the share of each operation, those below a hundredth left out."""
    forms = plain(*torch.randn(3, BATCH, HEADS, n, WIDTH))
    shares = {}
    for name in (BLOCKS, READABLE):
        found = operations(forms[name])
        shares[name] = {op: round(share, 3) for op, share in found.items() if share >= 0.01}
        print(f"{name}, n = {n}:", shares[name])
    return shares


def record(rows, shares, peaks):
    """The measurement as JSON, with its provenance; a line for each row."""
    parts = {
        "command": "python -m attnbook.measure",
        "environment": environment(),
        "settings": SETTINGS,
        "operations at n = 1024": shares,
        "peak MiB at n = 8192": peaks,
    }
    return written(parts, [row._asdict() for row in rows])


if __name__ == "__main__":
    main()
