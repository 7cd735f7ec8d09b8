"""What the project's checks do with a reader's module: give it a state, by names, and call it."""

import numpy as np
import torch
from torch import nn

from attnbook.exercises.engine import Unfit, describe, draw, not_yet
from attnbook.exercises.engine.attempt import attempt

ATTENTION = ("w_q", "w_k", "w_v", "w_o")


def block_arrays(rng, d_model):
    """The parameters of a decoder's block, by short names."""
    wide = 4 * d_model
    shapes = dict.fromkeys(ATTENTION, (d_model, d_model))
    shapes |= dict.fromkeys(("scale_1", "shift_1", "scale_2", "shift_2"), (d_model,))
    shapes |= {"w_1": (wide, d_model), "b_1": (wide,), "w_2": (d_model, wide), "b_2": (d_model,)}
    return draw(rng, shapes)


def block_state(arrays):
    """The same by the names of the module that owns them."""
    state = {f"attention.{name}.weight": arrays[name] for name in ATTENTION}
    for n in "12":
        layer = "widen" if n == "1" else "narrow"
        state |= {f"norm_{n}.weight": arrays[f"scale_{n}"], f"norm_{n}.bias": arrays[f"shift_{n}"]}
        state |= {f"{layer}.weight": arrays[f"w_{n}"], f"{layer}.bias": arrays[f"b_{n}"]}
    return state


def filled(module, state):
    """The module in float64 with this state: these parameters in these shapes, and no others.

    A second name of one of them is none, and neither is a buffer.
    """
    if not isinstance(module, nn.Module):
        raise Unfit(f"{describe(module)} was made; expected a module, a class of nn.Module")
    has = dict(module.named_parameters(remove_duplicate=False))
    if missing := [name for name in state if name not in has]:
        raise Unfit(f"your module owns no {missing[0]}; it owns {', '.join(has) or 'nothing'}")
    for name, x in state.items():
        if tuple(has[name].shape) != x.shape:
            raise Unfit(f"{name} has the shape {tuple(has[name].shape)}; expected {x.shape}")
    asked = {id(has[name]) for name in state}
    if more := [name for name, parameter in has.items() if id(parameter) not in asked]:
        raise Unfit(f"your module also owns {more[0]}, {_no_second_name(has, more[0], state)}")
    module.double().load_state_dict({n: torch.tensor(x) for n, x in state.items()}, strict=False)
    return module


def _no_second_name(has, more, state):
    """Why a parameter that is not asked for is not one of those that are."""
    alike = [name for name in state if has[name].shape == has[more].shape]
    return f"which is a parameter of its own, and not {alike[0] if alike else 'asked for'}"


KEPT = (
    "what your module returns for a text depends on the texts before it: it keeps something from "
    "call to call."
)


def kept_or_unlearned(module, text, longer):
    """For `refused`: whether a right module keeps something between calls, or doesn't learn."""
    parameters = dict(module.named_parameters())
    first, other, again = (attempt(lambda t=t: module(t), {}) for t in (text, longer, text))
    if first.raised:
        return not_yet(
            f"a text of {text.shape[1]} tokens raises {first.message}.", where=first.where
        )
    if other.raised:
        return not_yet(
            f"a second text, which is longer, raises {other.message}. What belongs to a length "
            "has to be made anew in each call.",
            where=other.where,
        )
    lengths_fit = other.value.shape[1] == longer.shape[1]
    if again.raised or not lengths_fit or not torch.allclose(first.value, again.value):
        return not_yet(KEPT)
    learning = [p for p in parameters.values() if p.requires_grad]
    gradients = torch.autograd.grad(first.value.cos().sum(), learning, allow_unused=True)
    learned = {id(p) for p, g in zip(learning, gradients, strict=True) if g is not None}
    for name, parameter in parameters.items():
        if id(parameter) not in learned:
            return not_yet(f"{name} learns nothing: no `detach`, no `data`, and no `no_grad`.")
    return None


def normed(x, scale, shift):
    """LayerNorm in NumPy, of complex numbers, too, by which the oracles differentiate."""
    centred = x - np.mean(x)
    return scale * centred / np.sqrt(np.mean(centred * centred) + 1e-5) + shift


def slopes(function, x):
    """The derivative of a number with respect to each entry of x, by an imaginary step."""
    found = np.zeros_like(x)
    for at in np.ndindex(x.shape):
        moved = x.astype(complex)
        moved[at] += 1e-30j
        found[at] = function(moved).imag / 1e-30
    return found


def factors(out):
    """Those of the sum whose gradient a check compares: every entry counts differently."""
    return np.cos(np.arange(out.size)).reshape(out.shape)
