"""Let our kernels race every other form on the GPU at hand.

    python -m benchmarks.race [FILE]

checks that they agree, times them, and writes FILE as JSON after each case, together with where it
comes from. What the file already holds of the same GPU, versions and commit is not measured again.
"""

import argparse
import functools
import sys
import time
import traceback
from pathlib import Path

import torch

from attnbook.measure.provenance import environment
from attnbook.measure.roofline import ceilings
from benchmarks.race import cases as of
from benchmarks.race import race, turns
from benchmarks.race.forms import OURS, forms, reason
from benchmarks.race.machine import Gpu
from benchmarks.race.record import Record, default_file, source
from benchmarks.race.table import lines, progress, summary
from benchmarks.race.warm import warm
from benchmarks.race.watch import AGAIN, LATE

SETTINGS = {
    "dtype": "bfloat16",
    "seed": 0,
    "tokens": of.TOKENS,
    "clock": "CUDA events, the cache flushed before each call, rounds interleaved",
    "rounds": [turns.FEWEST, turns.MOST],
    "warm": turns.WARM,
    "median and spread": "over rounds; the spread is the interquartile range over the median",
    "work": "4 · pairs · width · heads; causal counts half, backward 2.5 times",
}
PEERS = Path("peers")
NO_GPU = "python -m benchmarks.race measures on a GPU, and PyTorch finds none on this machine"


def main(given=None):
    """Run the race. Ends with status 1 where there is no GPU, or a form of ours does not agree."""
    args = _arguments(given)
    if not torch.cuda.is_available():
        sys.exit(NO_GPU)
    if args.warm:
        warm(*map(int, args.warm.split("/")), forms(args.peers), Gpu())
        return
    sys.exit(run(args, Gpu(), rates, environment() | {"source": source()}))


def run(args, machine, rates, where):
    """All cases that the file does not have, until the minutes are over; the exit status."""
    began = time.monotonic()
    chosen = [case for case in of.cases() if any(part in case.id for part in args.only or [""])]
    parts = {"environment": where, "settings": SETTINGS}
    parts["cases"] = [case.described() for case in of.cases()]
    kept = default_file(where["gpu"])
    file = args.file or kept
    record = Record(file / kept.name if file.is_dir() else file, parts)
    try:
        if not args.replace:
            record.resume()
    except ValueError as why:
        print(f"{why}: name another file, or add --replace to measure all of it again")
        return 1
    if args.earlier and not record.file.exists():
        try:
            record.resume(kept)
        except ValueError as why:
            print(f"{why}: all is measured again")
    if not args.replace and (ended := record.after_an_end(chosen)):
        print(f"{ended}: the process before was ended while it ran; it is left out")
    left = [case for case in chosen if not record.has(case)]
    print(f"{where['gpu']}: {len(left)} of {len(chosen)} cases to measure", flush=True)
    if left:
        measured = rates(machine)
        record.begin(measured)
        print(*lines(measured), sep="\n", flush=True)
        _race(left, record, machine, measured, began, args)
    print("\n", *summary(chosen, record.rows), sep="\n")
    unfinished = [case.id for case in chosen if not record.has(case)]
    print(f"{record.file}: {len(chosen) - len(unfinished)} of {len(chosen)} cases")
    if unfinished:
        print("The same command goes on with the rest.")
    wrong = [row for row in record.rows if _is_ours_and_wrong(row)]
    for row in wrong:
        print(f"OURS FAILED {row['case']}: {row['form']}: {row['refused']}")
    return int(bool(wrong))


def _is_ours_and_wrong(row):
    """Not computed where ours must be, or broken or with too large an error in any form of it."""
    return "refused" in row and (
        row["form"] == OURS or (row["form"].startswith(OURS) and row.keys() & {"error", "broken"})
    )


def _race(left, record, machine, measured, began, args):
    for number, case in enumerate(left, 1):
        passed = time.monotonic() - began
        if passed > 60 * args.minutes:
            print(f"{args.minutes:g} minutes are over.")
            return
        print(f"\n[{number}/{len(left)}, {passed:.0f} s] {case.id}", flush=True)
        broken, every = record.broken(case), forms(args.peers, case.way)
        running = functools.partial(record.running, case, seconds=args.late)
        try:
            rows = race.rows(case, every, machine, measured, args.seconds, broken, running)
        except race.Broken as stop:
            record.breaks(case, stop.form, stop.why)
            print(f"{stop}\nThe GPU does nothing more for this process: run the command again.")
            sys.exit(AGAIN)
        except Exception as failed:  # a case is lost, and no more
            traceback.print_exc(file=sys.stdout)
            if not machine.is_alive():
                sys.exit(AGAIN)
            rows = [{"case": case.id, "form": OURS, "refused": reason(failed)}]
        condition = machine.condition()
        machine.forget()
        record.add(rows, condition)
        print(*progress(rows), sep="\n")
        print(*(f"{name}: {value}" for name, value in condition.items()), sep="; ", flush=True)


def rates(machine):
    """The ceilings of this machine: operations of a product, exponentials, bytes, each a second."""
    found = ceilings(torch.bfloat16, machine.device, n=turns.FEWEST)
    return {name: float(f"{x:.4g}") for name, x in found._asdict().items()}


def _arguments(given):
    parser = argparse.ArgumentParser("python -m benchmarks.race", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("file", nargs="?", type=Path, help="or a folder; default: one to keep")
    parser.add_argument("--replace", action="store_true", help="measure all again, and overwrite")
    parser.add_argument("--minutes", type=float, default=60.0, help="begin no case after so many")
    parser.add_argument("--seconds", type=float, default=turns.SECONDS, help="for each case")
    parser.add_argument("--late", type=float, default=LATE, help="seconds after which a form hangs")
    parser.add_argument("--only", action="append", help="cases whose name has this in it")
    parser.add_argument("--peers", type=Path, default=PEERS, help="a folder with other kernels")
    parser.add_argument("--warm", help="i/n: only compile, as the i-th of n such processes")
    parser.add_argument("--earlier", action="store_true", help="go on with the record that is kept")
    return parser.parse_args(given)
