"""Whether a compiler for a GPU takes a kernel that the interpreter takes."""

import functools
import inspect
import re
from collections.abc import Hashable

import torch

from attnbook.exercises.engine.attempt import attempt
from attnbook.exercises.engine.edits import source
from attnbook.exercises.engine.exercise import not_yet
from attnbook.exercises.engine.launch import FOREIGN, USE_TL, on_kernels
from attnbook.exercises.engine.sandbox import replaced
from attnbook.kernels import machine_code

import triton

OF_NUMBERS = {bool: "i1", int: "i32", float: "fp32"}
OF_TENSORS = {torch.float32: "*fp32", torch.float64: "*fp64", torch.int64: "*i64"}
OF_TENSORS |= {torch.float16: "*fp16", torch.bfloat16: "*bf16", torch.int32: "*i32"}


def refused_by_a_gpu(answer, arguments):
    """The verdict on an answer of which a kernel is none to a compiler for a GPU, or None.

    What cannot be compiled here for another reason is not held against the answer.
    """
    if not triton.knobs.runtime.interpret:
        return None
    launches, run = [], triton.runtime.interpreter.InterpretedFunction.run

    def recorded(kernel, *args, **options):
        launches.append((kernel, args, options))
        return run(kernel, *args, **options)

    with replaced(triton.runtime.interpreter.InterpretedFunction, "run", recorded):
        attempt(on_kernels(answer), arguments)
    for kernel, args, options in launches:
        sorted_out = _types_and_constants(kernel, args, options)
        if sorted_out and (refused := refusal(kernel, *sorted_out)):
            why, line = refused
            return not_yet(
                f"the interpreter takes it, a compiler for a GPU does not: {why}", at=line
            )
    return None


def _types_and_constants(kernel, args, options):
    """The type of each argument and the value of each constant; None where one has no name."""
    signature = inspect.signature(kernel.fn)
    named = {name: x for name, x in options.items() if name in signature.parameters}
    types, constants = [], []
    for name, value in signature.bind(*args, **named).arguments.items():
        if "constexpr" in str(signature.parameters[name].annotation):
            if not isinstance(value, Hashable):
                return None
            constants.append((name, value))
        elif isinstance(value, torch.Tensor) and value.dtype in OF_TENSORS:
            types.append((name, OF_TENSORS[value.dtype]))
        elif type(value) in OF_NUMBERS:
            types.append((name, OF_NUMBERS[type(value)]))
        else:
            return None
    return tuple(types), tuple(constants)


@functools.lru_cache
def refusal(kernel, types, constants):
    """What the compiler says, and of which line; it shows the line, and under it a ^."""
    try:
        machine_code.compiled(kernel, dict(types), dict(constants))
    except machine_code.CompilationError as error:
        *_, line, marker, why = ["", "", *str(error).splitlines()]
        if marker.strip() == "^":
            return re.sub(r"^\w+\((['\"])(.*)\1\)$", r"\2", why), line.strip()
        for line in source(kernel).splitlines():
            if found := FOREIGN.search(line):
                return USE_TL.format(found[1]), line.strip()
    except Exception:  # no compiler, or no text of the kernel
        return None
    return None
