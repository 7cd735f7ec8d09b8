"""Measure the forms of attention on this machine's processor, on one thread.

    python -m attnbook.measure [FILE]

prints a table, and writes it to FILE as JSON, together with where it comes from.
"""

import argparse
import json
from pathlib import Path

import torch

from attnbook.measure import environment, one_thread
from attnbook.measure.attention import BATCH, CASES, HEADS, WIDTH, case_rows

LENGTHS = 512, 1024, 2048
ROUNDS = 7


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", nargs="?", type=Path, help="JSON to write")
    args = parser.parse_args()
    settings = {"batch": BATCH, "heads": HEADS, "width": WIDTH, "dtype": "float32", "threads": 1}
    print(environment(), settings, sep="\n")
    rows = measured()
    if args.file:
        args.file.write_text(record(settings | {"rounds": ROUNDS, "seed": 0}, rows))


def measured():
    """All rows, each printed as soon as it is there."""
    rows = []
    print(f"{'case':8}{'n':>6} {'time/SDPA':>10}{'ms':>9}{'peak MiB':>10}{'error':>9}  form")
    with one_thread(), torch.no_grad():
        for case in CASES:
            for n in LENGTHS:
                new = case_rows(case, n, ROUNDS)
                print(*map(line, new), sep="\n", flush=True)
                rows += new
    return rows


def line(row):
    error = "" if row.error is None else f"{row.error:.0e}"
    return (
        f"{row.case:8}{row.n:6} {row.ratio:10.2f}{row.milliseconds:9.1f}{row.peak_mib:10.1f}"
        f"{error:>9}  {row.form}"
    )


def record(settings, rows):
    """The measurement as JSON, with its provenance."""
    measurement = {
        "command": "python -m attnbook.measure",
        "environment": environment(),
        "settings": settings,
        "rows": [row._asdict() for row in rows],
    }
    return json.dumps(measurement, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    main()
