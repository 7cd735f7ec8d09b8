"""Who keeps what and who does how much, the bytes, and times on paper."""

import pytest
import torch

from attnbook import distributed, masks
from attnbook.distributed import Machine, Work, model, placement

RANKS = 1, 2, 3, 4, 8


def kept(n, n_ranks, how):
    return [x.tolist() for x in distributed.split_sequence(torch.arange(n), n_ranks, how, dim=0)]


def test_zigzag_gives_an_early_and_a_late_piece():
    assert kept(8, 2, "zigzag") == [[0, 1, 6, 7], [2, 3, 4, 5]]
    assert kept(8, 4, "zigzag") == [[0, 7], [1, 6], [2, 5], [3, 4]]
    assert kept(8, 2, "contiguous") == [[0, 1, 2, 3], [4, 5, 6, 7]]


@pytest.mark.parametrize("how", placement.PLACEMENTS)
@pytest.mark.parametrize("n_ranks", RANKS)
def test_join_undoes_split(n_ranks, how):
    x = torch.randn(2, 48, 3)
    for dim, whole in ((-2, x), (1, x), (-1, x.mT)):
        parts = distributed.split_sequence(whole, n_ranks, how, dim)
        assert len({part.shape for part in parts}) == 1
        assert torch.equal(distributed.join_sequence(parts, how, dim), whole)
    if n_ranks > 1:
        other = placement.PLACEMENTS[how == "contiguous"]
        parts = distributed.split_sequence(x, n_ranks, how)
        assert not torch.equal(distributed.join_sequence(parts, other), x)


@pytest.mark.parametrize("how", placement.PLACEMENTS)
@pytest.mark.parametrize("n_ranks", RANKS)
def test_the_pairs_that_meet_are_those_of_the_mask(n_ranks, how):
    """Counted in the mask itself, cut by positions."""
    n = 48
    mask, cut = masks.causal_mask(n, n), kept(n, n_ranks, how)
    for rank, steps in enumerate(distributed.visible_pairs(n, n_ranks, how)):
        for step, pairs in enumerate(steps):
            block = mask[cut[rank]][:, cut[(rank - step) % n_ranks]]
            assert pairs == block.sum()
            for rows, keys, causal in placement.visible_slices(
                rank, (rank - step) % n_ranks, n // n_ranks, True, how
            ):
                part = block[rows][:, keys]
                assert causal or part.all()
                assert part.sum() == block.sum()


@pytest.mark.parametrize("n_ranks", RANKS)
def test_zigzag_is_even_at_every_step_and_contiguous_is_not(n_ranks):
    even = distributed.visible_pairs(48, n_ranks, "zigzag")
    assert all(len(set(step)) == 1 for step in zip(*even, strict=True))
    if n_ranks > 1:
        odd = distributed.visible_pairs(48, n_ranks, "contiguous")
        assert len(set(map(sum, odd))) == n_ranks and odd[0][1:] == [0] * (n_ranks - 1)


def test_the_wait_for_the_slowest_is_almost_twice_as_long():
    """The ratio of the slowest steps, (w - 1 + 1/2) against w/2 for long blocks."""
    for n_ranks in (2, 4, 8):
        loads = [distributed.visible_pairs(4096, n_ranks, how) for how in placement.PLACEMENTS]
        slowest = [sum(map(max, zip(*each, strict=True))) for each in loads]
        assert slowest[0] / slowest[1] == pytest.approx(2 - 1 / n_ranks, rel=1e-2)


def test_a_sequence_of_nothing_is_split_into_nothing_and_zigzag_is_what_nobody_names():
    for how in placement.PLACEMENTS:
        parts = distributed.split_sequence(torch.zeros(0, 3), 4, how)
        assert [part.shape for part in parts] == [(0, 3)] * 4
        assert distributed.join_sequence(parts, how).shape == (0, 3)
    x = torch.randn(2, 24, 3)
    parts = distributed.split_sequence(x, 3)
    assert all(map(torch.equal, parts, distributed.split_sequence(x, 3, "zigzag", -2)))
    assert torch.equal(distributed.join_sequence(parts), x)
    assert distributed.visible_pairs(24, 3) == distributed.visible_pairs(24, 3, "zigzag")


