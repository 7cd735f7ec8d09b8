"""Which positions of a sequence each rank keeps, and what a causal mask leaves it to do.

Under a causal mask late queries see much and early ones little. With consecutive positions the last
rank works while the first is idle; with `zigzag` each rank has an early and a late piece, and all
have the same to do at every step.
"""

from numbers import Integral

import torch
from jaxtyping import Shaped
from torch import Tensor

from attnbook.checks import at_least, one_of
from attnbook.pytorch.operation import check_shapes

PLACEMENTS = "contiguous", "zigzag"
WHOLE = slice(None)


@check_shapes
def pieces(rank: Integral, n_ranks: Integral, placement: str) -> tuple:
    """The numbers of the pieces that a rank keeps, in order.

        contiguous: (r)  of w equal pieces,    zigzag: (r, 2w - 1 - r)  of 2w

    Returns a tuple of one or two numbers. Raises ValueError if there is no such placement or rank.

    Source: for the zigzag xrennvidia (2023), its name zhuzilin (2024);
    Grattafiori et al. (2024), section 3.3.2.

    >>> [pieces(rank, 4, "zigzag") for rank in range(4)]
    [(0, 7), (1, 6), (2, 5), (3, 4)]
    """
    one_of(PLACEMENTS, placement=placement)
    if not 0 <= rank < n_ranks:
        raise ValueError(f"rank is {rank}; expected 0 to {n_ranks - 1}")
    return (rank,) if placement == "contiguous" else (rank, 2 * n_ranks - 1 - rank)


@check_shapes
def split_sequence(
    x: Shaped[Tensor, "..."], n_ranks: Integral, placement: str = "zigzag", dim: Integral = -2
) -> list:
    """Cut a sequence for the ranks: a list of tensors, one for each.

    `dim` is the axis of positions. Returns views or copies of n / n_ranks positions each. Raises
    ValueError if the positions do not divide into as many equal pieces as the placement needs.

    >>> [part.tolist() for part in split_sequence(torch.arange(8), 2, "zigzag", dim=0)]
    [[0, 1, 6, 7], [2, 3, 4, 5]]
    """
    at_least(1, n_ranks=n_ranks)
    kept = [pieces(rank, n_ranks, placement) for rank in range(n_ranks)]
    number = sum(map(len, kept))
    if x.shape[dim] % number:
        raise ValueError(
            f"the sequence has {x.shape[dim]} positions; expected a multiple of "
            f"{number}, the pieces of {n_ranks} ranks with the placement {placement}"
        )
    cut = x.chunk(number, dim)
    return [torch.cat([cut[piece] for piece in mine], dim) for mine in kept]


@check_shapes
def join_sequence(parts: list | tuple, placement: str = "zigzag", dim: Integral = -2) -> Tensor:
    """The sequence from the ranks' parts: the inverse of `split_sequence`.

    Returns one tensor. Raises ValueError if there are no parts, or one does not divide into its
    pieces.

    >>> join_sequence([torch.tensor([0, 1, 6, 7]), torch.tensor([2, 3, 4, 5])], dim=0).tolist()
    [0, 1, 2, 3, 4, 5, 6, 7]
    """
    if not parts:
        raise ValueError("parts is empty; expected the part of each rank")
    cut = {}
    for rank, part in enumerate(parts):
        mine = pieces(rank, len(parts), placement)
        if part.shape[dim] % len(mine):
            raise ValueError(
                f"part {rank} has {part.shape[dim]} positions; expected an even "
                f"number, for the placement {placement}"
            )
        cut |= dict(zip(mine, part.tensor_split(len(mine), dim), strict=True))
    return torch.cat([cut[piece] for piece in sorted(cut)], dim)


def visible_slices(rank, source, n, causal, placement):
    """Which of a rank's n queries meet which of the n keys of `source`, and whether causally.

    Returns a list: of one, two slices and a boolean, or of none where nothing is visible. At home a
    rank's positions rise, so its own block is causal whatever the placement. Of any other rank the
    whole, its first half or nothing is visible, and to all queries or to the second half of them.
    """
    if source == rank or not causal:
        return [(WHOLE, WHOLE, causal)]
    if placement == "contiguous":
        return [(WHOLE, WHOLE, False)] if source < rank else []
    first, second = slice(0, n // 2), slice(n // 2, n)
    return [(WHOLE, first, False) if source < rank else (second, WHOLE, False)]


@check_shapes
def visible_pairs(n: Integral, n_ranks: Integral, placement: str = "zigzag") -> list:
    """How many pairs of query and key each rank meets at each step, under a causal mask.

    Step s brings rank r the keys of rank (r - s) mod n_ranks. Returns a list of the ranks' lists.
    Raises ValueError if the n positions do not divide as `split_sequence` would divide them.

    >>> visible_pairs(8, 2, "contiguous"), visible_pairs(8, 2, "zigzag")
    ([[10, 0], [10, 16]], [[10, 8], [10, 8]])
    """
    one_of(PLACEMENTS, placement=placement)
    at_least(1, n_ranks=n_ranks)
    number = n_ranks * len(pieces(0, n_ranks, placement))
    if n < 0 or n % number:
        raise ValueError(f"n is {n}; expected a multiple of {number}, the pieces")
    m, whole = n // n_ranks, range(n // n_ranks)

    def pairs(rank, source):
        return sum(
            m * (m + 1) // 2 if causal else len(whole[rows]) * len(whole[keys])
            for rows, keys, causal in visible_slices(rank, source, m, True, placement)
        )

    steps = range(n_ranks)
    return [[pairs(r, (r - step) % n_ranks) for step in steps] for r in range(n_ranks)]
