"""A loss without the padding · medium · 12 min

Hints
1. torch.log_softmax(logits, dim=-1) has the logarithms of all probabilities, and doesn't overflow.
2. log.gather(-1, wanted[..., None])[..., 0] picks that of the right symbol, at each place.
3. Which places count? Boolean indexing, x[mask], keeps them in one row, whose mean is wanted.

Why
Boolean indexing keeps the symbols that count, from all texts, in one row, so each has the same
weight in the mean. What is not in the row is not in the loss, and its gradient is 0.

Notice
`cross_entropy` of PyTorch does the same with `ignore_index`, a number that marks the padding of
`wanted`.
"""

import functools

import numpy as np
import torch

from attnbook.exercises.engine import case, stress, write
from attnbook.exercises.engine.tensors import Differentiated, differentiated


def loss_without_padding(logits, wanted, lens):
    """The mean cross-entropy of the symbols that count."""
    counts = torch.arange(logits.shape[1]) < lens[:, None]
    log = torch.log_softmax(logits, dim=-1)
    right = log.gather(-1, wanted[..., None])[..., 0]
    return -right[counts].mean()


def in_numpy(logits, wanted, lens):
    """Symbol by symbol; the gradient of each is its softmax without the right symbol's 1."""
    total, number, gradient = 0.0, int(lens.sum()), np.zeros_like(logits)
    for b, n in np.ndindex(*wanted.shape):
        if n < lens[b]:
            row = logits[b, n].astype(np.float64)
            exp = np.exp(row - row.max())
            total -= row[wanted[b, n]] - row.max() - np.log(exp.sum())
            gradient[b, n] = exp / exp.sum() / number
            gradient[b, n, wanted[b, n]] -= 1 / number
    return Differentiated(np.array(total / number, logits.dtype), gradient)


def of_logits(function):
    """For `through`: differentiated with respect to the logits; the others stay whole numbers.

    They are tensors of the arrays' own memory, so that who writes into them is seen.
    """

    @functools.wraps(function)
    def call(logits, wanted, lens):
        others = torch.from_numpy(wanted), torch.from_numpy(lens)
        return differentiated(lambda x: function(x, *others))(logits)

    return call


rng = np.random.default_rng(8)


def drawn(batch, n, n_symbols, lens, dtype=np.float64, size=1.0, across=False):
    """A padded batch, whose logits lie `across` in memory, so that no view has them in a row."""
    logits = (size * rng.standard_normal((batch, n, n_symbols))).astype(dtype)
    return {
        "logits": np.asfortranarray(logits) if across else logits,
        "wanted": rng.integers(0, n_symbols, (batch, n)),
        "lens": np.array(lens),
    }


CASES = (
    case(logits=np.log([[[1.0, 3.0]]]), wanted=np.array([[1]]), lens=np.array([1])),
    case(logits=np.log([[[1.0, 3.0], [1.0, 1.0]]]), wanted=np.array([[0, 0]]), lens=np.array([1])),
    case(**drawn(1, 3, 2, [3])),
    case(**drawn(2, 3, 4, [1, 3])),
    case(**drawn(3, 5, 3, [2, 5, 1])),
    case(**drawn(2, 4, 5, [4, 4])),
    case(**drawn(3, 4, 2, [1, 4, 2], across=True)),
    stress(**drawn(2, 3, 4, [0, 2])),
    stress(**drawn(2, 3, 4, [1, 3], np.float32)),
    stress(**drawn(2, 3, 4, [2, 3], size=1000.0)),
)

MISTAKES = """
padding counts here: keep the symbols within the lengths before the mean.
    right[counts].mean() → right.mean()
padding is 0 in the sum, and still counts in the number by which you divide.
    right[counts].mean() → (right * counts).mean()
0 is a symbol like any other, and no mark of padding: which symbols count is for lens to say.
    torch.arange(logits.shape[1]) < lens[:, None] → wanted != 0
    right[counts] → right[counts & (wanted != 0)]
`reshape` only cuts the row of numbers anew, and moves no axis: `transpose` or `.mT` does that.
    torch.log_softmax(logits, dim=-1) → torch.log_softmax(logits.reshape(len(lens), logits.shape[2], -1), dim=1).mT
each text has the same weight here, however short it is; each symbol that counts should have it.
    -right[counts].mean() → -torch.stack([r[:n].mean() for r, n in zip(right, lens.tolist()) if n]).mean()
    -right[counts].mean() → -torch.stack([r[:n].mean() for r, n in zip(right, lens.tolist())]).mean()
this is the sum; the mean divides it by the number of symbols that count.
    .mean() → .sum()
the sum is divided by the number of texts; divide it by that of the symbols that count.
    right[counts].mean() → right[counts].sum() / len(lens)
a loss is minus the logarithm.
    return -right → return right
softmax stands here twice: log_softmax and cross_entropy take the logits as they are.
    torch.log_softmax(logits, dim=-1) → torch.log_softmax(torch.softmax(logits, dim=-1), dim=-1)
these are bits; the loss is asked for with the natural logarithm.
    right[counts].mean() → right[counts].mean() / np.log(2)
this is the perplexity, e to the power of the loss.
    return -right[counts].mean() → return (-right[counts].mean()).exp()
logits of 0 at the padding are even guesses there, which count in the mean: leave the padding out.
    torch.log_softmax(logits, dim=-1) → torch.log_softmax(logits * counts[..., None], dim=-1) ; right[counts].mean() → right.mean()
nothing is shifted here: logits[:, n] guess wanted[:, n].
    right = log.gather(-1, wanted[..., None])[..., 0] → right = log[:, :-1].gather(-1, wanted[:, 1:, None])[..., 0] ; right[counts] → right[counts[:, 1:]]
these are probabilities without their logarithm.
    torch.log_softmax( → torch.softmax(
the logits are no logarithms of probabilities yet: log_softmax makes them so.
    torch.log_softmax(logits, dim=-1) → logits
softmax underflows to 0 where a logit is far below the largest, and its logarithm is −∞: log_softmax takes both at once.
    torch.log_softmax(logits, dim=-1) → torch.log(torch.softmax(logits, dim=-1))
the distribution is over the symbols, the last axis.
    dim=-1) → dim=1)
symbol number lens is padding already: compare with <.
    < lens → <= lens
the lengths are each text's own.
    lens[:, None] → lens.max() || lens[0]
"""

exercise = write(
    loss_without_padding,
    CASES,
    MISTAKES,
    oracle=in_numpy,
    through=of_logits,
)
