"""What a rank hands to `torch.distributed`, what is counted of it, and times on paper by hand."""

import types

import pytest
import torch
import torch.distributed as dist

from attnbook import distributed
from attnbook.distributed import Machine, RankLost, Ring, Work, model, traffic
from attnbook.distributed.ring import Transfer


class Group:
    """Stands for a group of processes: which of all processes each of its ranks is."""

    members = 3, 5, 7, 9


@pytest.fixture
def handed(monkeypatch):
    """What is handed over: (operation, tensor, rank of the other, group), as one batch."""
    batches = []
    for name in ("isend", "irecv"):
        monkeypatch.setattr(dist, name, types.SimpleNamespace(name=name))

    def operation(op, tensor, peer, group=None):
        return types.SimpleNamespace(op=op, tensor=tensor, peer=peer, group=group)

    def batch(operations):
        batches.append([(o.op.name, o.peer, o.group) for o in operations])
        for o in operations:
            if o.op is dist.irecv:
                o.tensor.fill_(7)
        return [types.SimpleNamespace(wait=lambda: None) for _ in operations]

    monkeypatch.setattr(dist, "P2POp", operation)
    monkeypatch.setattr(dist, "batch_isend_irecv", batch)
    monkeypatch.setattr(dist, "get_global_rank", lambda group, rank: group.members[rank])
    return batches


@pytest.mark.parametrize(("rank", "after", "before"), [(0, 1, 3), (2, 3, 1), (3, 0, 2)])
def test_a_rank_sends_to_the_next_and_hears_from_the_one_before(handed, rank, after, before):
    x = torch.arange(6.0).reshape(2, 3).mT
    transfer = Ring(rank, 4).send(x, x)
    assert handed == [[("isend", after, None)] * 2 + [("irecv", before, None)] * 2]
    assert all(y.is_contiguous() and torch.equal(y, x) for y in transfer.sent)
    assert [y.tolist() for y in transfer.wait()] == [[[7, 7]] * 3] * 2
    assert x.tolist() == [[0, 3], [1, 4], [2, 5]]


def test_places_of_a_group_are_numbers_among_all_processes(handed):
    Ring(0, 4, Group).send(torch.ones(1))
    assert handed == [[("isend", 5, Group), ("irecv", 9, Group)]]


def test_one_alone_sends_nothing(handed):
    x = torch.ones(2)
    (y,) = Ring().send(x).wait()
    assert y is x and handed == [] and Ring() == Ring(rank=0, n_ranks=1, group=None)


def test_as_many_transfers_leave_as_there_are_other_ranks(handed):
    """The last block is used and goes nowhere."""
    sources = [source for source, _ in Ring(1, 4).blocks(torch.ones(1))]
    assert sources == [1, 0, 3, 2] and len(handed) == 3


def test_a_rank_knows_its_place(monkeypatch):
    monkeypatch.setattr(dist, "get_rank", lambda group: {None: 4, Group: 1}[group])
    monkeypatch.setattr(dist, "get_world_size", lambda group: {None: 8, Group: 2}[group])
    assert Ring.of() == Ring(4, 8, None) and Ring.of(Group) == Ring(1, 2, Group)


TIME_OUT = "[0] Timed out waiting 3000ms for recv operation to complete"
CLOSED = "Connection closed by peer [127.0.0.1]:3000"


@pytest.mark.parametrize(
    ("rank", "fails", "error", "said"),
    [
        (0, 0, CLOSED, "rank 0 stops: rank 1 has closed the connection; it has ended"),
        (0, 1, CLOSED, "rank 0 stops: rank 1 has closed the connection; it has ended"),
        (0, 2, CLOSED, "rank 0 stops: rank 3 has closed the connection; it has ended"),
        (3, 1, CLOSED, "rank 3 stops: rank 0 has closed the connection; it has ended"),
        (2, 3, TIME_OUT, "rank 2 stops: rank 1 sent nothing until the time-out; it hangs, or"),
        (2, 0, TIME_OUT, "rank 2 stops: rank 3 took nothing until the time-out; it hangs, or"),
        (2, 2, "Socket Timeout", "rank 2 stops: rank 1 sent nothing until the time-out"),
        (2, 2, "no time for it", "rank 2 stops: rank 1 has closed the connection; it has ended"),
        (2, 2, "ran out", "rank 2 stops: rank 1 has closed the connection; it has ended"),
    ],
)
def test_whose_fault_it_is_is_said_in_one_sentence(rank, fails, error, said):
    """Two tensors leave, then two arrive: the first of these works that fails says which way."""
    waited = []

    def work(number):
        def wait():
            waited.append(number)
            if number == fails:
                raise RuntimeError(error)

        return types.SimpleNamespace(wait=wait)

    transfer = Transfer(Ring(rank, 4), (1, 2), (3, 4), [work(number) for number in range(4)])
    with pytest.raises(RankLost) as lost:
        transfer.wait()
    assert str(lost.value).startswith(said) and waited == [*range(fails + 1)]
    assert isinstance(lost.value.__cause__, RuntimeError)
    fails = None
    assert transfer.wait() == (3, 4)


