"""One case: every form that agrees takes its turns, and each leaves a row."""

from attnbook.measure.gpu.agreement import error, exact, judged
from attnbook.measure.gpu.cases import DECODE, drawn
from attnbook.measure.gpu.forms import FLASH, JUDGES, OURS, Refused, ready
from attnbook.measure.gpu.turns import SECONDS, ratio, turns


class Broken(Exception):
    """A form after which the GPU does nothing more for this process."""

    def __init__(self, form, why):
        super().__init__(f"{form}: {why}")
        self.form, self.why = form, why


def rows(case, forms, machine, ceilings, seconds=SECONDS, broken=None):
    """A row, a dict, for each form: what it took, or why it was not measured.

    Agreement comes first: a form whose error is too large has a row that says so, and no time.
    `broken` has the reasons of forms that are not to be called again. Raises Broken if one is to
    be added.
    """
    x = drawn(case, machine.device)
    refused = dict(broken or {})
    left = {name: form for name, form in forms.items() if name not in refused}
    calls, errors, more = _agreeing(case, left, x, machine)
    refused |= more
    mine = {name for name in forms if name.startswith(OURS)}
    wrong, judge = judged(errors, JUDGES, mine)
    timed = turns({n: call for n, call in calls.items() if n not in wrong}, machine, seconds)
    found = []
    for name in forms:
        row = {"case": case.id, "form": name}
        if name in errors:
            row |= {"error": _short(errors[name].whole), "worst row": _short(errors[name].row)}
            row |= {"judge": judge}
            if judge is not None:
                row["error ratio"] = _short(errors[name].whole / errors[judge].whole)
        if name in timed:
            row |= _measured(name, case, timed, calls[name], machine, ceilings)
        else:
            row["refused"] = refused.get(name) or wrong[name]
        found.append({key: value for key, value in row.items() if value is not None})
    return found


def _agreeing(case, forms, x, machine):
    """What each form computes, how wrong it is, and why others compute nothing."""
    calls, errors, refused = {}, {}, {}
    right = exact(case, x)
    for name, form in forms.items():
        try:
            calls[name], result = ready(name, form, case, x, machine)
            errors[name] = error(result, right)
        except Refused as why:
            refused[name] = str(why)
            if not machine.is_alive():
                raise Broken(name, str(why)) from why
        result = None
    return calls, errors, refused


def _measured(name, case, timed, call, machine, ceilings):
    timing, peak = timed[name], machine.peak(call)
    each = {other: ratio(timing, timed[other]) for other in (FLASH, OURS) if other in timed}
    decode = case.way == DECODE
    work = case.read_bytes if decode else case.flops
    rate = work / timing.median
    return {
        "milliseconds": _short(1000 * timing.median),
        "spread": _short(timing.spread),
        "rounds": len(timing.seconds),
        "host milliseconds": _short(1000 * timing.host),
        "ratio": _short(each.get(FLASH)),
        "times ours": _short(each.get(OURS)),
        "TFLOP/s": None if decode else _short(rate / 1e12),
        "GB/s": _short(rate / 1e9) if decode else None,
        "share": _short(rate / ceilings["bytes" if decode else "flops"]),
        "peak bytes": peak,
        "times what is kept": _short(peak / case.kept_bytes),
    }


def _short(x):
    """Four digits, which is more than a clock knows; None for what is no number."""
    return None if x is None or x != x else float(f"{x:.4g}")
