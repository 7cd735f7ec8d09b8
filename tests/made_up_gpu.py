"""A GPU that is a processor with a made-up clock: what is written for the one runs on the other."""

RATES = {"flops": 1e12, "exps": 1e12, "bytes": 1e11}
WHERE = {"gpu": "Made Up 9000", "driver": "1", "cuda": "13", "torch": "2", "triton": "3"}
WHERE |= {"python": "3", "commit": "abc1234", "source": "0123", "date": "2026-01-01"}


class MadeUp:
    """A machine on which every call takes two thousandths of a second, and which notes its calls.

    `times` gives other seconds, of the GPU and of the host, one pair after the other.
    """

    device = "cpu"

    def __init__(self, times=(), memory=2**36):
        self.times, self.total, self.log, self.alive = iter(times), memory, [], True

    def time(self, call, hold=0.0):
        self.log.append((call, hold))
        call()
        return next(self.times, (0.002, 0.0004))

    def peak(self, call):
        return 1000

    def poison(self, n_bytes):
        self.log.append(("poison", n_bytes))

    def memory(self):
        return self.total

    def is_alive(self):
        return self.alive

    def forget(self):
        self.log.append("forget")
