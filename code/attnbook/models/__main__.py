"""Train the translators of dates on three seeds, and write how many dates each gets right.

    python -m attnbook.models [FILE]

prints a line for each training, and writes them to FILE as JSON, together with where they come
from. It takes about ten minutes, on one thread. `texts` or `lists` before FILE trains Transformers.
"""

import functools
import sys
import time

import torch
from torch.nn.functional import cross_entropy

from attnbook.models import (
    SYMBOLS,
    Training,
    Translator,
    date_pairs,
    day_split,
    letters_of,
    lists,
    shifted,
    symbols_of,
    texts,
    translate,
)
from attnbook.models.dates import LETTERS
from attnbook.models.records import finished, record
from attnbook.pytorch import AdditiveAttention, DotProductAttention

START, N_LETTERS = len(SYMBOLS), len(LETTERS) + 1
ATTENTIONS = {
    "additive": lambda hidden: AdditiveAttention(hidden, hidden, hidden),
    "dot product": lambda hidden: DotProductAttention(),
    "none": lambda hidden: None,
}
SHORT, LONG = 400, 1600
RUNS = [(name, hidden, SHORT) for hidden in (64, 32) for name in ATTENTIONS]
RUNS += [("none", hidden, LONG) for hidden in (64, 32)]
SEEDS = range(3)
SETTINGS = {
    "pairs": 30_000,
    "held out": 1000,
    "batch": 128,
    "lr": 5e-3,
    "seeds": len(SEEDS),
    "threads": 1,
    "clock": "processor time",
}


@functools.cache
def tensors(held_out, n):
    """Letters, lengths and symbols of `n` dates, of the days to train on or of the others."""
    pairs = date_pairs(day_split()[held_out], n, seed=held_out)
    return *letters_of([text for text, _ in pairs]), symbols_of([iso for _, iso in pairs])


def loss_of(model, generator):
    """The cross-entropy of one batch."""
    letters, lens, symbols = tensors(0, SETTINGS["pairs"])
    rows = torch.randint(len(lens), (SETTINGS["batch"],), generator=generator)
    longest, symbols = lens[rows].max(), symbols[rows]
    logits = model(letters[rows, :longest], lens[rows], shifted(symbols, START))
    return cross_entropy(logits.flatten(0, 1), symbols.flatten())


def exact_match(model):
    """The fraction of dates of days never trained on that are right in all ten symbols."""
    letters, lens, symbols = tensors(1, SETTINGS["held out"])
    found = translate(model, letters, lens, symbols.shape[1], START)
    return (found == symbols).all(dim=1).double().mean().item()


def trained(name, hidden, steps, seed):
    """One training, as a row of the table."""
    torch.manual_seed(seed)
    model = Translator(N_LETTERS, len(SYMBOLS), hidden, ATTENTIONS[name](hidden))
    training, begin = Training(model, loss_of, steps, SETTINGS["lr"], seed), time.process_time()
    finished(training)
    seconds = round(time.process_time() - begin, 1)
    row = {"attention": name, "hidden": hidden, "steps": steps, "seed": seed}
    return row | {"exact match": round(exact_match(model), 4), "seconds": seconds}


def main():
    others = {"texts": texts.main, "lists": lists.main}
    name, *rest = sys.argv[1:] or [""]
    if name in others:
        others[name](rest)
        return
    rows = (trained(*run, seed) for run in RUNS for seed in SEEDS)
    record(sys.argv[1:], __doc__, "python -m attnbook.models", SETTINGS, rows)


if __name__ == "__main__":
    main()
