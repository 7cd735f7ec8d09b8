"""A rule or a change for FlexAttention, called at every place as FlexAttention calls it."""

import contextlib

import torch

from attnbook.exercises.engine import Unfit, Verdict
from attnbook.exercises.engine.attempt import attempt
from attnbook.exercises.engine.settings import plain_settings

OF = ("b", "h", "i", "j")


def _over_places(rule, sizes, score=()):
    """Call a rule at every place, as FlexAttention does: by vmap, one axis after the other."""
    for axis in reversed(range(4)):
        own = tuple(0 if n == axis else None for n in range(4))
        rule = torch.vmap(rule, in_dims=(0,) * len(score) + own)
    given = (*score, *map(torch.arange, sizes))
    before = [x._version for x in given]
    out = rule(*given)
    names = ("s",) * len(score) + OF
    for name, version, x in zip(names, before, given, strict=True):
        if x._version != version:
            raise Unfit(
                f"your rule writes into {name}, which FlexAttention refuses once compiled: "
                "make a new tensor"
            )
    return out


IN_PLACE = (
    "your rule changes a tensor of one place in place, as `+=` and `&=` do, with one of another: "
    "make a new tensor"
)
OURS = {
    "data-dependent": "your rule asks a tensor with `if`, `and`, `or`, `not` or a chain "
    "`a < b < c`, which it cannot: join conditions with `&`, each in brackets, and choose with "
    "`torch.where`",
    "vmap over calling .item()": "your rule asks for the number in a tensor, as `.item()`, `int`, "
    "`float` and `math` do, which it cannot: compute with tensors",
    "doesn't have storage": "your rule leaves PyTorch, as `.numpy()` and functions of NumPy do, "
    "which it cannot: compute with tensors",
    "vmap: inplace arithmetic": IN_PLACE,
    "doesn't match the broadcast shape": IN_PLACE,
    "must only return Tensors": "your rule returned something else than a tensor: is a "
    "`return` missing?",
}


@contextlib.contextmanager
def _in_our_words():
    """Say what vmap says of a rule in words of the chapter."""
    try:
        yield
    except (RuntimeError, ValueError) as error:
        ours = (text for theirs, text in OURS.items() if theirs in str(error))
        raise next(map(Unfit, ours), error) from None


MANY = 10**7  # as many squared are more numbers than any machine has addresses for


def with_an_array(make):
    """A verdict on a right rule that has an array of all places, by a call at one of 10¹⁴."""

    def refused(answer, _):
        zeros = [torch.tensor(0)] * 4
        call = attempt(lambda: make(answer, MANY)(*zeros), {})
        unfit = call.raised and ("alloc" in call.message.lower() or "MemoryError" in call.message)
        return Verdict("right", STORED) if unfit else None

    return refused


STORED = (
    "Correct. But an array of n_q · n_k numbers is made beside the rule, which computes each place "
    "for itself: for ten million queries and keys no memory holds it."
)


def called(function, arguments, sizes, score=()):
    with plain_settings():
        rule = function(*arguments)
        if rule is None:
            raise Unfit("nothing was returned: is a `return` missing?")
        if not callable(rule) or isinstance(rule, torch.Tensor):
            places = ", ".join(("s",) * len(score) + OF)
            kind = type(rule).__name__
            raise Unfit(f"the result is of type {kind}; expected a function of {places}")
        with _in_our_words():
            out = _over_places(rule, sizes, score)
    if not isinstance(out, torch.Tensor):
        raise Unfit(f"your rule returned {type(out).__name__}; expected a tensor")
    if out.shape[4:]:
        several = tuple(out.shape[4:])
        raise Unfit(
            f"your rule returns numbers of shape {several} at each place; expected a single one"
        )
    return out.detach().numpy()
