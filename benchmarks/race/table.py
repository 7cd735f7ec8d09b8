"""What the race prints, as lines."""

from benchmarks.race import forms
from benchmarks.race.forms import OURS

PEERS = {"SDPA": forms.AS_CALLED, "FLASH": forms.FLASH, "CUDNN": forms.CUDNN}
PEERS |= {"EFFIC.": forms.EFFICIENT, "MATH": forms.MATH, "Flex": forms.FLEX, "tuned": forms.TUNED}
PEERS |= {"tutor.": forms.TUTORIAL, "spec.": forms.SPECIALISED, "f.-attn": forms.PACKAGE}
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


def summary(cases, rows):
    """A line for each case that is done: ours, and how many times as fast it is as each peer.

    Before that its rate, the share of the ceiling, the spread of its times, memory as a multiple of
    what must be kept, and its error as a multiple of the judge's; last, another of ours that is
    faster.
    """
    names = "T/s, GB/s   share  spread  memory  error"
    found = [f"{'times as fast as':57}{names}" + "".join(f"{name:>8}" for name in PEERS)]
    for case in cases:
        here = {row["form"]: row for row in rows if row["case"] == case.id}
        if "milliseconds" in here.get(OURS, {}):
            found.append(_summed(case, here))
    return found


def _summed(case, here):
    ours = here[OURS]
    head = f"{case.way + ' ' + case.name:34} d={case.width:<4}n={case.n_k:<6}b={case.batch:<5}"
    head += f"{ours.get('TFLOP/s') or ours.get('GB/s'):10.4g}{ours['share']:8.2f}"
    head += f"{ours['spread']:8.1%}{ours['times what is kept']:8.2f}"
    head += f"{ours['error ratio']:7.2f}" if "error ratio" in ours else f"{'-':>7}"
    times = [here.get(name, {}).get("times ours") for name in PEERS.values()]
    faster = [
        f"  {row['form'].removeprefix(OURS + ', ')}: {1 / row['times ours']:.2f} times as fast"
        for row in here.values()
        if row["form"].startswith(OURS) and row.get("times ours", 1) < 0.98
    ]
    return head + "".join(f"{'-' if t is None else f'{t:.2f}':>8}" for t in times) + "".join(faster)


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
