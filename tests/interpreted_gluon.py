"""The kernel in Gluon run on the CPU: its own text, with what a Hopper GPU does put in a sequence.

Its warps take turns in an order that a seed chooses. A copy arrives, and a product reads its tiles,
at any time between the line that asks for it and the one that waits: what is given back too early
is overwritten in some of the orders, and where nobody can go on, all wait for each other. Warps of
one group are one here, and registers are as many as it likes.
"""

import random
import threading
from functools import partial
from math import prod
from types import FunctionType, SimpleNamespace

import torch


class Stuck(Exception):
    """Everybody waits, and nothing is under way."""


class Over(Exception):
    """For those who wait when others have failed."""


class Order:
    """One of the orders in which several functions, and what they ask for, may be done.

    Each function has a thread, but one at a time goes on, until it waits. Who is next is drawn, and
    some are slow in one order, others in another.
    """

    def __init__(self, seed):
        self.random, self.back, self.failed = random.Random(seed), threading.Semaphore(0), []
        self.waiting, self.under_way, self.pace = {}, [], {}

    def run(self, functions):
        """Run all functions to their ends, and whatever they asked for; raises what one raises."""
        threads = [threading.Thread(target=self._one, args=(each,)) for each in functions]
        self.waiting = {thread: (threading.Semaphore(0), lambda: True) for thread in threads}
        for thread in threads:
            thread.start()
        try:
            while ready := self._ready():
                chosen = self.random.choices(ready, [self._pace(each) for each in ready])[0]
                if isinstance(chosen, list):
                    chosen.pop(0)()
                else:
                    self.waiting[chosen][0].release()
                    self.back.acquire()
            if self.waiting and not self.failed:
                raise Stuck(f"{len(self.waiting)} wait for each other")
        finally:
            stopped, self.waiting = self.waiting, {}
            for go, _ in stopped.values():
                go.release()
            for thread in threads:
                thread.join()
        if self.failed:
            raise self.failed[0]

    def wait(self, may):
        """Let others go on, at least until something holds."""
        me = threading.current_thread()
        go, _ = self.waiting[me]
        self.waiting[me] = (go, may)
        self.back.release()
        go.acquire()
        if me not in self.waiting:
            raise Over

    def queue(self):
        """A list of what is done in its order, each at any time."""
        self.under_way.append([])
        return self.under_way[-1]

    def _ready(self):
        if self.failed:
            return []
        can = [thread for thread, (_, may) in self.waiting.items() if may()]
        return can + [queue for queue in self.under_way if queue]

    def _pace(self, each):
        return self.pace.setdefault(id(each), 2 ** self.random.uniform(-5, 5))

    def _one(self, function):
        me = threading.current_thread()
        self.waiting[me][0].acquire()
        try:
            if me in self.waiting:
                function()
        except Over:
            return
        except Exception as failed:
            self.failed.append(failed)
        self.waiting.pop(me, None)
        self.back.release()


class Barrier:
    """It completes with so many arrivals and all bytes that it expects, and then begins again."""

    def begin(self, count):
        self.count, self.left, self.bytes, self.done = count, count, 0, 0

    def take(self, arrivals=0, n_bytes=0):
        self.left, self.bytes = self.left - arrivals, self.bytes + n_bytes
        assert self.left >= 0, "more arrive at a barrier than it counts"
        if self.left == self.bytes == 0:
            self.left, self.done = self.count, self.done + 1


class Memory(SimpleNamespace):
    """Shared memory: a tensor of tiles, NaN at first, or a list of barriers."""

    shape = property(lambda self: list(self.data.shape))
    dtype = property(lambda self: self.data.dtype)

    def index(self, i):
        return self.data[i] if isinstance(self.data, list) else Memory(data=self.data[i])

    def permute(self, axes):
        return Memory(data=self.data.permute(axes))

    def store(self, x):
        self.data.copy_(x)


class Pointer(SimpleNamespace):
    def __add__(self, places):
        return Pointer(data=self.data, at=self.at + places)


class Product(SimpleNamespace):
    """The sums of a product, which are nobody's until a wait."""


def described(x):
    """A descriptor as the kernel sees it."""
    if not hasattr(x, "block_shape"):
        return Pointer(data=x.view(-1), at=0) if isinstance(x, torch.Tensor) else x
    size = prod(x.block_shape) * x.base.element_size()
    block = SimpleNamespace(shape=x.block_shape, nbytes=size)
    return SimpleNamespace(data=x.base, block_type=block, dtype=x.base.dtype, layout=None)


