"""Project, step 4: write · medium · 12 min

Hints
1. `model(tokens)[:, -1]` holds the logits of the token that isn't there yet.
2. Keep a boolean for each text, whether it has written `stop`; `torch.where` chooses by it.
3. `torch.cat([tokens, new[:, None]], dim=1)` makes a longer tensor, and leaves the old one alone.

Why
Each new token is appended and read in the next step, so the model goes on from what it has written
itself, and no longer from true tokens. A text that is finished is carried along, since the others
of the batch are not.

Notice
Every step computes the whole text again. The keys and values of all earlier tokens are the same as
in the step before, and that is what a cache keeps.
"""

import numpy as np
import torch
from torch import nn

from attnbook.exercises.engine import Unfit, case, describe, not_yet
from attnbook.exercises.engine import write as made_exercise
from attnbook.exercises.engine.attempt import attempt
from attnbook.exercises.engine.settings import plain_settings


def write(model, tokens, steps, stop):
    """The tokens, and those that the model writes after them."""
    finished = torch.zeros(len(tokens), dtype=torch.bool)
    with torch.no_grad():
        for _ in range(steps):
            new = model(tokens)[:, -1].argmax(dim=1)
            new = torch.where(finished, stop, new)
            finished = new == stop
            tokens = torch.cat([tokens, new[:, None]], dim=1)
    return tokens


class Told(nn.Module):
    """A model of the check's own: what a token says of the next fades from place to place."""

    def __init__(self, table):
        super().__init__()
        self.table = nn.Parameter(torch.tensor(table))
        self.modes = set()  # in which it has been called

    def forward(self, tokens):
        self.modes.add(self.training)
        if torch.is_grad_enabled():
            raise Unfit("the model was called with gradients recorded: torch.no_grad() stops it")
        if not torch.is_tensor(tokens) or tokens.ndim != 2 or tokens.dtype != torch.int64:
            raise Unfit(f"the model was given {describe(tokens)}; expected integers (batch, n)")
        logits = [torch.zeros_like(self.table[tokens[:, 0]])]
        for place in tokens.T:
            logits.append(0.7 * logits[-1] + self.table[place])
        return torch.stack(logits[1:], dim=1)


def with_a_model(function):
    """For `through`: the function, with a model made of a table."""

    def call(table, tokens, steps, stop):
        with plain_settings():
            out = function(Told(table), torch.from_numpy(tokens), steps, stop)
        if out is None:
            raise Unfit("nothing was returned: is a `return` missing?")
        if not isinstance(out, torch.Tensor):
            raise Unfit(f"{describe(out)} was returned; expected a tensor")
        return out.numpy().copy()

    return call


CALLED_OTHERWISE = (
    "your function calls the model in another mode than the one it came in, and puts that back "
    "afterwards: use the model in the mode that it is in."
)


def left_as_it_was(answer, _):
    """For `refused`: whether a right function changes something in the model, if only for a time."""
    for training in True, False:
        model, tokens = Told(NEXT).train(training), torch.tensor([[0], [2]])
        before = _seen_of(model)
        attempt(lambda m=model, t=tokens: answer(m, t, 2, 3), {})
        for what, now in _seen_of(model).items():
            if now != before[what]:
                return not_yet(f"your function changed {what} of the model; leave it as it was.")
        if model.modes != {training}:
            return not_yet(CALLED_OTHERWISE)
    return None


def _seen_of(model):
    """What may be changed of a model."""
    return {
        "the mode, which `train` and `eval` set,": model.training,
        "the numbers": model.table.tolist(),
        "the gradient": model.table.grad is not None,
        "the `requires_grad`": model.table.requires_grad,
        "the hooks": [len(x) for x in vars(model).values() if isinstance(x, dict)],
    }


def text_by_text(table, tokens, steps, stop):
    texts = []
    for row in tokens:
        text = list(row)
        for _ in range(steps):
            logits = sum(0.7**i * table[token] for i, token in enumerate(text[::-1]))
            written = text[len(row) :]
            text.append(stop if stop in written else int(np.argmax(logits)))
        texts.append(text)
    return np.array(texts, dtype=tokens.dtype)


rng = np.random.default_rng(34)


