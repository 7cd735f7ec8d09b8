"""Call a function that launches a kernel with arrays in the place of tensors, and watch it."""

import contextlib
import functools
import itertools
import linecache
import re
import traceback

import numpy as np
import torch

from attnbook.exercises.engine.attempt import refuse_huge
from attnbook.exercises.engine.compare import difference
from attnbook.exercises.engine.sandbox import Unfit, of_the_reader, replaced
from attnbook.exercises.engine.settings import plain_settings
from attnbook.kernels import watch
from attnbook.kernels.interpreter import language_set_once

import triton
import triton.language as tl

GUARD = 1024  # numbers before and behind: more than any block of an exercise
FOREIGN = re.compile(r"\b(?:np|numpy|math|torch)\.(\w+)\(")
USE_TL = "a kernel computes with Triton's own functions: use tl.{}"


def on_kernels(function):
    """The function on tensors, which must launch a kernel, as a function of arrays.

    A kernel that touches what lies outside its arrays is stopped before it does; what it does not
    store is NaN, and so is a closed lane that is loaded without `other`. Where arguments cannot be
    written to, which is so when a right answer is called again, its programs then run in the
    reverse order, too.
    """

    @functools.wraps(function)
    def call(*arguments):
        if hasattr(function, "fn") and hasattr(function, "run"):
            raise Unfit("the check wants the function that launches your kernel, not the kernel")
        launches = []
        result = _once(function, arguments, launches)
        again = any(isinstance(a, np.ndarray) and not a.flags.writeable for a in arguments)
        if again and triton.knobs.runtime.interpret:
            if any(map(_loads_what_another_stores, launches)):
                raise Unfit("one program loads what another stores, which is a race.")
            if difference(result, _once(function, arguments, turned=True)):
                raise Unfit(
                    "its programs in the reverse order, it leaves other numbers: one stores "
                    "what another stores, which is a race."
                )
        return result

    return call


def _once(function, arguments, launches=None, turned=False):
    """The results as arrays; what each launch has accessed goes into the list `launches`."""
    tensors = list(map(_guarded, arguments))
    with plain_settings(), _nan_where_nothing_is_stored(), watch(strict=True) as seen:
        with _programs(seen, [] if launches is None else launches, turned) as starts:
            with language_set_once(), _nan_in_closed_lanes():
                out = _launched(function, tensors, starts)
    _hand_back(arguments, tensors)
    of_tensors = isinstance(out, list) and all(isinstance(x, torch.Tensor) for x in out)
    kind = list if of_tensors else tuple if isinstance(out, tuple) else None
    result = kind(map(_array, out)) if kind else _array(out)
    if triton.knobs.runtime.interpret and not any(a.kind != "load" for a in seen):
        raise Unfit(
            "no kernel has stored anything: is tl.store reached, in kernel[grid](…), with a grid "
            "that is not empty?"
        )
    return result


@contextlib.contextmanager
def _programs(seen, launches, turned):
    """Part what is `seen` by launches; the interpreter may run the last program first."""
    builder, starts = triton.runtime.interpreter.interpreter_builder, []
    grid, number = builder.set_grid_dim, builder.set_grid_idx

    def begin(*sizes):
        starts.append(len(seen))
        grid(*sizes)

    def from_behind(*index):
        number(*(n - 1 - i for n, i in zip(builder.grid_dim, index, strict=True)))

    with replaced(builder, "set_grid_dim", begin):
        with replaced(builder, "set_grid_idx", from_behind if turned else number):
            yield starts
    launches += [seen[a:b] for a, b in itertools.pairwise([*starts, len(seen)])]


def _loads_what_another_stores(launch):
    stored = {}
    for access in launch:
        for address in access.indices if access.kind == "store" else ():
            stored.setdefault((access.array, address), set()).add(access.program)
    return any(
        stored.get((access.array, address), {access.program}) != {access.program}
        for access in launch
        for address in (access.indices if access.kind != "store" else ())
    )


def _guarded(argument):
    """An array as a tensor amid NaN, so that what lies beside it is of no other array."""
    if not isinstance(argument, np.ndarray):
        return argument
    device = "cuda" if torch.cuda.is_available() else "cpu"
    around = torch.full((GUARD + argument.size + GUARD,), torch.nan, device=device)
    around = around.to(torch.from_numpy(argument).dtype)
    tensor = around[GUARD : GUARD + argument.size].view(argument.shape)
    return tensor.copy_(torch.from_numpy(argument))


def _hand_back(arguments, tensors):
    """Let an argument that was written to show it."""
    for array, tensor in zip(arguments, tensors, strict=True):
        if isinstance(array, np.ndarray) and array.flags.writeable:
            np.copyto(array, tensor.cpu().numpy())


def _launched(function, tensors, starts):
    """What the function returns; what its kernel raises, without the interpreter's wrapping."""
    try:
        return function(*tensors)
    except Exception as error:
        causes = [error]
        while causes[-1].__cause__ is not None:
            causes.append(causes[-1].__cause__)
        cause = causes[-1]
        if "NotImplementedError" in f"{type(cause).__name__} {cause}":
            raise NotImplementedError from None
        if not starts and isinstance(cause, AttributeError) and _raised_by_triton(cause):
            raise Unfit("a kernel is not called but launched, on a grid: kernel[grid](…)") from None
        told = next(filter(_line_of_kernel, reversed(causes)), cause).__traceback__
        if found := FOREIGN.search(_line_of_kernel(cause)):
            raise Unfit(USE_TL.format(found[1])).with_traceback(told) from None
        raise cause.with_traceback(told) from None


def _line_of_kernel(error):
    """The last line of the traceback that a reader wrote, if Triton has called it."""
    by_triton, line = False, ""
    for frame, number in traceback.walk_tb(error.__traceback__):
        file = frame.f_code.co_filename
        by_triton |= frame.f_globals.get("__name__", "").startswith("triton.")
        line = linecache.getline(file, number) if by_triton and of_the_reader(file) else line
    return line


def _raised_by_triton(error):
    """Whether the innermost function is one of Triton's."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return frame.f_globals.get("__name__", "").startswith("triton.")


@contextlib.contextmanager
def _nan_where_nothing_is_stored():
    """New tensors hold NaN: in memory that was used before, the right numbers may lie about."""
    before = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before)


@contextlib.contextmanager
def _nan_in_closed_lanes():
    """A load without `other` leaves NaN in them: on a GPU it may be anything, and here it is 0."""
    builder = triton.runtime.interpreter.InterpreterBuilder
    load = builder.create_masked_load

    def instead(self, pointers, mask, other, *options):
        kind = pointers.get_element_ty()
        if other is None and kind in (tl.float16, tl.float32, tl.float64):
            nan = np.full(pointers.data.shape, np.nan, f"f{kind.primitive_bitwidth // 8}")
            other = triton.runtime.interpreter.TensorHandle(nan, kind)
        return load(self, pointers, mask, other, *options)

    with replaced(builder, "create_masked_load", instead):
        yield


def _array(out):
    if out is None:
        raise Unfit("nothing was returned: is a `return` missing?")
    if not isinstance(out, torch.Tensor):
        raise Unfit(f"the result is of type {type(out).__name__}; expected a tensor")
    refuse_huge(out.shape)
    try:
        return out.detach().cpu().resolve_conj().resolve_neg().numpy()
    except Exception:  # of a dtype that NumPy lacks, sparse, or without numbers
        kind = f"{str(out.dtype).removeprefix('torch.')} ({out.layout}, on {out.device})"
        raise Unfit(f"the result is {kind}; expected a plain tensor in float32") from None
