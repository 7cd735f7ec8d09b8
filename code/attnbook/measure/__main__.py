"""Measure the forms of attention on this machine's processor, on one thread.

    python -m attnbook.measure [FILE]

prints a table, and writes it to FILE as JSON, together with where it comes from.
"""

import argparse
import json
from pathlib import Path

import torch

from attnbook.measure import environment, one_thread, operations
from attnbook.measure.attention import BATCH, CASES, HEADS, WIDTH, case_rows, plain

LENGTHS = 128, 256, 512, 1024, 2048
ROUNDS = 11
SETTINGS = {
    "batch": BATCH,
    "heads": HEADS,
    "width": WIDTH,
    "dtype": "float32",
    "threads": 1,
    "clock": "processor time",
    "rounds": ROUNDS,
    "seed": 0,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", nargs="?", type=Path, help="JSON to write")
    args = parser.parse_args()
    print(environment(), SETTINGS, sep="\n")
    with one_thread(), torch.no_grad():
        rows = measured()
        shares = where_it_goes()
    if args.file:
        args.file.write_text(record(rows, shares), encoding="utf-8")


def measured():
    """All rows, each printed as soon as it is there."""
    rows = []
    print(f"{'case':8}{'n':>6} {'time/SDPA':>10}{'ms':>9}{'peak MiB':>10}  form")
    for case in CASES:
        for n in LENGTHS:
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
    for name in ("ours, in blocks", "ours, readable"):
        found = operations(forms[name])
        shares[name] = {op: round(share, 3) for op, share in found.items() if share >= 0.01}
        print(f"{name}, n = {n}:", shares[name])
    return shares


def record(rows, shares):
    """The measurement as JSON, with its provenance; a line for each row."""
    parts = {
        "command": "python -m attnbook.measure",
        "environment": environment(),
        "settings": SETTINGS,
        "operations at n = 1024": shares,
    }
    lines = [f"{json.dumps(key)}: {json.dumps(part)}" for key, part in parts.items()]
    table = ",\n".join(f"  {json.dumps(row._asdict())}" for row in rows)
    return "{\n" + ",\n".join(lines) + ',\n"rows": [\n' + table + "\n]\n}\n"


if __name__ == "__main__":
    main()
