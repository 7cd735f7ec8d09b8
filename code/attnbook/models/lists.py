"""Train Transformers on lists on three seeds, and write what each has learned.

    python -m attnbook.models lists [FILE]

trains on letters to sort, and on pairs to recall from, with two layers of attention alone and with
one. It prints a line for each training, and writes them to FILE as JSON, together with where they
come from. It takes about three minutes, on one thread.
"""

import time

import torch
from jaxtyping import Integer
from torch import Tensor
from torch.nn.functional import cross_entropy

from attnbook.checks import at_least
from attnbook.models.recall import after_same, recall_texts
from attnbook.models.records import finished, record
from attnbook.models.training import Training
from attnbook.models.transformer import Transformer

COMMAND = "python -m attnbook.models lists"
RUNS = "sorting", "recall, two layers", "recall, one layer"
SEEDS = range(3)
LETTERS, N_PAIRS, N_QUERIES = 10, 6, 10
ALONE = {"vocabulary": 52, "d_model": 64, "d_hidden": 0}  # attention alone
RECALLING = {"steps": 400, "lr": 5e-3, "batch": 64}
SORTING = {"vocabulary": 27, "d_model": 64, "n_layers": 2, "n_heads": 4}
SETTINGS = {
    "sorting": {
        "model": SORTING | {"max_length": 2 * LETTERS},
        **{"steps": 600, "lr": 5e-3, "batch": 128},
    },
    "recall, two layers": {"model": ALONE | {"n_layers": 2, "n_heads": 1}, **RECALLING},
    "recall, one layer": {"model": ALONE | {"n_layers": 1, "n_heads": 4}, **RECALLING},
    **{"letters": LETTERS, "pairs": N_PAIRS, "queries": N_QUERIES, "tested": 1000},
    "threads": 1,
    "clock": "processor time",
}


def sorting_texts(n: int, generator: torch.Generator) -> Integer[Tensor, "n m"]:
    """`n` texts of ten random letters, an equals sign, which is 26, and the letters in their order.

    Raises ValueError if n is below 1.
    """
    at_least(1, n=n)
    letters = torch.randint(26, (n, LETTERS), generator=generator)
    return torch.cat([letters, torch.full((n, 1), 26), letters.sort(dim=-1).values], dim=1)


def drawn(run, n, generator):
    """Texts of one of `RUNS`, and which of their tokens, but the last, ask for the next."""
    if run == "sorting":
        return sorting_texts(n, generator), slice(LETTERS, None)
    return recall_texts(n, N_PAIRS, N_QUERIES, generator), slice(2 * N_PAIRS, None, 2)


def loss_of(run):
    def loss(model, generator):
        texts, asked = drawn(run, SETTINGS[run]["batch"], generator)
        return cross_entropy(model(texts[:, :-1])[:, asked].mT, texts[:, 1:][:, asked])

    return loss


@torch.no_grad()
def result(run, model):
    """Of texts that were not trained on: which fraction is right, and where two layers look."""
    texts, asked = drawn(run, SETTINGS["tested"], torch.Generator().manual_seed(10_000))
    right = (model(texts[:, :-1]).argmax(dim=-1) == texts[:, 1:])[:, asked]
    found = {"tokens": right, "exact match": right.all(dim=1)}
    if run == "recall, two layers":
        first, second = model.weights(texts[:, :-1])[:, :, 0]  # the only heads
        found["previous token"] = first.diagonal(-1, dim1=1, dim2=2)[:, ::2]  # of values
        found["induction"] = (second * after_same(texts[:, :-1])).sum(dim=-1)[:, asked]
    return {name: round(each.double().mean().item(), 4) for name, each in found.items()}


def trained(run, seed):
    """One training, as a row of the table."""
    settings = SETTINGS[run]
    torch.manual_seed(seed)
    model = Transformer(**settings["model"])
    training = Training(model, loss_of(run), settings["steps"], settings["lr"], seed)
    begin = time.process_time()
    finished(training)
    seconds = round(time.process_time() - begin, 1)
    return {"task": run, "seed": seed} | result(run, model) | {"seconds": seconds}


def main(arguments):
    rows = (trained(run, seed) for run in RUNS for seed in SEEDS)
    record(arguments, __doc__, COMMAND, SETTINGS, rows)
