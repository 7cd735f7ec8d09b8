"""Later ranks are skipped · easy · 5 min

Hints
1. At step s rank r holds the keys of rank (r - s) mod 4. When is that a later rank?
2. Rank 0 keeps the last piece of the text as well as the first.
3. Look at rank 0 at any step but 0.

Why
In a zigzag a later rank is not a later part of the text: rank 3 keeps the two middle pieces, 3 and
4, and rank 0 the pieces 0 and 7. The queries of piece 7 see them. At step 1 rank 0 has the keys of
rank 3, and the rule skips them.

Notice
Of the 136 pairs that a causal mask of 16 positions shows, 48 would be left out. No error would
say so; only the numbers would be others.
"""

from attnbook.exercises.chapters.many_gpus.zigzag import zigzag
from attnbook.exercises.engine import break_it, whole_numbers
from attnbook.masks import causal_mask


def skipped():
    """Rank 0 meets the keys of rank 3 at step 1: its late queries see all of them."""
    return 0, 1


def computes(rank, step):
    """Whether a rank of four computes at a step: not on the keys of a later rank."""
    source = (rank - step) % 4
    return source <= rank


def has_to_compute(rank, step):
    """Whether a zigzag of 16 positions shows a rank of four anything at a step."""
    kept, source = zigzag(16, 4), int(rank - step) % 4
    return bool(causal_mask(16, 16)[kept[int(rank)]][:, kept[source]].any())


MISTAKES = """
at step 0 a rank has its own keys, which the rule lets it compute.
    2, 0
    if step == 0
rank 3 is the last: no rank is later, and nothing is skipped.
    3, 2
    if rank == 3
at this step the keys are those of an earlier rank, which the rule does not skip: choose a step at
which they come from a later one.
    2, 1
    if step <= rank
"""

exercise = break_it(
    skipped,
    MISTAKES,
    broken=computes,
    right=has_to_compute,
    allowed=lambda rank, step: whole_numbers(0, 3, rank=rank, step=step),
    stated=(True, False),
)