def test_refusals():
    x = torch.zeros(12, 3)
    with pytest.raises(ValueError, match="has 12 positions; expected a multiple of 8"):
        distributed.split_sequence(x, 4)
    with pytest.raises(ValueError, match="placement is 'zig'; expected one of contiguous, zigzag"):
        distributed.split_sequence(x, 4, "zig")
    with pytest.raises(ValueError, match="placement is 'zig'; expected one of contiguous, zigzag"):
        distributed.visible_pairs(12, 1, "zig")
    for rank in (4, -1):
        with pytest.raises(ValueError, match=f"rank is {rank}; expected 0 to 3"):
            distributed.pieces(rank, 4, "zigzag")
    with pytest.raises(ValueError, match="part 0 has 3 positions; expected an even number"):
        distributed.join_sequence([x[:3]])
    with pytest.raises(ValueError, match="n is 10; expected a multiple of n_ranks = 4"):
        distributed.ring_bytes(Work(10), 4)
    with pytest.raises(ValueError, match="n_ranks is 0; expected 1 or more"):
        distributed.ring_bytes(Work(10), 0)
    for n, n_ranks, how, number in (
        (7, 2, "zigzag", 4),
        (6, 4, "contiguous", 4),
        (-8, 2, "zigzag", 4),
    ):
        with pytest.raises(ValueError, match=f"n is {n}; expected a multiple of {number}"):
            distributed.visible_pairs(n, n_ranks, how)
    with pytest.raises(ValueError, match="split_sequence: n_ranks is 0; expected 1 or more"):
        distributed.split_sequence(x, 0)
    with pytest.raises(ValueError, match="visible_pairs: n_ranks is 0; expected 1 or more"):
        distributed.visible_pairs(0, 0)
    with pytest.raises(ValueError, match="join_sequence: parts is empty; expected the part of"):
        distributed.join_sequence([])


LLAMA = Work(2**20, n_heads=32, n_kv_heads=8, d=128, itemsize=2)


def test_bytes_by_hand():
    one = 2 * 8 * 2**17 * 128 * 2  # keys and values of an eighth of a million positions
    assert distributed.ring_bytes(LLAMA, 8) == 7 * one
    assert distributed.ring_backward_bytes(LLAMA, 8) == 7 * one + 8 * 2 * one  # float32
    assert distributed.head_parallel_bytes(LLAMA, 8) == 7 * (one + 4 * one) // 8
    assert {f(LLAMA, 1) for f in (distributed.ring_bytes, distributed.ring_backward_bytes)} == {0}
    assert distributed.head_parallel_bytes(LLAMA, 1) == 0


def test_without_shared_heads_the_ring_sends_w_halves_of_what_the_exchange_sends():
    work = Work(4096, 8, 8, 64)
    for n_ranks in (2, 4, 8):
        ratio = distributed.ring_bytes(work, n_ranks) / distributed.head_parallel_bytes(
            work, n_ranks
        )
        assert ratio == n_ranks / 2


FAST, SLOW = Machine(1e15, 1e12), Machine(1e15, 1e6)


def test_a_step_takes_as_long_as_the_slower_of_two():
    work = Work(1024, 8, 8, 64)
    compute, travel = model.ring_step(work, 4, FAST)
    assert compute == 4 * 8 * 256**2 * 64 / 1e15 and travel == 2 * 8 * 256 * 64 * 2 / 1e12
    assert model.ring_seconds(work, 4, SLOW) == pytest.approx(
        3 * model.ring_step(work, 4, SLOW)[1] + compute
    )
    assert model.ring_seconds(work, 4, Machine(1e9, 1e12)) == pytest.approx(4 * compute * 1e6)
    assert model.ring_seconds(work, 1, SLOW) == model.flops(work) / 1e15
    assert model.ring_seconds(work, 4, FAST, True) < model.ring_seconds(work, 4, FAST)


@pytest.mark.parametrize("causal", (False, True))
@pytest.mark.parametrize("work", (LLAMA, Work(2**20, 16, 16, 64, 4, 3)))
def test_traffic_is_hidden_from_the_length_that_the_formula_says(work, causal):
    machine = Machine(6e14, 5e10)
    m = model.hidden_from(work, machine, causal)
    for positions, hidden in ((m, True), (m - 1, False)):
        compute, travel = model.ring_step(work._replace(n=positions * 8), 8, machine, causal)
        assert (travel <= compute) == hidden


def test_more_ranks_are_never_slower_on_paper_until_the_link_is_the_limit():
    machine = Machine(6e14, 5e10)
    seconds = [model.ring_seconds(LLAMA, w, machine, True) for w in (8, 64, 128)]
    assert seconds[0] / seconds[1] == pytest.approx(8)  # still hidden
    m = model.hidden_from(LLAMA, machine, True)
    assert m == 6000 and 2**20 // 1024 == 1024  # positions a rank of 1024: a sixth of that
    slow = model.ring_seconds(LLAMA, 1024, machine, True)
    assert slow > 5 * model.flops(LLAMA, True) / 6e14 / 1024
