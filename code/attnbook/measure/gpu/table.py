"""What the race prints, as lines."""

UNITS = {"flops": (1e12, "TFLOP/s of a product"), "exps": (1e12, "T exponentials/s")}
UNITS["bytes"] = (1e9, "GB/s of a copy")
HEAD = f"{'form':28}{'ms':>10}{'spread':>8}{'x FLASH':>9}{'x ours':>8}{'T/s, GB/s':>11}{'share':>7}"
HEAD += f"{'memory':>8}{'error':>10}"


def lines(ceilings):
    """The ceilings, a line each."""
    return [f"{ceilings[key] / unit:10.4g} {name}" for key, (unit, name) in UNITS.items()]


def progress(rows):
    """The rows of one case: time, spread, time as a multiple of SDPA FLASH's and of ours, rate.

    Then the share of the ceiling that was measured, memory as a multiple of what must be kept, and
    the error as a multiple of the judge's.
    """
    return [HEAD, *map(_line, rows)]


def _line(row):
    if "refused" in row:
        return f"{row['form']:28}{row['refused']:.110}"
    rate = row.get("TFLOP/s") or row.get("GB/s")
    numbers = [
        f"{row['milliseconds']:10.4g}",
        f"{row['spread']:8.1%}",
        *(
            f"{row[k]:{n}.2f}" if k in row else " " * n
            for k, n in (("ratio", 9), ("times ours", 8))
        ),
        f"{rate:11.4g}",
        f"{row['share']:7.2f}",
        f"{row['times what is kept']:8.2f}",
        f"{row['error ratio']:10.2f}" if "error ratio" in row else "",
    ]
    return f"{row['form']:28}{''.join(numbers)}"
