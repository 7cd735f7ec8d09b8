"""Project, step 3: go on after a crash · medium · 12 min

Hints
1. Both have a `state_dict()`, and a dictionary can hold the two.
2. After writing, the file stands at its end: `file.seek(0)` goes back.
3. `make()` is called once: its optimiser belongs to its module. Then both load.

Why
The file holds both states. `make()` returns a module and the optimiser that knows its parameters;
`load_state_dict` copies the numbers into the one, and the means, the number of steps and the
learning rate into the other.

Notice
With data that come in the same order this is all that a checkpoint needs. With dropout, or with
shuffled data, the state of the random numbers belongs to it, too.
"""

import numpy as np
import torch

from attnbook.exercises.chapters.modules._trained import drawn, steps, with_a_file
from attnbook.exercises.engine import case, write


def through_a_file(module, optimiser, file, make):
    """A new module and a new optimiser that go on where these stopped."""
    both = {"module": module.state_dict(), "optimiser": optimiser.state_dict()}
    torch.save(both, file)
    file.seek(0)
    saved = torch.load(file)
    new, new_optimiser = make()
    new.load_state_dict(saved["module"])
    new_optimiser.load_state_dict(saved["optimiser"])
    return new, new_optimiser


def in_numpy(lr, kind, w, shift, x, wanted):
    """The steps without a break; all losses are the same to the bit."""
    losses, last = steps(lr, kind, w, shift, x, wanted)
    return losses[2:], last, np.ones(len(x) - 2, dtype=bool)


rng = np.random.default_rng(19)

CASES = (
    case(**drawn(rng, 4, 1, 1, 1, 0.5)),
    case(**drawn(rng, 5, 2, 2, 1, 0.1, "SGD")),
    case(**drawn(rng, 6, 5, 3, 2, 0.2)),
)

MISTAKES = """
the new optimiser has forgotten its means, and takes a first step: load its state, too.
    new_optimiser.load_state_dict(saved["optimiser"]) →
the new module still has its random numbers: load its state.
    new.load_state_dict(saved["module"]) →
after writing, the file stands at its end: go back with file.seek(0) before you read.
    file.seek(0) →
the optimiser moves other parameters than those of the module: call make() once, and load without
assign=True, which puts new ones into the module.
    new, new_optimiser = make() → new, new_optimiser = make()[0], make()[1]
    saved["module"]) → saved["module"], assign=True)
the file is for numbers: save the state_dict() of each, and not the module or the optimiser itself.
    module.state_dict(), → module,
    optimiser.state_dict()} → optimiser}
the optimiser need not be Adam: load the state into the one that make() has returned.
    new, new_optimiser = make() → new = make()[0]; new_optimiser = torch.optim.Adam(new.parameters())
only the parameters came back: a buffer belongs to the state as well.
    new.load_state_dict(saved["module"]) → new.load_state_dict({"w": saved["module"]["w"]}, strict=False)
"""

exercise = write(
    through_a_file,
    CASES,
    MISTAKES,
    through=with_a_file,
    oracle=in_numpy,
    results=("losses", "w", "same"),
)
