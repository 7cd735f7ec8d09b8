"""What the compiler makes of a Triton kernel: its machine code, for GPUs that need not be here.

A kernel is compiled ahead of time, its listing taken apart, and its hot loop counted: which
instructions, and how many clocks each unit of a multiprocessor needs for them at the least.
"""

from attnbook.kernels.machine_code.compile import CompilationError, MachineCode, compiled
from attnbook.kernels.machine_code.launches import Launch, launches
from attnbook.kernels.machine_code.limits import CHIPS, Chip, Prediction, predicted
from attnbook.kernels.machine_code.listing import Instruction, Loop, around

__all__ = [
    "CHIPS",
    "Chip",
    "CompilationError",
    "Instruction",
    "Launch",
    "Loop",
    "MachineCode",
    "Prediction",
    "around",
    "compiled",
    "launches",
    "predicted",
]