def drawn(batch, n, steps, vocabulary=4, stop=2):
    table = rng.standard_normal((vocabulary, vocabulary))
    tokens = rng.integers(0, vocabulary, (batch, n))
    return {"table": table, "tokens": tokens, "steps": steps, "stop": stop}


NEXT = np.roll(5 * np.eye(4), 1, axis=1)  # after 0 comes 1, after 1 comes 2, …
FAR = np.where(np.arange(4)[:, None] == 3, [0, 1e6, 0, 0], NEXT)  # a 3 is seen from afar
CASES = (
    case(table=NEXT, tokens=np.array([[0]]), steps=1, stop=3, gives=np.array([[0, 1]])),
    case(table=NEXT, tokens=np.array([[0]]), steps=2, stop=3, gives=np.array([[0, 1, 2]])),
    case(table=NEXT, tokens=np.array([[1]]), steps=4, stop=3, gives=np.array([[1, 2, 3, 3, 3]])),
    case(table=NEXT, tokens=np.array([[3, 0]]), steps=2, stop=3),
    case(table=NEXT, tokens=np.array([[3]]), steps=3, stop=0, gives=np.array([[3, 0, 0, 0]])),
    case(table=NEXT, tokens=np.array([[0], [2]]), steps=2, stop=3),
    case(table=NEXT, tokens=np.array([[2], [0]]), steps=3, stop=3),
    case(**drawn(2, 3, 3)),
    case(**drawn(3, 2, 5)),
    case(**drawn(4, 3, 6, vocabulary=5, stop=1)),
    case(table=NEXT, tokens=np.array([[0, 1]]), steps=0, stop=3),
    case(table=FAR, tokens=np.array([[3]]), steps=20, stop=2, gives=np.array([[3] + 20 * [1]])),
)

MISTAKES = """
only the last position guesses the token that comes next.
    [:, -1] → [:, 0] || [:, -2] || [:, max(-2, -tokens.shape[1])]
`stop` may be 0, which counts as false in Python, and still ends a text.
    torch.where(finished, stop, new) → (torch.where(finished, stop, new) if stop else new)
what follows `stop` is `stop` at once, and not one step later.
    finished = new == stop → finished = finished | (tokens[:, -1] == stop)
after `stop` a text gets only `stop`: here it goes on writing. (`stop` is an argument, not 12.)
    torch.where(finished, stop, new) → new
what follows `stop` is `stop` again, and no 0.
    (finished, stop, new) → (finished, 0, new) ; finished = new == stop → finished = finished | (new == stop)
a `stop` in the beginning that was given counts for nothing: the text is finished when it writes one.
    torch.zeros(len(tokens), dtype=torch.bool) → (tokens == stop).any(dim=1) || tokens[:, -1] == stop
    return tokens → return torch.where((tokens == stop).cumsum(dim=1) > 0, stop, tokens)
one text that is finished does not finish the others.
    finished = new == stop → finished = (new == stop).any()
    finished = new == stop → finished = finished | (new[:1] == stop)
each text ends when it has written `stop`, not when all have.
    finished = new == stop → finished = (new == stop).all()
return the tokens that were given, too, in front of the new ones.
    return tokens → return tokens[:, tokens.shape[1] - steps:]
take the token with the largest logit.
    argmax → argmin
append as many tokens as there are steps.
    range(steps) → range(steps + 1) || range(steps - 1)
the result has n + steps tokens: where all texts are finished, go on with `stop`.
    for _ in range(steps): → for _ in range(steps):\\n            if finished.all():\\n                break
the new token goes to the end of its text.
    [tokens, new[:, None]] → [new[:, None], tokens]
each new token is read in the next step: hand the longer text to the model.
    finished = torch.zeros → given = tokens\\n    finished = torch.zeros ; model(tokens) → model(given)
the model reads the whole text in each step, not only the end of it.
    model(tokens) → model(tokens[:, -1:]) || model(tokens[:, -3:]) || model(tokens[:, -5:]) || model(tokens[:, -8:])
    finished = torch.zeros → n = tokens.shape[1]\\n    finished = torch.zeros ; model(tokens) → model(tokens[:, -n:])
"""

exercise = made_exercise(
    write,
    CASES,
    MISTAKES,
    through=with_a_model,
    refused=left_as_it_was,
    oracle=text_by_text,
)
