"""Project, step 2: the loop · medium · 12 min

Hints
1. Four lines of the chapter's `train` come back. The batches and the optimiser are given here.
2. In the loop: empty the gradients, compute the loss, walk back, step. Where is the number of the
   loss to be had without its record?
3. `module.train()` and `module.eval()` set the mode of a module and of every module within it.

Why
Each pair costs one round: `zero_grad`, the loss, `backward`, `step`. The optimiser knows the
module's parameters, and outlives the call, so a second call goes on where the first has stopped.
`loss.item()` was computed before the step, and keeps no record.

Notice
Nothing in this loop knows what the module is. It trains yours, a linear layer and a large model.
"""

import numpy as np
import torch

from attnbook.exercises.chapters.modules._trained import drawn, steps, with_a_layer
from attnbook.exercises.engine import case, write


def train_on(module, optimiser, batches):
    """The losses of the optimiser's steps, one for each batch."""
    losses = []
    module.train()
    for x, wanted in batches:
        optimiser.zero_grad()
        loss = (module(x) - wanted).square().mean()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    module.eval()
    return losses


def adam(module, optimiser):
    """Another one, of the same learning rate."""
    return torch.optim.Adam(module.parameters(), lr=optimiser.param_groups[0]["lr"])


rng = np.random.default_rng(18)

CASES = (
    case(**drawn(rng, 1, 1, 1, 1, 0.5)),
    case(**drawn(rng, 2, 1, 1, 1, 0.5)),
    case(**drawn(rng, 3, 2, 2, 1, 0.1)),
    case(**drawn(rng, 4, 3, 2, 3, 0.01, "SGD")),
    case(**drawn(rng, 8, 5, 3, 2, 0.2)),
)

MISTAKES = """
`backward` adds to the gradient that is there: call `zero_grad` in every round.
    optimiser.zero_grad() →
nothing moves: `step` or `backward` is missing, or the gradients are emptied between the two.
    optimiser.step() →
    loss.backward() →
    optimiser.zero_grad() →  ; loss.backward() → loss.backward(); optimiser.zero_grad()
the step comes before `backward`, so that it follows the gradient of the batch before.
    optimiser.zero_grad() →  ; loss.backward() → optimiser.step(); optimiser.zero_grad(); loss.backward() ; \\n        optimiser.step()\\n → \\n
the optimiser is handed in, and remembers what it has done: make no new one, which forgets it.
    optimiser.zero_grad() → optimiser.zero_grad(); optimiser = adam(module, optimiser)
    losses = [] → losses, optimiser = [], adam(module, optimiser)
    losses = [] → losses, optimiser = [], torch.optim.Adam(module.parameters())
    losses = [] → losses, optimiser = [], torch.optim.SGD(module.parameters(), lr=1e-3)
a loss belongs to the module before its step: here it is computed again, after the step.
    losses.append(loss.item()) → losses.append((module(x) - wanted).square().mean().item())
the loss is the mean of the squares, over all numbers.
    .mean() → .sum()
    .square() → .abs()
    .square().mean() → .square().mean().sqrt()
    .square().mean() → .square().sum(dim=-1).mean()
    .square().mean() → .square().mean() / 2
`backward` needs the record of what was computed: no `no_grad` here, and no `detach`.
    module(x) - wanted → module(x).detach() - wanted
the module is left in the mode in which it came: leave it in evaluation, however it came.
    losses = [] → losses, came = [], module.training ; module.eval() → module.train(came)
each batch is used once, in the order of the list.
    in batches: → in batches[::-1]:
    in batches: → in sorted(batches, key=lambda pair: pair[1].sum().item()):
the losses come in the order of the batches.
    return losses → return losses[::-1]
"""

exercise = write(
    train_on,
    CASES,
    MISTAKES,
    through=with_a_layer,
    oracle=steps,
    results=("losses", "w"),
)
