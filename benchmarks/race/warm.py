"""Compile what the race will need, in several processes at once: compilers use one core each.

Triton and PyTorch keep what they compiled in folders that the race then finds it in.
"""

from benchmarks.race.cases import FORWARD, cases, drawn
from benchmarks.race.forms import FLEX, OURS, SPECIALISED, TUNED, TUTORIAL, ready
from benchmarks.race.tutorial import FILE, Refused, loaded


def warm(number, of, forms, machine, chosen=None):
    """Call what is compiled, once, in every `of`-th case from `number` on. Nothing is timed."""
    chosen = cases() if chosen is None else chosen
    for case in chosen[number::of]:
        _call(case, {name: forms[name] for name in (OURS, FLEX, TUNED)}, machine)
    try:
        tutorial = loaded(forms[TUTORIAL].keywords["folder"] / FILE)
    except Exception as failed:  # the race says what is wrong with it
        print(f"{TUTORIAL}: {failed}")
        return
    shared = share(vars(tutorial).values(), number, of)
    squares = [case for case in chosen if case.name in ("plain", "causal")]
    shortest = min((case.n_k for case in squares), default=0)
    for case in squares if shared else []:
        if case.n_k == shortest and case.way == FORWARD:
            _call(case, {name: forms[name] for name in (TUTORIAL, SPECIALISED)}, machine)


def share(values, number, of):
    """Leave each kernel that chooses among configurations every `of`-th of them; which it has."""
    tuned = [each for each in values if isinstance(getattr(each, "configs", None), list)]
    for kernel in tuned:
        kernel.configs = kernel.configs[number::of]
    return [kernel for kernel in tuned if kernel.configs]


def _call(case, forms, machine):
    x = drawn(case, machine.device)
    for name, form in forms.items():
        try:
            ready(name, form, case, x, machine)
        except Refused as why:
            print(f"{case.id}, {name}: {why}", flush=True)
    machine.forget()
