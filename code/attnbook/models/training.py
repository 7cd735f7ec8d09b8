"""Training that shows how far it is, can be interrupted between two steps, and goes on."""

import contextlib
import math
import signal
import threading

import torch
from torch import nn
from tqdm import tqdm


class Training:
    """A module on its way through a number of steps, and all that it must remember to go on.

    `loss_of(module, generator)` draws a batch with the generator and returns its loss. A step moves
    the parameters by Adam, with the learning rate of `one_cycle` up to `lr`; a gradient longer than
    1 is shortened to 1. `losses` has the loss before each step that was taken.
    Source: Adam: Kingma and Ba (2015). A gradient that is shortened:
    Pascanu, Mikolov and Bengio (2013).
    """

    def __init__(self, module: nn.Module, loss_of, steps: int, lr: float, seed: int = 0):
        if not 1 <= steps or not 0 < lr:
            raise ValueError(f"steps is {steps} and lr is {lr}; expected numbers above 0")
        self.module, self.loss_of, self.steps, self.lr = module, loss_of, steps, lr
        self.optimiser = torch.optim.Adam(module.parameters(), lr=lr)
        self.generator = torch.Generator().manual_seed(seed)
        self.losses = []

    def run(self, until: int | None = None) -> list[float]:
        """Go on to step `until`, or to the last one, under a progress bar; return all losses.

        An interrupt ends it after the step that it meets, and nothing is lost: a second call goes
        on. The module is left in evaluation. Raises ValueError if there are not so many steps.
        """
        until = self.steps if until is None else until
        if until > self.steps:
            raise ValueError(f"until is {until}; expected at most steps, which is {self.steps}")
        self.module.train()
        bar = tqdm(total=until, initial=len(self.losses), unit="step")
        with bar, interrupts() as interrupted:
            while len(self.losses) < until and not interrupted:
                self.losses.append(self._step())
                bar.set_postfix(loss=f"{self.losses[-1]:.3f}", refresh=False)
                bar.update()
        self.module.eval()
        if interrupted:
            print(f"Stopped after step {len(self.losses)} of {until}: run it again to go on.")
        return self.losses

    def _step(self):
        self.optimiser.zero_grad()
        loss = self.loss_of(self.module, self.generator)
        loss.backward()
        nn.utils.clip_grad_norm_(self.module.parameters(), 1.0)
        for group in self.optimiser.param_groups:
            group["lr"] = self.lr * one_cycle((len(self.losses) + 1) / self.steps)
        self.optimiser.step()
        return loss.item()


def one_cycle(progress: float) -> float:
    """The learning rate as a fraction of its largest: it rises for 0.3 of the steps, then falls.

    Both ways follow half a cosine, from 0 to 1 and back to nearly 0, where the last step is 1e-3.
    Source: Smith and Topin (2018), with cosines instead of lines.
    """
    if progress < 0.3:
        return (1 - math.cos(math.pi * progress / 0.3)) / 2
    return max((1 + math.cos(math.pi * (progress - 0.3) / 0.7)) / 2, 1e-3)


@contextlib.contextmanager
def interrupts():
    """A list that the first interrupt fills, instead of ending what runs; a second one ends it."""
    noted = []

    def note(number, frame):
        if noted:
            raise KeyboardInterrupt
        noted.append(number)

    if threading.current_thread() is not threading.main_thread():
        yield noted  # only the main thread is interrupted
        return
    before = signal.signal(signal.SIGINT, note)
    try:
        yield noted
    finally:
        signal.signal(signal.SIGINT, before)