def allocate(dtype, shape, layout):
    if layout is Barrier:
        return Memory(data=[Barrier() for _ in range(shape[0])])
    return Memory(data=torch.full(shape, torch.nan, dtype=dtype))


def language(order):
    """What the kernel's module has from Gluon, by name."""

    def wait(barrier, phase, pred=True):
        order.wait(lambda: not pred or barrier.done & 1 != phase)

    barriers = {"MBarrierLayout": lambda: Barrier, "wait": wait}
    barriers["init"] = lambda barrier, count: barrier.begin(count)
    barriers["arrive"] = lambda barrier: barrier.take(1)
    barriers["expect"] = lambda barrier, n_bytes: barrier.take(1, n_bytes)
    multiply, wait_for_products = products(order)
    load, store = copies(order)
    return {
        "gl": gl(order),
        "mbarrier": SimpleNamespace(**barriers),
        "tma": SimpleNamespace(store_wait=lambda pendings: None),
        "load": load,
        "store": store,
        "warpgroup_mma": multiply,
        "warpgroup_mma_wait": wait_for_products,
        "fence_async_shared": lambda: None,
    }


def copies(order):
    """The copy engine, both ways: each copy is done at any time."""

    def load(tensor, at, full, tile):
        def arrive():
            tile.data.copy_(tensor.data[at[0] : at[0] + tile.shape[0]])
            full.take(n_bytes=-tile.data.nbytes)

        order.queue().append(arrive)
        order.wait(lambda: True)

    def store(tensor, at, tile):
        rows = tensor.data[at[0] : at[0] + tile.shape[0]]
        order.queue().append(lambda: rows.copy_(tile.data))

    return load, store


def products(order):
    """Products of matrices: those of one consumer are done in their order, each at any time."""
    queues = {}

    def multiply(a, b, sums, use_acc=True, is_async=True):
        product, me = Product(sums=None), threading.current_thread()

        def whole():
            left = a.data if isinstance(a, Memory) else a
            product.sums = left.float() @ b.data.float() + (sums if use_acc else 0)

        if me not in queues:
            queues[me] = order.queue()
        queues[me].append(whole)
        order.wait(lambda: True)
        return product

    def wait_for_products(running, deps):
        queue = queues[threading.current_thread()]
        order.wait(lambda: len(queue) <= running)
        found = [x.sums if isinstance(x, Product) else x for x in deps]
        assert all(x is not None for x in found), "a product is used before a wait covers it"
        return found[0] if len(found) == 1 else found

    return multiply, wait_for_products


def gl(order):
    """The language itself: layouts are nothing here."""

    def full(shape, value, dtype, layout):
        return torch.full(shape, value, dtype=dtype)

    def put(at, value):
        at.data[at.at] = value

    layouts = ("NVMMADistributedLayout", "DotOperandLayout", "SliceLayout")
    same = {name: getattr(torch, name) for name in ("float32", "where", "maximum", "exp2", "log2")}
    return SimpleNamespace(
        **same,
        **{name: lambda *sizes: None for name in layouts},
        int64=torch.int64,
        full=full,
        zeros=lambda shape, dtype, layout: full(shape, 0, dtype, layout),
        zeros_like=torch.zeros_like,
        arange=lambda begin, end, layout: torch.arange(begin, end),
        max=torch.amax,
        sum=torch.sum,
        convert_layout=lambda x, layout: x,
        store=put,
        static_range=range,
        allocate_shared_memory=allocate,
        warp_specialize=lambda parts, warps, registers: order.run(
            [partial(function, *given) for function, given in parts]
        ),
    )


def start(functions, seed):
    """What starts every program of a kernel, one after the other: a stand-in for `launch.start`."""

    def start(kernel, programs, configuration, **arguments):
        if configuration.nan_safe:
            return  # the second pass is another kernel's
        for program in range(programs):
            names = language(Order(seed + program)) | {"range": range}
            names["tl"] = SimpleNamespace(program_id=lambda axis, i=program: i, minimum=min)
            for name, x in functions.items():
                code = getattr(getattr(x, "fn", None), "__code__", None)
                if code:
                    names[name] = FunctionType(code, names, name, x.fn.__defaults__)
                elif hasattr(x, "value"):
                    names[name] = x.value
            names["hopper_forward"](**{name: described(x) for name, x in arguments.items()})

    return start
