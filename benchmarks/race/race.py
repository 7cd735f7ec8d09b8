"""One case: every form that agrees takes its turns, and each leaves a row."""

import contextlib

from benchmarks.race.agreement import error, exact, judged
from benchmarks.race.cases import DECODE, drawn
from benchmarks.race.forms import AS_CALLED, FLASH, JUDGES, OURS, ready, reason
from benchmarks.race.turns import SECONDS, ratio, turns


class Failed(Exception):
    """A form that does not do a case, and why."""

    def __init__(self, form, why):
        super().__init__(f"{form}: {why}")
        self.form, self.why = form, why


class Broken(Failed):
    """One after which the GPU does nothing more for this process."""


def rows(
    case, forms, machine, ceilings, seconds=SECONDS, broken=None, running=contextlib.nullcontext
):
    """A row, a dict, for each form: what it took, or why it was not measured.

    Agreement comes first: a form whose error is too large has a row that says so, and no time.
    What fails, for want of memory too, leaves the others as they are. `broken` has the reasons of
    forms that are not to be called again; whatever a form does is done within `running` of its
    name. Raises Broken if one is to be added.
    """

    @contextlib.contextmanager
    def attempt(form):
        with running(form):
            try:
                yield
            except Exception as failed:
                why = reason(failed)
                raise (Failed if machine.is_alive() else Broken)(form, why) from failed

    left = {name: form for name, form in forms.items() if name not in (broken or {})}
    calls, errors, refused = _agreeing(case, left, machine, attempt)
    strict = {name for name in forms if name.startswith(OURS)}
    wrong, judge = judged(errors, JUDGES, strict)
    agree = {name: call for name, call in calls.items() if name not in wrong}
    timed, seen, more = _timed(agree, machine, seconds, attempt)
    refused |= wrong | more
    found = []
    for name in forms:
        row = {"case": case.id, "form": name}
        if name in errors:
            row |= _judged(errors, name, judge)
        if name in timed:
            row |= _measured(name, case, timed, *seen[name], ceilings)
        elif name in left:
            row["refused"] = refused[name]
        else:
            row |= {"refused": broken[name], "broken": True}
        found.append({key: value for key, value in row.items() if value is not None})
    return found


def _agreeing(case, forms, machine, attempt):
    """What each form computes, how wrong it is, and why others compute nothing."""
    calls, errors, refused = {}, {}, {}
    x = drawn(case, machine.device)
    right = exact(case, x)
    for name, form in forms.items():
        result = None
        try:
            with attempt(name):
                call, result = ready(name, form, case, x, machine)
                errors[name] = error(result, right)
                calls[name] = call
        except Broken:
            raise
        except Failed as failed:
            refused[name] = failed.why
    return calls, errors, refused


def _timed(calls, machine, seconds, attempt):
    """The times of calls, the most bytes and the kernels of each, and why others have none.

    When one fails, all begin again without it. What the machine tells next of its condition is of
    this.
    """
    refused = {}
    machine.condition()
    while True:
        try:
            timed, seen = turns(calls, machine, seconds, attempt), {}
            for name, call in calls.items():
                with attempt(name):
                    ran = machine.kernels(call) if name == AS_CALLED else None
                    seen[name] = machine.peak(call), ran
            return timed, seen, refused
        except Broken:
            raise
        except Failed as failed:
            refused[failed.form] = failed.why
            calls = {name: call for name, call in calls.items() if name != failed.form}


def _judged(errors, name, judge):
    row = {"error": _short(errors[name].whole), "worst row": _short(errors[name].row)}
    row["judge"] = judge
    if judge is not None:
        row["error ratio"] = _short(errors[name].whole / errors[judge].whole)
    return row


def _measured(name, case, timed, peak, kernels, ceilings):
    timing = timed[name]
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
        "kernels": kernels,
    }


def _short(x):
    """Four digits, which is more than a clock knows; None for what is no number."""
    return None if x is None or x != x else float(f"{x:.4g}")
