"""What the project's checks do with a reader's module: give it a state, by names, and call it."""

import numpy as np
import torch
from torch import nn

from attnbook.exercises.engine import Unfit, describe, draw
from attnbook.exercises.engine.settings import plain_settings

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
    """The module in float64 with this state, which must have its names and shapes."""
    if not isinstance(module, nn.Module):
        raise Unfit(f"{describe(module)} was made; expected a module, a class of nn.Module")
    has = {name: tuple(tensor.shape) for name, tensor in module.state_dict().items()}
    wanted = {name: x.shape for name, x in state.items()}
    if missing := [name for name in wanted if name not in has]:
        raise Unfit(f"your module owns no {missing[0]}; it owns {', '.join(has) or 'nothing'}")
    if more := [name for name in has if name not in wanted]:
        raise Unfit(f"your module also owns {more[0]}, which is not asked for")
    for name, shape in wanted.items():
        if has[name] != shape:
            raise Unfit(f"{name} has the shape {has[name]}; expected {shape}")
    module.double().load_state_dict({name: torch.tensor(x) for name, x in state.items()})
    return module


def output(module, given):
    """What the module returns, as an array."""
    with plain_settings():
        out = module(given)
    if not isinstance(out, torch.Tensor):
        raise Unfit(f"forward returned {describe(out)}; expected a tensor")
    return out.detach().numpy()


def normed(x, scale, shift):
    """LayerNorm in NumPy."""
    return scale * (x - np.mean(x)) / np.sqrt(np.var(x) + 1e-5) + shift
