"""Train Transformers on three seeds, and write what each has learned.

    python -m attnbook.models texts [FILE]

trains on words to reverse, on sums, with rotary positions and with learned ones, and on the
Gospels. It prints a line for each training, and writes them to FILE as JSON, together with where
they come from. It takes about a quarter of an hour, on one thread.
"""

import time

import torch
from torch.nn.functional import cross_entropy

from attnbook.models.gospels import bits_per_token, gospels, tokens_of, windows
from attnbook.models.records import finished, record
from attnbook.models.tasks import (
    IGNORED,
    SUM_SIGNS,
    WORD_SIGNS,
    answer_targets,
    exact_match,
    reversals,
    sums,
)
from attnbook.models.training import Training
from attnbook.models.transformer import Transformer

COMMAND = "python -m attnbook.models texts"
RUNS = [("reversal", "learned"), ("sums", "rotary"), ("sums", "learned"), ("gospels", "rotary")]
SEEDS = range(3)
SMALL = {"d_model": 64, "n_layers": 2, "n_heads": 4}
SETTINGS = {
    "reversal": {"model": SMALL, "steps": 600, "lr": 5e-3, "batch": 128, "tested": 1000},
    "sums": {"model": SMALL, "steps": 1200, "lr": 3e-3, "batch": 128, "tested": 1000},
    "gospels": {
        "model": {"d_model": 96, "n_layers": 3, "n_heads": 4},
        **{"steps": 1200, "lr": 3e-3, "batch": 16, "context": 96, "held out": 0.1},
    },
    "threads": 1,
    "clock": "processor time",
}
EVERY = 20  # of so many losses the mean is kept


class Answers:
    """Texts of a task, of which the answer is asked for."""

    def __init__(self, task):
        self.signs = {"reversal": WORD_SIGNS, "sums": SUM_SIGNS}[task]
        self.task, self.batch, self.tested = task, SETTINGS[task]["batch"], SETTINGS[task]["tested"]

    def texts(self, n, generator, held_out):
        draw = reversals if self.task == "reversal" else sums
        held = {} if self.task == "reversal" else {"held_out": held_out}
        return draw(n, generator, **held)

    def targets(self, texts):
        padding = self.signs.find("_")
        return answer_targets(texts, self.signs.index("="), padding)

    @property
    def length(self):
        """That of the tokens that are read: all but the last."""
        return self.texts(1, torch.Generator(), False).shape[1] - 1

    def loss_of(self, model, generator):
        texts = self.texts(self.batch, generator, held_out=False)
        logits, targets = model(texts[:, :-1]), self.targets(texts)
        return cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=IGNORED)

    def result(self, model):
        texts = self.texts(self.tested, torch.Generator().manual_seed(10_000), held_out=True)
        targets = self.targets(texts)
        found = {"exact match": round(exact_match(model, texts, targets), 4)}
        if self.task == "sums":  # a digit of the answer stands at one place in all texts
            losses = losses_by_place(model, texts, targets).tolist()
            found |= {"losses by place": [round(loss, 3) for loss in losses]}
        return found


@torch.no_grad()
def losses_by_place(model, texts, targets):
    """The mean cross-entropy in nats at each place that is asked for, from left to right."""
    losses = cross_entropy(model(texts[:, :-1]).mT, targets, reduction="none")
    return losses.mean(dim=0)[(targets != IGNORED).all(dim=0)]


class Characters:
    """The Gospels, each next character of which is asked for; the last tenth is held out."""

    def __init__(self):
        text, self.settings = gospels(), SETTINGS["gospels"]
        self.signs = "".join(sorted(set(text)))
        tokens = tokens_of(text, self.signs)
        end = round(len(tokens) * (1 - self.settings["held out"]))
        self.known, self.held_out = tokens[:end], tokens[end:]

    def loss_of(self, model, generator):
        length = self.settings["context"] + 1
        pieces = windows(self.known, length, self.settings["batch"], generator)
        return cross_entropy(model(pieces[:, :-1]).flatten(0, 1), pieces[:, 1:].flatten())

    def result(self, model):
        bits = bits_per_token(model, self.held_out, self.settings["context"])
        return {"bits per character": round(bits, 3)}


def trained(task, positions, seed):
    """One training, as a row of the table."""
    what, settings = Characters() if task == "gospels" else Answers(task), SETTINGS[task]
    torch.manual_seed(seed)
    length = {"max_length": what.length} if positions == "learned" else {}
    model = Transformer(len(what.signs), **settings["model"], **length)
    training = Training(model, what.loss_of, settings["steps"], settings["lr"], seed)
    begin = time.process_time()
    losses = finished(training)
    row = {"task": task, "positions": positions, "seed": seed} | what.result(model)
    means = torch.tensor(losses).split(EVERY)
    row |= {"seconds": round(time.process_time() - begin, 1)}
    return row | {f"losses by {EVERY}": [round(part.mean().item(), 3) for part in means]}


def main(arguments):
    rows = (trained(*run, seed) for run in RUNS for seed in SEEDS)
    record(arguments, __doc__, COMMAND, SETTINGS, rows)
