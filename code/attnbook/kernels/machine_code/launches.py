"""What a call of the package would start on a GPU: its launches, written down instead of made."""

from typing import NamedTuple
from unittest.mock import patch

import torch

from attnbook.kernels import launch
from attnbook.kernels.configurations import AMD
from attnbook.kernels.machine_code.compile import TARGETS, compiled
from attnbook.kernels.machine_code.source import python_function

DTYPES = {
    torch.float16: "*fp16",
    torch.bfloat16: "*bf16",
    torch.float32: "*fp32",
    torch.int32: "*i32",
    torch.int64: "*i64",
    torch.bool: "*i1",
}
CAPABILITIES = {
    target: (AMD, 0) if kind == "hip" else divmod(arch, 10)
    for target, (kind, arch, _) in TARGETS.items()
}


class Launch(NamedTuple):
    """A kernel, the types of its arguments, its constants, how it is compiled, and its GPU."""

    kernel: object
    signature: dict
    constants: dict
    configuration: tuple  # a Configuration
    target: str

    def compiled(self):
        """Its `MachineCode`."""
        options = self.configuration.options()
        return compiled(self.kernel, self.signature, self.constants, self.target, **options)


def launches(call, target="sm_90"):
    """The launches that a call of the package would make on a GPU, in order; none is made.

    Parameters
    ----------
    call
        A function without arguments that calls functions of `attnbook.kernels` with tensors of any
        device, of the CPU's too. What they return nobody has written.
    target
        The GPU, as in `compiled`: the package has its own sizes for each.

    Types are those that a launch would find out: pointers are aligned as their tensors are, an
    integer divisible by 16 is known to be; 1 and None are constants. Returns a list of `Launch`.
    """
    found = []

    def record(kernel, programs, configuration, **arguments):
        annotated = python_function(kernel).__annotations__  # as constants
        types = {name: _type(x) for name, x in arguments.items() if name not in annotated}
        signature = {name: kind for name, kind in types.items() if kind is not None}
        constants = {name: x for name, x in arguments.items() if name not in signature}
        found.append(Launch(kernel, signature, constants, configuration, target))

    gpu = {"capability": lambda x: CAPABILITIES[target], "is_interpreting": lambda: False}
    with patch.multiple(launch, start=record, **gpu):
        call()
    return found


def _type(value):
    """The type of an argument as `compiled` takes it; None for a constant."""
    if isinstance(value, tuple):
        return tuple("i32" if x == 1 else _type(x) for x in value)
    if hasattr(value, "block_shape"):  # a tensor descriptor of Gluon's
        kind = DTYPES[value.base.dtype].removeprefix("*")
        return f"tensordesc<{kind}{list(value.block_shape)},{value.layout!r}>"
    if isinstance(value, torch.Tensor):
        return DTYPES[value.dtype] + (":16" if value.data_ptr() % 16 == 0 else "")
    if isinstance(value, float):
        return "fp32"
    if isinstance(value, int) and not isinstance(value, bool) and value != 1:
        wide = "i32" if -(2**31) <= value < 2**31 else "i64"
        return wide + (":16" if value % 16 == 0 else "")
    return None
