"""Key-value recall: a list of pairs, and then some of its keys, each of which asks for its value.

A key is one of the tokens 0 to 25, which are written a to z, and a value one of 26 to 51, which are
written A to Z.
"""

import string

import torch
from jaxtyping import Bool, Integer
from torch import Tensor

from attnbook.checks import at_least
from attnbook.pytorch.operation import check_shapes

RECALL_LETTERS = string.ascii_lowercase + string.ascii_uppercase
N_KEYS = 26


def recall_texts(
    n_texts: int, n_pairs: int, n_queries: int, generator=None
) -> Integer[Tensor, "n_texts n"]:
    """Texts of `n_pairs` pairs, and `n_queries` of the same pairs again, drawn with replacement.

        k_1 v_1 k_2 v_2 … k_p v_p    k_i v_i k_j v_j …

    Returns a tensor of shape (n_texts, 2 (n_pairs + n_queries)). In the list of a text no key and
    no value stands twice, so what is asked can be answered, and only from the list. Raises
    ValueError for more than 26 pairs, or a number below 1.
    """
    at_least(1, n_texts=n_texts, n_pairs=n_pairs, n_queries=n_queries)
    if n_pairs > N_KEYS:
        raise ValueError(f"n_pairs is {n_pairs}; expected at most {N_KEYS}, one for each key")
    chosen = torch.rand(2, n_texts, N_KEYS, generator=generator).argsort(dim=-1)[..., :n_pairs]
    pairs = torch.stack([chosen[0], chosen[1] + N_KEYS], dim=-1)
    asked = torch.randint(n_pairs, (n_texts, n_queries), generator=generator)
    again = pairs[torch.arange(n_texts)[:, None], asked]
    return torch.cat([pairs, again], dim=1).flatten(1)


@check_shapes
def after_same(tokens: Integer[Tensor, "batch n"]) -> Bool[Tensor, "batch n n"]:
    """Where induction looks: at what stood behind an earlier copy of the query's own token.

        M_ij = x_(j-1) = x_i and 0 < j ≤ i

    Returns booleans of shape (batch, n, n); rows are queries.
    """
    same = tokens[:, :, None] == tokens[:, None, :-1]
    return torch.nn.functional.pad(same, (1, 0)).tril()
