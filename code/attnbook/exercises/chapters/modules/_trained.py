"""What the project's checks hand to a reader's functions: modules that are theirs, as arrays."""

import contextlib
import functools
import io

import numpy as np
import torch
from torch import nn

from attnbook.exercises.engine import Unfit, describe, draw
from attnbook.exercises.engine.settings import plain_settings


class Doubled(nn.Module):
    """In training twice what comes in: as with dropout, training is not like evaluation."""

    def forward(self, x):
        return 2 * x if self.training else x


class Layer(nn.Module):
    """One matrix, a buffer, and a module within the module, which goes by the mode."""

    def __init__(self, w, shift):
        super().__init__()
        self.w = nn.Parameter(torch.tensor(w))
        self.register_buffer("shift", torch.tensor(shift))
        self.doubled = Doubled()

    def forward(self, x):
        return self.doubled(x @ self.w.mT + self.shift)


OPTIMISERS = {"Adam": torch.optim.Adam, "SGD": functools.partial(torch.optim.SGD, momentum=0.9)}


def drawn(rng, steps, n, d_in, d_out, lr, kind="Adam"):
    """An optimiser, a layer, and for each step what goes in and what should come out."""
    shapes = {"w": (d_out, d_in), "shift": (d_out,), "x": (steps, n, d_in)}
    return {"lr": lr, "kind": kind} | draw(rng, shapes | {"wanted": (steps, n, d_out)})


def pairs(x, wanted):
    return list(zip(torch.tensor(x), torch.tensor(wanted), strict=True))


def one_step(module, optimiser, x, wanted):
    """The loss before a step of training."""
    optimiser.zero_grad()
    loss = (module(x) - wanted).square().mean()
    loss.backward()
    optimiser.step()
    return loss.item()


def steps(lr, kind, w, shift, x, wanted):
    """The losses and the matrix of a `Layer` that is trained, from the equations in NumPy."""
    w, m, s, losses = w.copy(), np.zeros_like(w), np.zeros_like(w), []
    for t, (given, right) in enumerate(zip(x, wanted, strict=True), start=1):
        error = 2 * (given @ w.T + shift) - right
        gradient = 2 * 2 * error.T @ given / error.size
        losses.append(np.mean(error**2))
        if kind == "SGD":
            m = 0.9 * m + gradient
            w -= lr * m
        else:
            m, s = 0.9 * m + 0.1 * gradient, 0.999 * s + 0.001 * gradient**2
            w -= lr * (m / (1 - 0.9**t)) / (np.sqrt(s / (1 - 0.999**t)) + 1e-8)
    return np.array(losses), w


def with_a_layer(function):
    """For `through`: the loop, called for each half of the steps, and with a module in
    evaluation first, then with one in training."""

    def trained(lr, kind, w, shift, x, wanted):
        module, losses, half = Layer(w, shift), [], (len(x) + 1) // 2
        for each in module.modules():
            each.register_forward_pre_hook(_refuse_evaluation)
        optimiser = OPTIMISERS[kind](module.parameters(), lr=lr)
        for part in filter(None, (pairs(x, wanted)[:half], pairs(x, wanted)[half:])):
            batches = list(part)
            with plain_settings():
                found = function(module.train(bool(losses)), optimiser, batches)
            _refuse_unless_losses(found, len(part))
            if any(each.training for each in module.modules()):
                raise Unfit("the module, or one within it, was left in training mode")
            if len(batches) != len(part):
                raise Unfit("your function changed the list of batches: leave it as it was")
            losses += found
        return np.array(losses), module.w.detach().numpy()

    return trained


def _refuse_evaluation(module, _):
    if not module.training:
        raise Unfit(
            "the module, or one within it, was called in evaluation mode, not in training mode"
        )


def _refuse_unless_losses(losses, number):
    if losses is None:
        raise Unfit("nothing was returned: is a `return` missing?")
    if not isinstance(losses, list) or len(losses) != number:
        raise Unfit(f"{describe(losses)} was returned; expected a list of {number} losses")
    for loss in losses:
        if not isinstance(loss, float):
            raise Unfit(f"a loss is {describe(loss)}; expected a Python number")


class Watched(io.BytesIO):
    """A file that knows whether it was read."""

    was_read = False

    def read(self, *size):
        self.was_read = True
        return super().read(*size)

    def readinto(self, room):
        self.was_read = True
        return super().readinto(room)


def with_a_file(function):
    """For `through`: two steps, the file, and the steps after it, by both modules."""

    def continued(lr, kind, w, shift, x, wanted):
        module, file, made = Layer(w, shift), Watched(), []
        optimiser = OPTIMISERS[kind](module.parameters(), lr=lr)
        before, after = pairs(x, wanted)[:2], pairs(x, wanted)[2:]
        for pair in before:
            one_step(module, optimiser, *pair)

        def make():
            made.append(Layer(w[::-1].copy() + 1, 0 * shift))
            return made[-1], OPTIMISERS[kind](made[-1].parameters(), lr=2 * lr)

        with plain_settings(), _one_archive(file):
            pair = function(module, optimiser, file, make)
        _refuse_unless_new(pair, module, optimiser, file, made)
        losses = [one_step(*pair, *each) for each in after]
        straight = [one_step(module, optimiser, *each) for each in after]
        same = np.array([a == b for a, b in zip(losses, straight, strict=True)])
        return np.array(losses), pair[0].w.detach().numpy(), same

    return continued


@contextlib.contextmanager
def _one_archive(file):
    """Say of two saves in one file what is wrong, where PyTorch finds the file damaged."""
    try:
        yield
    except Exception:
        if file.getvalue().count(END_OF_ARCHIVE) > 1:
            raise Unfit(
                "what two calls of torch.save have written into one file can't be read from it: "
                "one save, with both states in one dictionary"
            ) from None
        raise


END_OF_ARCHIVE = b"PK\5\6"


def _refuse_unless_new(pair, module, optimiser, file, made):
    if pair is None:
        raise Unfit("nothing was returned: is a `return` missing?")
    kinds = (nn.Module, torch.optim.Optimizer)
    is_pair = isinstance(pair, tuple | list) and len(pair) == 2
    if not is_pair or not all(map(isinstance, pair, kinds)):
        raise Unfit("expected a pair, the new module and then its new optimiser")
    if not file.getvalue():
        raise Unfit("nothing was written into the file")
    if not file.was_read:
        raise Unfit("the file was written and never read: after a crash it is all there is")
    if not any(pair[0] is new for new in made):
        raise Unfit("the module that was returned does not come from make()")
    if _memory(*pair) & _memory(module, optimiser):
        raise Unfit("the new ones share memory with the old: one step would move both")


def _memory(module, optimiser):
    """Where the tensors of a module and of its optimiser lie."""
    kept = [x for each in optimiser.state.values() for x in each.values()]
    tensors = [*module.state_dict().values(), *filter(torch.is_tensor, kept)]
    return {x.data_ptr() for x in tensors}
