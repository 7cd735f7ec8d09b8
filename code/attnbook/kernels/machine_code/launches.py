"""What a call of the package would start on a GPU: its launches, written down instead of made."""

import contextlib
from typing import NamedTuple

import torch

from attnbook.kernels.machine_code.compile import compiled
from attnbook.kernels.machine_code.source import python_function

DTYPES = {
    torch.float16: "*fp16",
    torch.bfloat16: "*bf16",
    torch.float32: "*fp32",
    torch.int32: "*i32",
    torch.int64: "*i64",
    torch.bool: "*i1",
}


class Launch(NamedTuple):
    """A kernel, the types of its arguments, its constants, and how many warps and stages."""

    kernel: object
    signature: dict
    constants: dict
    warps: int
    stages: int

    def compiled(self, target="sm_90"):
        """Its `MachineCode` for a GPU."""
        return compiled(
            self.kernel,
            self.signature,
            self.constants,
            target,
            num_warps=self.warps,
            num_stages=self.stages,
        )


def launches(module, call):
    """The launches that a call makes through `start` of a module, in order; none is made.

    Parameters
    ----------
    module
        The module whose `start(kernel, programs, configuration, *args, **constants)` launches, such
        as `attnbook.kernels.launch`.
    call
        A function without arguments. It gets outputs that nobody has written.

    Types are those that a launch would find out: pointers are aligned as their tensors are, an
    integer divisible by 16 is known to be; 1 and None are constants. Returns a list of `Launch`.
    """
    found = []

    def record(kernel, programs, configuration, *args, **constants):
        names = python_function(kernel).__code__.co_varnames
        given = dict(zip(names, args, strict=False))
        types = {name: _type(value) for name, value in given.items()}
        fixed = {name: given[name] for name, kind in types.items() if kind is None}
        signature = {name: kind for name, kind in types.items() if kind is not None}
        c = configuration
        found.append(Launch(kernel, signature, {**fixed, **constants}, c.warps, c.stages))

    with _replaced(module, "start", record):
        call()
    return found


def _type(value):
    """The type of an argument as `compiled` takes it; None for a constant."""
    if isinstance(value, tuple):
        return tuple("i32" if x == 1 else _type(x) for x in value)
    if isinstance(value, torch.Tensor):
        return DTYPES[value.dtype] + (":16" if value.data_ptr() % 16 == 0 else "")
    if isinstance(value, float):
        return "fp32"
    if isinstance(value, int) and not isinstance(value, bool) and value != 1:
        wide = "i32" if -(2**31) <= value < 2**31 else "i64"
        return wide + (":16" if value % 16 == 0 else "")
    return None


@contextlib.contextmanager
def _replaced(module, name, value):
    before = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, before)