@pytest.mark.parametrize(
    ("n_ranks", "lost"), [(2, "rank 0"), (4, "rank 0 or rank 2")], ids=["two", "four"]
)
def test_a_neighbour_that_has_ended_before_anything_is_sent_is_named(monkeypatch, n_ranks, lost):
    def batch(operations):
        raise RuntimeError(errors.pop())

    monkeypatch.setattr(dist, "P2POp", lambda *given: given)
    monkeypatch.setattr(dist, "batch_isend_irecv", batch)
    said = f"rank 1 stops: {lost} has closed the connection; it has ended"
    errors = [CLOSED, "writev [127.0.0.1]:3000: Broken pipe"]
    for _ in range(2):
        with pytest.raises(RankLost, match=f"^{said}$"):
            Ring(1, n_ranks).send(torch.ones(1))
    errors.append("Invalid scalar type")
    with pytest.raises(RuntimeError, match="Invalid scalar type") as other:
        Ring(1, n_ranks).send(torch.ones(1))
    assert type(other.value) is RuntimeError


def test_what_leaves_is_counted_and_what_stays_or_arrives_is_not(handed, monkeypatch):
    exchanged = []
    monkeypatch.setattr(dist, "get_world_size", lambda group: {None: 4, Group: 2}[group])
    monkeypatch.setattr(
        dist, "all_to_all_single", lambda *given, **named: exchanged.append((given, named)) or "w"
    )
    own = dist.batch_isend_irecv, dist.all_to_all_single
    out, x = torch.empty(8), torch.arange(8.0)
    with distributed.counted() as sent:
        assert sent == traffic.Sent(bytes=0, messages=0)
        Ring(0, 4).send(torch.ones(3), torch.ones(5, dtype=torch.float64))
        assert (sent.bytes, sent.messages) == (3 * 4 + 5 * 8, 2)
        dist.batch_isend_irecv([dist.P2POp(dist.irecv, torch.empty(9), 1)])
        assert (sent.bytes, sent.messages) == (52, 2)
        assert dist.all_to_all_single(out, x, None, group=Group, async_op=True) == "w"
        assert (sent.bytes, sent.messages) == (52 + 8 * 4 // 2, 3)  # half stays
        dist.all_to_all_single(out, x)
        assert (sent.bytes, sent.messages) == (68 + 8 * 4 * 3 // 4, 4)
    assert own == (dist.batch_isend_irecv, dist.all_to_all_single) and len(handed) == 2
    assert exchanged[0] == ((out, x, None), {"group": Group, "async_op": True})
    Ring(0, 4).send(torch.ones(3))
    assert sent.messages == 4
    with pytest.raises(ZeroDivisionError), distributed.counted():
        raise ZeroDivisionError
    assert own == (dist.batch_isend_irecv, dist.all_to_all_single)


def test_one_sequence_of_one_head_of_width_one_in_half_precision_if_nothing_is_said():
    assert Work(8) == Work(n=8, n_heads=1, n_kv_heads=1, d=1, itemsize=2, batch=1)
    assert Machine(1.0, 2.0) == Machine(flops=1.0, bandwidth=2.0, delay=0.0)


WORK = Work(n=64, n_heads=8, n_kv_heads=2, d=16, itemsize=2, batch=3)
FLOPS = 4 * 3 * 8 * 64 * 64 * 16
BLOCK = 2 * 3 * 2 * 16 * 16  # numbers in keys and values of a quarter of the positions
QUICK, SLOW = Machine(1e9, 1e12, 1e-9), Machine(1e9, 1e6, 2e-3)


@pytest.mark.parametrize(("causal", "part"), [(False, 1), (True, 0.5)])
def test_times_of_the_forward_pass_by_hand(causal, part):
    """On a quick link operations are waited for, on a slow one the blocks."""
    step = part * FLOPS / 16 / 1e9
    there = BLOCK * 2 / 1e6 + 2e-3
    assert model.flops(WORK, causal) == part * FLOPS
    assert model.ring_step(WORK, 4, SLOW, causal) == pytest.approx((step, there))
    assert model.ring_seconds(WORK, 4, SLOW, causal) == pytest.approx(3 * there + step)
    assert model.ring_seconds(WORK, 4, QUICK, causal) == pytest.approx(4 * step)
    assert model.ring_step(WORK, 1, SLOW, causal) == (part * FLOPS / 1e9, 0)  # nothing travels


def test_positions_that_hide_the_traffic_are_whole_and_twice_as_many_under_a_mask():
    """2 heads of keys · 2 bytes · 5e8 operations a second / (2 · 8 heads · 3e7 bytes a second)."""
    assert model.hidden_from(WORK, Machine(5e8, 3e7)) == 5  # 4.17
    assert model.hidden_from(WORK, Machine(5e8, 3e7), True) == 9  # 8.33
