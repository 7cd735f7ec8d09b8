"""What a Triton kernel reads and writes, program by program, as Triton's interpreter sees it."""

import contextlib
from typing import NamedTuple

import numpy as np
import torch

from triton.runtime import interpreter

FAR = 2**20  # entries from an array: to which array an index belongs, is then a guess
SLICES = 4  # that are written out


class Access(NamedTuple):
    """One load, store or atomic operation of one program, on the entries that its mask leaves.

    Indices count from the first number of the array. Those that are not in it are `outside`.
    """

    program: tuple
    kind: str
    array: str
    indices: np.ndarray
    outside: np.ndarray
    itemsize: int

    @property
    def bytes(self):
        return self.indices.size * self.itemsize

    def __str__(self):
        number = self.program[0] if not any(self.program[1:]) else self.program
        beyond = f"  outside: {_slices(self.outside)}" if self.outside.size else ""
        return f"program {number}  {self.kind:6}  {self.array}[{_slices(self.indices)}]{beyond}"


class _Memory:
    """Where the arrays of the latest launch lie."""

    def __init__(self):
        self.arrays = []

    def launched(self, arguments):
        tensors = {name: getattr(a, "base", a) for name, a in arguments.items()}
        self.arrays = [
            (n, t.data_ptr(), _inside(t)) for n, t in tensors.items() if hasattr(t, "data_ptr")
        ]

    def find(self, addresses, itemsize):
        """The array that holds most of these addresses, their indices, and which are not in it."""
        if not self.arrays or not addresses.size:
            return "nothing", addresses[:0], addresses[:0]
        found = []
        for name, start, inside in self.arrays:
            indices = (addresses.astype(np.int64) - start) // itemsize
            within = (indices >= 0) & (indices < inside.size)
            within[within] = inside[indices[within]]
            far = np.abs(indices - np.clip(indices, 0, max(inside.size - 1, 0))).sum()
            found.append((-within.sum(), far, name, indices, indices[~within]))
        return min(found, key=lambda each: each[:2])[2:]


def _stray(access):
    """What a program would do, and why it may not."""
    who = f"program {access.program[0]} would {access.kind}"
    if np.abs(access.outside).min() > FAR:
        return f"{who} what is in none of the kernel's arrays, and far from them"
    array = access.array
    return f"{who} {array}[{_slices(access.outside)}], which is not in {array}: is its mask right?"


def _inside(tensor):
    """For each index from a tensor's first number to its last, whether it is one of them."""
    sizes = zip(tensor.shape, tensor.stride(), strict=True)
    if not tensor.numel():
        return np.zeros(0, bool)
    inside = np.zeros(1 + sum((size - 1) * stride for size, stride in sizes), bool)
    indices = torch.arange(inside.size).as_strided(tensor.shape, tensor.stride())
    inside[indices.numpy()] = True  # one index may stand for many numbers, as in a broadcast bias
    return inside


def _slices(indices):
    """Consecutive indices as slices: 0:2, 5."""
    indices = np.unique(indices)
    if not indices.size:
        return ""
    slices = np.split(indices, np.flatnonzero(np.diff(indices) != 1) + 1)
    if len(slices) > SLICES:
        return f"{indices.size} indices from {indices[0]} to {indices[-1]}"
    return ", ".join(f"{r[0]}:{r[-1] + 1}" if r.size > 1 else f"{r[0]}" for r in slices)


@contextlib.contextmanager
def watch(strict=False):
    """A list that fills with each `Access` of the kernels that are launched inside.

    On a GPU, which shows nobody what its programs do, the list stays empty.

    Raises
    ------
    IndexError
        With `strict`, before a program touches what belongs to none of the kernel's arguments.
    """
    seen, memory = [], _Memory()

    def note(kind, pointers, mask):
        addresses, itemsize = _pointed(pointers, mask)
        program = tuple(interpreter.interpreter_builder.grid_idx)
        access = Access(program, kind, *memory.find(addresses, itemsize), itemsize)
        if strict and access.outside.size:
            raise IndexError(_stray(access))
        seen.append(access)

    with contextlib.ExitStack() as stack:
        for owner, name, around in _patches(note, memory):
            stack.enter_context(_patched(owner, name, around))
        yield seen


def _pointed(pointers, mask):
    shown = np.broadcast_to(np.asarray(mask.data, bool), np.shape(pointers.data))
    itemsize = max(1, pointers.get_element_ty().primitive_bitwidth // 8)
    return np.asarray(pointers.data)[shown].ravel(), itemsize


def _patches(note, memory):
    """Of the interpreter's methods: each, and what is called in its place with the original."""

    def launch(original, executor, *arguments):
        by_position, by_name = hosts = original(executor, *arguments)
        memory.launched({**dict(zip(executor.arg_names, by_position, strict=False)), **by_name})
        return hosts

    def load(original, builder, pointers, mask, *others, **options):
        note("load", pointers, mask)
        return original(builder, pointers, mask, *others, **options)

    def store(original, builder, pointers, value, mask, *others, **options):
        note("store", pointers, mask)
        return original(builder, pointers, value, mask, *others, **options)

    def atomic(original, builder, operation, pointers, value, mask, *others, **options):
        note("atomic", pointers, mask)
        return original(builder, operation, pointers, value, mask, *others, **options)

    builder = interpreter.InterpreterBuilder
    yield interpreter.GridExecutor, "_init_args_hst", launch
    yield builder, "create_masked_load", load
    yield builder, "create_masked_store", store
    yield builder, "create_atomic_rmw", atomic


@contextlib.contextmanager
def _patched(owner, name, around):
    original = getattr(owner, name)

    def instead(self, *arguments, **options):
        return around(original, self, *arguments, **options)

    setattr(owner, name, instead)
    try:
        yield
    finally:
        setattr(owner, name, original)
