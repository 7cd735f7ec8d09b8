"""The ring gives what one process gives, and the mistakes that it invites are found.

Ranks are threads here, which costs no start; `test_ring_of_processes` has the processes.
"""

import one_line
import pytest
import torch
from ring_of_threads import on_threads

from attnbook import distributed
from attnbook.distributed import attention, blockwise, join_sequence, placement, split_sequence
from attnbook.distributed.ring import Ring
from attnbook.distributed.traffic import Work
from attnbook.distributed.trials import alone, tensors

CLOSE = 1e-14  # outputs and gradients are of size 1, and each is a few hundred roundings
WORK = Work(n=24, n_heads=4, n_kv_heads=2, d=6, itemsize=8, batch=2)
CASES = [
    (w, how, causal) for w in (1, 2, 3, 4) for how in placement.PLACEMENTS for causal in (0, 1)
]


def on_a_ring(n_ranks, how, causal, whole, scale=None):
    """Output and gradients of the whole sequence, from ranks."""
    parts = [split_sequence(x, n_ranks, how) for x in whole]

    def task(ring):
        q, k, v, grad_out = (part[ring.rank].clone() for part in parts)
        out, lse = attention.forward(q, k, v, ring, causal, how, scale)
        given = q, k, v, out, lse, ring, causal, how, scale
        return out, *attention.backward(grad_out, *given)

    results = zip(*on_threads(n_ranks, task), strict=True)
    return [join_sequence(list(part), how) for part in results]


def error(n_ranks, how, causal, work=WORK):
    """The largest difference from one process."""
    whole = tensors(work)
    wanted = alone(*whole, bool(causal))
    found = on_a_ring(n_ranks, how, bool(causal), whole)
    return max((x - y).abs().max().item() for x, y in zip(found, wanted, strict=True))


@pytest.mark.parametrize(("n_ranks", "how", "causal"), CASES)
def test_any_number_of_ranks_gives_what_one_process_gives(n_ranks, how, causal):
    assert error(n_ranks, how, causal) < CLOSE


@pytest.mark.parametrize("work", [Work(8, 1, 1, 1), Work(64, 6, 1, 16), Work(48, 3, 3, 5)])
def test_other_sizes(work):
    assert error(4, "zigzag", True, work) < CLOSE


def put(monkeypatch, mistake):
    """A mistake in each module that has the function."""
    one_line.put(monkeypatch, *MISTAKES[mistake])


F, B, M, T = attention.forward, attention.backward, placement.visible_slices, blockwise.merge_
HALF = "(WHOLE, first, False) if source < rank else (second, WHOLE, False)"
MISTAKES = {
    "merged without the shares": (T,
        "merge(out[..., rows, :], lse[..., rows], part_out, part_lse) → "
        "(out[..., rows, :] + part_out) / 2, torch.logaddexp(lse[..., rows], part_lse)"),
    "L not carried on": (T, "lse[..., rows] = merged → lse[..., rows] = merged[0], part_lse"),
    "the last block alone": (T, "= merged → = part_out, part_lse"),
    "the rank after, not before": (Ring.blocks, "self.rank - step → self.rank + step"),
    "the last step forgotten": (Ring.blocks,
        "range(self.n_ranks) → range(max(1, self.n_ranks - 1))"),
    "its own block each time": (F, "k_s[..., keys, :] → k[..., keys, :]"),
    "the backward pass with its own keys": (B,
        "k_s[..., keys, :], v_s[..., keys, :] → k[..., keys, :], v[..., keys, :]"),
    "gradients stay where they are": (B, "*transfer.wait() → *grads"),
    "gradients not added up": (B, "mine + so_far → mine"),
    "its own part lost": (B, "mine + so_far → so_far"),
    "those of keys and values exchanged": (B, "zip(grads, parts → zip(grads, parts[::-1]"),
    "written into what is under way": (B,
        "transfer = ring.send(*grads) → transfer = ring.send(*grads); grads[0].zero_()"),
    "L of one block in the backward pass": (B,
        ", lse_i, cut → , attend(q_i, k_j, v_j, cut, scale)[1], cut"),
    "the output of one block in the backward pass": (B,
        ", out_i, lse_i → , attend(q_i, k_j, v_j, cut, scale)[0], lse_i"),
    "the queries' gradient of the last block": (B, "+= part → = part"),
    "the earlier block skipped": (M, "if source < rank else [] → if source > rank else []"),
    "the future not skipped": (M,
        "(WHOLE, WHOLE, False)] if source < rank else [] → (WHOLE, WHOLE, False)]"),
    "home without a mask": (M, "[(WHOLE, WHOLE, causal)] → [(WHOLE, WHOLE, False)]"),
    "causal against every rank": (M, f"{HALF} → " + HALF.replace("False", "True")),
    "halves mixed up": (M, "first, second =  → second, first = "),
    "zigzag with the rule for consecutive pieces": (M, 'placement == "contiguous" → placement'),
    "pieces in another order": (placement.pieces.__wrapped__,
        "(rank, 2 * n_ranks - 1 - rank) → (rank, n_ranks + rank)"),
    "halves of a rank exchanged": (placement.pieces.__wrapped__,
        "(rank, 2 * n_ranks - 1 - rank) → (2 * n_ranks - 1 - rank, rank)"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_found(mistake, monkeypatch):
    put(monkeypatch, mistake)
    every = [error(4, how, causal) for how in placement.PLACEMENTS for causal in (0, 1)]
    assert not max(every) < 1e-3  # far from a rounding; NaN counts


def test_one_rank_hides_most_of_them(monkeypatch):
    """On a ring of one, eighteen of the mistakes give the right answer: a test of it is none."""
    passed = []
    for name in MISTAKES:
        with monkeypatch.context() as patch:
            put(patch, name)
            passed += [name] if error(1, "zigzag", True) < CLOSE else []
    assert "gradients stay where they are" in passed and len(passed) == 18


def test_a_rank_that_sends_nothing_is_not_waited_for_for_ever(monkeypatch):
    monkeypatch.setattr("ring_of_threads.SECONDS", 0.2)

    def task(ring):
        return None if ring.rank == 1 else [*ring.blocks(torch.ones(2))]

    with pytest.raises(distributed.RankLost):
        on_threads(3, task)


def test_what_a_zigzag_cannot_place_is_refused():
    q = torch.zeros(1, 3, 2)
    with pytest.raises(ValueError, match="q has 3 positions; expected an even number"):
        attention._fit(q, "zigzag")
    with pytest.raises(ValueError, match="placement is 'striped'; expected one of contiguous"):
        attention._fit(q, "striped")
