"""Whether a compiler for a GPU takes a kernel that the interpreter takes."""

import contextlib
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


@contextlib.contextmanager
def launches():
    """A list that fills with each launch inside: the kernel, and its arguments by their names."""
    made, run = [], triton.runtime.interpreter.InterpretedFunction.run

    def recorded(kernel, *args, **options):
        run(kernel, *args, **options)
        parameters = inspect.signature(kernel.fn)
        named = {name: x for name, x in options.items() if name in parameters.parameters}
        made.append((kernel, parameters.bind(*args, **named).arguments))

    with replaced(triton.runtime.interpreter.InterpretedFunction, "run", recorded):
        yield made


def refused_by_a_gpu(answer, arguments):
    """The verdict on an answer of which a kernel is none to a compiler for a GPU, or None.

    Nor may a GPU lose digits that the interpreter keeps. What cannot be compiled here for another
    reason is not held against the answer.
    """
    if not triton.knobs.runtime.interpret:
        return None
    with launches() as made:
        attempt(on_kernels(answer), arguments)
    for kernel, named in made:
        sorted_out = _types_and_constants(kernel, named)
        if sorted_out and (refused := refusal(kernel, *sorted_out)):
            why, line = refused
            return not_yet(why, at=line)
    return None


def _types_and_constants(kernel, named):
    """The type of each argument and the value of each constant; None where one has no name."""
    parameters = inspect.signature(kernel.fn).parameters
    types, constants = [], []
    for name, value in named.items():
        if "constexpr" in str(parameters[name].annotation):
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


REFUSED = "the interpreter takes it, a compiler for a GPU does not: "
ROUNDED = (
    "the interpreter multiplies in float32, a GPU does not: it rounds the factors of a product to "
    'TF32, which has 11 bits, unless tl.dot is told input_precision="ieee".'
)


@functools.lru_cache
def refusal(kernel, types, constants):
    """What a compiler has against a kernel, and in which line; it shows the line, and a ^ below."""
    try:
        code = machine_code.compiled(kernel, dict(types), dict(constants))
    except machine_code.CompilationError as error:
        *_, line, marker, why = ["", "", *str(error).splitlines()]
        if marker.strip() == "^":
            return REFUSED + re.sub(r"^\w+\((['\"])(.*)\1\)$", r"\2", why), line.strip()
        for line in source(kernel).splitlines():
            if found := FOREIGN.search(line):
                return REFUSED + USE_TL.format(found[1]), line.strip()
    except Exception:  # no compiler, or no text of the kernel
        return None
    else:
        if re.search(r"inputPrecision = tf32\b", code.listings["ttir"]):
            lines = map(str.strip, source(kernel).splitlines())
            return ROUNDED, next((x for x in lines if "tl.dot(" in x and "ieee" not in x), "")
    return None
