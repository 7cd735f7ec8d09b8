"""Numbers that make no sense, each kind refused in one sentence, whichever function is given them.

A sentence names the argument, what it was and what it should be. The function that was called is
named in front of it, by `attnbook.operation`, where the call came in.
"""

from math import inf
from numbers import Integral


def at_least(least, **given):
    """Refuse numbers below `least`, and NaN."""
    for name, value in given.items():
        if not value >= least:
            raise ValueError(f"{name} is {value}; expected {least} or more")


def at_most(name_of_most, most, **given):
    """Refuse numbers above another one that was given."""
    for name, value in given.items():
        if value > most:
            raise ValueError(f"{name} is {value}; expected at most {name_of_most} = {most}")


def even(**given):
    """Refuse numbers that are not even, and those below 2."""
    for name, value in given.items():
        if value < 2 or value % 2:
            raise ValueError(f"{name} is {value}; expected an even number, 2 or more")


def above_0(**given):
    """Refuse numbers that are not above 0."""
    for name, value in given.items():
        if not value > 0:
            raise ValueError(f"{name} is {value}; expected a number above 0")


def finite_above_0(**given):
    """Refuse numbers that are not above 0, and infinity."""
    for name, value in given.items():
        if not 0 < value < inf:
            raise ValueError(f"{name} is {value}; expected a finite number above 0")


def one_of(allowed, **given):
    """Refuse words that are not allowed."""
    for name, value in given.items():
        if value not in allowed:
            raise ValueError(f"{name} is {value!r}; expected one of {', '.join(allowed)}")


def divides(name, value, name_of_whole, whole):
    """Refuse what is no integer that divides another."""
    if not isinstance(value, Integral) or value < 1 or whole % value:
        raise ValueError(f"{name} is {value}; expected a divisor of {name_of_whole} = {whole}")


def shared_heads(n_heads, n_kv_heads, d_kv, d_head):
    """Refuse key-value heads that do not fit the query heads."""
    divides("n_kv_heads", n_kv_heads, "n_heads", n_heads)
    if d_kv != n_kv_heads * d_head:
        expected = f"n_kv_heads · d_head = {n_kv_heads} · {d_head}"
        raise ValueError(f"w_k and w_v have {d_kv} columns; expected {expected}")


def heads_of_keys(q, k):
    """Refuse key-value heads that query heads, on the axis before the last two, cannot share."""
    n_heads, n_kv_heads = q.shape[-3], k.shape[-3]
    if not 1 <= n_kv_heads <= n_heads or n_heads % n_kv_heads:
        raise ValueError(
            f"k has {n_kv_heads} heads; expected a divisor of the {n_heads} heads of q"
        )


def resolve_scale(scale, d_k):
    """What products of queries and keys are multiplied by: 1/√d_k if no scale is given."""
    if scale is None and d_k == 0:
        raise ValueError("q has width d_k = 0; expected 1 or more, for the scale 1/√d_k")
    return d_k**-0.5 if scale is None else float(scale)
