"""A ring of ranks: each sends to the next, and hears from the one before."""

from dataclasses import dataclass
from typing import NamedTuple

import torch
import torch.distributed as dist

CLOSED = "connection", "broken pipe", "socket"  # in what is said of one that a neighbour closed


class RankLost(RuntimeError):
    """A neighbour on the ring has ended, or does not answer within the time-out."""


class Transfer(NamedTuple):
    """Tensors that are under way: to the next rank, and from the one before."""

    ring: object
    sent: tuple  # kept until they have left: nobody may write into them before
    arriving: tuple
    works: list

    def wait(self):
        """The tensors of the rank before, as soon as they are there.

        Raises RankLost if a neighbour has ended or does not answer.
        """
        for number, work in enumerate(self.works):
            try:
                work.wait()
            except RuntimeError as error:
                hears = number >= len(self.sent)
                raise RankLost(_sentence(self.ring, hears, str(error))) from error
        return self.arriving


@dataclass(frozen=True)
class Ring:
    """A rank's position among `n_ranks` on a ring; one alone sends nothing."""

    rank: int = 0
    n_ranks: int = 1
    group: object = None

    @classmethod
    def of(cls, group=None):
        """The ring of a group of processes; None is all of them."""
        return cls(dist.get_rank(group), dist.get_world_size(group), group)

    def send(self, *tensors):
        """Send these to the next rank; returns at once, with the `Transfer` of the rank before.

        Raises RankLost if a neighbour has ended already.
        """
        if self.n_ranks == 1:
            return Transfer(self, (), tensors, [])
        sent = tuple(x.contiguous() for x in tensors)
        arriving = tuple(torch.empty_like(x) for x in sent)
        after, before = self._at(self.rank + 1), self._at(self.rank - 1)
        out = [dist.P2POp(dist.isend, x, after, self.group) for x in sent]
        into = [dist.P2POp(dist.irecv, x, before, self.group) for x in arriving]
        return Transfer(self, sent, arriving, _posted(self, out + into))

    def blocks(self, *block):
        """Each rank's block in turn, with its rank: its own first, then those before it.

        The next is under way already while one is used.
        """
        for step in range(self.n_ranks):
            last = step == self.n_ranks - 1
            transfer = None if last else self.send(*block)
            yield (self.rank - step) % self.n_ranks, block
            block = None if last else transfer.wait()

    def _at(self, position):
        """The number, among all processes, of a position on the ring."""
        rank = position % self.n_ranks
        return rank if self.group is None else dist.get_global_rank(self.group, rank)


def _posted(ring, operations):
    try:
        return dist.batch_isend_irecv(operations)
    except RuntimeError as error:
        if not any(word in str(error).lower() for word in CLOSED):
            raise
        raise RankLost(_has_ended(ring, ring.rank - 1, ring.rank + 1)) from error


def _sentence(ring, hears, error):
    neighbour = ring.rank - 1 if hears else ring.rank + 1
    if "time" in error.lower() and "out" in error.lower():
        did = "sent nothing" if hears else "took nothing"
        why = "it hangs, or waits for one that does"
        return f"rank {ring.rank} stops: {_names(ring, neighbour)} {did} until the time-out; {why}"
    return _has_ended(ring, neighbour)


def _has_ended(ring, *neighbours):
    """Of several neighbours one has: a batch that can't begin does not say for whose sake."""
    lost = _names(ring, *neighbours)
    return f"rank {ring.rank} stops: {lost} has closed the connection; it has ended"


def _names(ring, *neighbours):
    return " or ".join(dict.fromkeys(f"rank {each % ring.n_ranks}" for each in neighbours))
