"""Ranks that are threads of one process: the same code, without processes to wait for.

A transfer is read when it is waited for, and not before: whoever writes into a block that is still
under way is found out, as on the slowest of links.
"""

import queue
import threading
from dataclasses import dataclass, field

from attnbook.distributed import RankLost, Ring

SECONDS = 5


class Late:
    """What the rank before has sent, copied when it is waited for; `eager` copies at once."""

    def __init__(self, box):
        self.box = box

    def wait(self):
        try:
            sent = self.box.get(timeout=SECONDS)
        except queue.Empty:
            raise RankLost("the rank before sent nothing") from None
        return tuple(x.clone() for x in sent)


@dataclass(frozen=True)
class ThreadRing(Ring):
    boxes: list = field(default_factory=list)

    def send(self, *block):
        if self.n_ranks == 1:
            return super().send(*block)
        self.boxes[(self.rank + 1) % self.n_ranks].put(block)
        return Late(self.boxes[self.rank])


def on_threads(n_ranks, task):
    """What `task(ring)` returns on each of the ranks; raises what one of them raises."""
    boxes = [queue.Queue() for _ in range(n_ranks)]
    results, errors = [None] * n_ranks, []

    def rank(number):
        try:
            results[number] = task(ThreadRing(number, n_ranks, None, boxes))
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=rank, args=(number,)) for number in range(n_ranks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results
