"""A causal mask that is made where it is used."""

import numpy as np
import torch

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.tensors import placed
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.families import triangles
from attnbook.exercises.solutions import twins as solutions


def triangle(visible):
    def mask(n_q, n_k, device):
        i, j = torch.arange(n_q, device=device)[:, None], torch.arange(n_k, device=device)
        return visible(i, j, n_q, n_k)

    return mask


def on_the_cpu(n_q, n_k, device):
    return solutions.causal_mask(n_q, n_k, "cpu")


def keys_moved(n_q, n_k, device):
    return torch.arange(n_k, device=device) <= torch.arange(n_q)[:, None] + n_k - n_q


def queries_moved(n_q, n_k, device):
    return torch.arange(n_k) <= torch.arange(n_q, device=device)[:, None] + n_k - n_q


causal_mask = Write(
    name="twins.causal_mask",
    title="A causal mask, on a device",
    level="easy",
    minutes=6,
    solution_of=solutions.causal_mask,
    through=placed,
    explanation=(
        "Two ranges that are made on the device, so nothing has to be moved; their comparison is "
        "made there too. Query i stands at key i + n_k − n_q, as in Chapter 4, and the last query "
        "at the last key."
    ),
    hints=(
        "Chapter 4 compares a row of keys with a column of queries: torch.arange makes both.",
        "torch.arange(n, device=device) makes the range on the device. Every tensor needs it.",
        "The last query stands at the last key: query i stands at key i + n_k − n_q.",
    ),
    misconceptions=(
        Misconception(
            on_the_cpu,
            "the mask is on the CPU, whatever the device: pass device on to each tensor that you "
            "make.",
        ),
        *(
            Misconception(
                one_moved,
                "one of two tensors was made on the CPU, and tensors meet only on one device: pass "
                "device on to both.",
            )
            for one_moved in (keys_moved, queries_moved)
        ),
        *triangles.misconceptions(triangle),
        Misconception(
            lambda *sizes: solutions.causal_mask(*sizes).T,
            "the mask is transposed: rows are queries, columns are keys.",
        ),
        Misconception(
            lambda *sizes: solutions.causal_mask(*sizes).float(),
            "these are the numbers 1.0 and 0.0; a mask is boolean, so that nobody can add it.",
        ),
        Misconception(
            lambda *sizes: torch.where(solutions.causal_mask(*sizes), 0, -torch.inf),
            "this is a bias, to be added to scores; a mask is boolean, True = may look.",
        ),
        Misconception(
            lambda n_q, n_k, device: np.arange(n_k) <= np.arange(n_q)[:, None] + n_k - n_q,
            "this is NumPy's array: a tensor is asked for, made with torch.arange.",
        ),
    ),
    notice="A mask that is made where it is used need not travel there.",
    cases=(
        case(n_q=2, n_k=2, device="cpu"),
        case(n_q=1, n_k=1, device="cpu"),
        case(n_q=1, n_k=3, device="cpu"),
        case(n_q=3, n_k=3, device="cpu"),
        case(n_q=2, n_k=5, device="cpu"),
        case(n_q=4, n_k=2, device="cpu"),
        case(n_q=5, n_k=1, device="cpu"),
        case(n_q=2, n_k=3, device="meta"),
        stress(n_q=0, n_k=2, device="cpu"),
        stress(n_q=2, n_k=0, device="cpu"),
        stress(n_q=23, n_k=31, device="cpu"),
        stress(n_q=31, n_k=23, device="cpu"),
        stress(n_q=140, n_k=150, device="cpu"),
        stress(n_q=2, n_k=5000, device="cpu"),
        stress(n_q=7, n_k=4, device="meta"),
    ),
)
