"""What travels on the way back: the gradient of a block, with the parts of all it has visited."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import many_gpus as solutions

_rng = np.random.default_rng(11)


def _parts(n_ranks, *shape, dtype=np.float64):
    return _rng.standard_normal((n_ranks, n_ranks, *shape)).astype(dtype)


_POWERS = 10.0 ** np.arange(3)[:, None] + np.zeros(3)  # the part of rank r is 10^r, to any block
_BLOCKS = np.array([[1.0, 2.0], [30.0, 40.0]])


def _visits(places, home=lambda r, s, w: (r - s) % w):
    """A known mistake: which ranks have added their part to the block that is here."""

    def wrong(parts, step):
        n_ranks = len(parts)
        block = home(np.arange(n_ranks), step, n_ranks)
        added = [parts[p % n_ranks, block] for p in places(np.arange(n_ranks), step, n_ranks)]
        return np.sum(added, axis=0) if added else np.zeros_like(parts[0])

    return wrong


def own_part(parts, step):
    return _visits(lambda r, s, w: [r])(parts, step)


def carried(turn):
    """A known mistake: between two steps the sums stay where they are, or go the other way."""

    def wrong(parts, step):
        ranks = np.arange(len(parts))
        carry = np.zeros_like(parts[:, 0])
        for s in range(step + 1):
            carry = np.roll(carry, turn if s else 0, axis=0)
            carry = carry + parts[ranks, (ranks - s) % len(parts)]
        return carry

    return wrong


def of_my_block(parts, step):
    n_ranks, ranks = len(parts), np.arange(len(parts))
    return np.sum([parts[(ranks + t) % n_ranks, ranks] for t in range(step + 1)], axis=0)


def no_way_round(parts, step):
    """A known mistake: the ranks from home up to this one, as if none came after the last."""
    n_ranks = len(parts)
    home = [(rank - step) % n_ranks for rank in range(n_ranks)]
    return np.stack([parts[h : r + 1, h].sum(axis=0) for r, h in enumerate(home)])


def rolled_flat(parts, step):
    """A known mistake: np.roll without an axis."""
    ranks, carry = np.arange(len(parts)), np.zeros_like(parts[:, 0])
    for s in range(step + 1):
        carry = np.roll(carry, 1) + parts[ranks, (ranks - s) % len(parts)]
    return carry


def overwritten(parts, step):
    """A known mistake: a sum is read after the loop over ranks has written into it."""
    n_ranks, carry = len(parts), np.zeros_like(parts[0])
    for s in range(step + 1):
        for rank in range(n_ranks):
            carry[rank] = carry[rank - 1] + parts[rank, (rank - s) % n_ranks]
    return carry


def exchanged(parts, step):
    return solutions.in_hand(np.swapaxes(parts, 0, 1), step)


OWN = "the rank's own part is missing: it has added it before it sends the block on."
HOME = "the part of the rank at home is missing: it added its own at step 0."

in_hand = Write(
    name="many_gpus.in_hand",
    title="A gradient on its way",
    level="hard",
    minutes=15,
    solution_of=solutions.in_hand,
    explanation=(
        "At step s rank r has the block of rank b = (r − s) mod w. It set out from b, and has been "
        "with b, b + 1, …, r: each has added its part to the gradient that travels with it. After "
        "the last step, s = w − 1, that is all of them, and one sending more brings it home."
    ),
    hints=(
        'Whose block does rank r hold at step s? Exercise "Whose keys are here".',
        "Which ranks have held it before? It began at home, at step 0.",
        "Follow the ring: carry = zeros; at each step add parts[r, (r - s) % w] to carry[r], and "
        "between two steps np.roll(carry, 1, axis=0) sends all of them on.",
    ),
    misconceptions=(
        Misconception(
            own_part,
            "that is the rank's own part alone: the parts of the ranks before come with it.",
        ),
        Misconception(carried(0), "the sums stay where they are: they travel with their blocks."),
        Misconception(
            carried(-1), "the sums go to the rank before, and their blocks to the next one."
        ),
        Misconception(
            lambda parts, step: np.sum(parts, axis=0),
            "that is the gradient at home, after all steps: here only the ranks from home up to "
            "this one have added their part.",
        ),
        Misconception(
            _visits(lambda r, s, w: [r - s + t for t in range(w)]),
            "all ranks have added their part: at step s only s + 1 of them have seen the block.",
        ),
        Misconception(
            of_my_block,
            "row r is what rank r holds: not its own block, which is s places further on, but that "
            "of rank (r - s) mod w.",
        ),
        Misconception(
            _visits(lambda r, s, w: [r + s - t for t in range(s + 1)], lambda r, s, w: (r + s) % w),
            "the ring turns the other way: blocks come from the rank before.",
        ),
        Misconception(
            _visits(lambda r, s, w: [r - s + t for t in range(s)] or [r]),
            OWN,
        ),
        Misconception(
            _visits(lambda r, s, w: [r - s + t for t in range(1, s + 1)] or [r]),
            HOME,
        ),
        Misconception(
            _visits(lambda r, s, w: [r - s + t for t in range(s + 2)]),
            "the rank after this one has not seen the block yet.",
        ),
        Misconception(
            _visits(lambda r, s, w: [r - t for t in range(s + 2)]),
            "one rank too many: from the block's home to here s + 1 ranks have seen it.",
        ),
        Misconception(
            _visits(lambda r, s, w: [r + t for t in range(s + 1)]),
            "these ranks stand ahead of this one, and have yet to see the block.",
        ),
        Misconception(
            _visits(lambda r, s, w: [r - t for t in range(s + 1)], lambda r, s, w: r),
            "row r is what rank r holds: not its own block, but that of rank (r - s) mod w.",
        ),
        Misconception(_visits(lambda r, s, w: [r - s + t for t in range(s)]), OWN),
        Misconception(_visits(lambda r, s, w: [r - s + t for t in range(1, s + 1)]), HOME),
        Misconception(
            lambda parts, step: solutions.in_hand(parts, step - 1) if step else 0 * parts[0],
            "that is a step too early: at step 0 each has added already, so `range(step + 1)`.",
        ),
        Misconception(
            lambda parts, step: np.sum(parts[: step + 1], axis=0),
            "those are the parts of ranks 0 to s, to the rank's own block: asked is the block that "
            "is there, with the parts of the ranks that it has visited.",
        ),
        Misconception(
            overwritten,
            "a sum is read after it was written anew: make a new array for each step.",
        ),
        Misconception(
            lambda parts, step: np.sum(parts, axis=1),
            "that sums what a rank gives to all blocks: asked is one block, with a part for it "
            "from each rank that it has visited.",
        ),
        Misconception(
            no_way_round,
            "after the last rank comes rank 0: a block that set out late has gone round the end, "
            "and a slice from home to here is empty then.",
        ),
        Misconception(
            _visits(lambda r, s, w: range(s + 1)),
            "those are the parts of ranks 0 to s: asked are the ranks that the block has visited, "
            "from its home on.",
        ),
        Misconception(
            lambda parts, step: np.stack(
                [sum(parts[r - t, r - t] for t in range(step + 1)) for r in range(len(parts))]
            ),
            "each rank has added its part for its own keys: asked is one block, that of rank "
            "(r - s) mod w, with a part for it from each rank that it has visited.",
        ),
        Misconception(
            rolled_flat,
            "np.roll without an axis moves single numbers, and not whole blocks: axis=0.",
        ),
        Misconception(
            exchanged, "the axes are exchanged: parts[r, b] is what rank r gives to block b."
        ),
        Misconception(
            lambda parts, step: np.roll(solutions.in_hand(parts, step), 1, axis=0),
            "that is after the sending: asked is what each rank holds before it.",
        ),
        Misconception(
            lambda parts, step: solutions.in_hand(parts, step) / (step + 1),
            "that is the mean: gradients of several uses of a key add up.",
        ),
    ),
    notice="At s = w − 1 rank r holds the whole gradient of rank r + 1: one sending takes it home.",
    cases=(
        case(parts=_BLOCKS, step=0),
        case(parts=_BLOCKS, step=1),
        case(parts=_POWERS, step=1),
        case(parts=_POWERS, step=2),
        case(parts=_parts(3), step=1),
        case(parts=_parts(1, 2), step=0),
        case(parts=_parts(4, 3, 2), step=0),
        case(parts=_parts(4, 3, 2), step=1),
        case(parts=_parts(4, 2), step=2),
        case(parts=_parts(5, 2, 2, 3), step=3),
        case(parts=_parts(4, 4, 4), step=3),
        stress(parts=_parts(4, 3, dtype=np.float32), step=2),
        stress(parts=1e8 * _parts(16, 2), step=9),
    ),
)
