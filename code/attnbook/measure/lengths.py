"""One head from 128 to 16,384 positions, in NumPy and in PyTorch, beside the ceilings.

    python -m attnbook.measure lengths [FILE]

prints a table, and writes it to FILE as JSON, together with where it comes from. Where there is a
GPU, PyTorch's forms are measured there too.
"""

import argparse
import statistics
from pathlib import Path

import torch
from torch.nn.functional import scaled_dot_product_attention as sdpa

from attnbook import pytorch as ours
from attnbook import reference, tiled
from attnbook.measure.provenance import environment
from attnbook.measure.record import LENGTHS_COMMAND, written
from attnbook.measure.roofline import rounds_with_ceilings

WIDTH, ROUNDS = 128, 7
FORMS = "NumPy, readable", "NumPy, in blocks", "PyTorch, readable", "SDPA"
LENGTHS = tuple(2**p for p in range(7, 15))
SHORT = 0.02  # seconds: a call that takes less is repeated until it takes as long
TOLERANCE = 1e-5  # sums of float32 numbers near 1 in two orders: errors near 1e-6 are seen
SETTINGS = {
    "batch": 1,
    "heads": 1,
    "width": WIDTH,
    "dtype": "float32",
    "threads": 1,
    "clock": "processor time",
    "rounds": ROUNDS,
    "seed": 0,
}


def forms(q, k, v):
    """The same attention, of tensors (n, d), in four ways: name → function without arguments."""
    arrays = [x.numpy() for x in (q, k, v)]
    batch = [x[None, None] for x in (q, k, v)]
    calls = (
        lambda: reference.scaled_dot_product_attention(*arrays),
        lambda: tiled.attention_tiled(*arrays)[0],
        lambda: ours.scaled_dot_product_attention(q, k, v),
        lambda: sdpa(*batch)[0, 0],
    )
    return dict(zip(FORMS, calls, strict=True))


def forms_on(device, q, k, v):
    """PyTorch's forms on another device, by a name that ends in it."""
    q, k, v = (x.to(device) for x in (q, k, v))
    batch = [x[None, None] for x in (q, k, v)]
    return {
        f"PyTorch, readable, {device}": lambda: ours.scaled_dot_product_attention(q, k, v),
        f"SDPA, {device}": lambda: sdpa(*batch)[0, 0],
    }


def rows_at(n, n_rounds=ROUNDS):
    """Times of each form at length n, and the ceilings of the same rounds, as dicts.

    Raises ValueError if two forms do not agree.
    """
    torch.manual_seed(0)
    drawn = torch.randn(3, n, WIDTH)
    rows = _rows(n, forms(*drawn), n_rounds, "cpu")
    if torch.cuda.is_available():
        rows += _rows(n, forms(*drawn) | forms_on("cuda", *drawn), n_rounds, "cuda")
    return rows


def _rows(n, calls, n_rounds, device):
    results = {name: torch.as_tensor(call()).cpu() for name, call in calls.items()}
    for name, result in results.items():
        error = (result - results["NumPy, readable"]).abs().max().item()
        if not error <= TOLERANCE:
            raise ValueError(f"{name} differs from NumPy, readable by {error:.0e}")
    times = 1 + int(SHORT / (n**2 * 4e-9))
    here = {name: call for name, call in calls.items() if (device in name) == (device != "cpu")}
    many = {name: lambda call=call: [call() for _ in range(times)] for name, call in here.items()}
    roofs, _, seconds = rounds_with_ceilings(many, n_rounds, device=device)
    return [
        {
            "n": n,
            "form": name,
            "milliseconds": round(1000 * statistics.median(each) / times, 4),
            "ceilings": {rate: float(f"{x:.4g}") for rate, x in roofs._asdict().items()},
        }
        for name, each in seconds.items()
    ]


def line(row):
    return f"{row['n']:6}{row['milliseconds']:12.3f} ms  {row['form']}"


def main(given=None):
    """Measure all lengths, print each as soon as it is there, write them if a file is named."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", nargs="?", type=Path, help="JSON to write")
    args, rows = parser.parse_args(given), []
    print(environment(), SETTINGS, sep="\n")
    with torch.no_grad():
        for n in LENGTHS:
            rows += (new := rows_at(n))
            print(*map(line, new), sep="\n", flush=True)
    if args.file:
        parts = {
            "command": LENGTHS_COMMAND,
            "environment": environment(),
            "settings": SETTINGS,
        }
        args.file.write_text(written(parts, rows), encoding="utf-8")
