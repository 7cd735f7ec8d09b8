"""The fused attention of Triton's tutorials, which races if somebody puts it there.

It is `python/tutorials/06-fused-attention.py` of Triton 3.6, and is not ours to keep.
"""

import functools
import importlib.util
import inspect
import re

from benchmarks.race.cases import DECODE, FORWARD

FILE = "06-fused-attention.py"
MARKS = "IS_HOPPER", "warp_specialize"  # 3.6 has both


class Refused(Exception):
    """Why a form does not do a case."""


def fault(path):
    """What is wrong with a tutorial, a sentence; None if it is Triton 3.6's."""
    if not path.exists():
        return f"Triton's tutorial does not race: {FILE} is not in the folder {path.parent.name}"
    text = path.read_text(encoding="utf-8")
    lacks = [mark for mark in MARKS if mark not in text]
    if not re.search(r"^import triton( as \w+)?$", text, re.M):
        lacks.append("import triton")
    if lacks:
        return (
            f"{path.parent.name}/{FILE} is not that of Triton 3.6: it lacks {' and '.join(lacks)}"
        )
    return None


def tutorial(case, x, machine, folder, specialised=False):
    """As its authors call it on a Hopper: in two kinds of warps forward only, without a mask."""
    if case.way == DECODE or case.heads != case.kv_heads or case.window is not None:
        raise Refused("it has as many heads of keys, as many keys as queries, and no window")
    if case.softcap is not None or case.padded:
        raise Refused("it has neither a soft cap nor valid lengths")
    if specialised and (case.causal or case.way != FORWARD):
        raise Refused("its authors specialise its warps only forward and without a mask")
    attention = loaded(folder / FILE).attention
    forward = getattr(getattr(attention, "__self__", None), "forward", attention)
    takes = "warp_specialize" in inspect.signature(forward).parameters
    if specialised and not takes:
        raise Refused("it has one kind of warp only")
    more = (specialised,) if takes else ()
    scale = case.width**-0.5
    return lambda q, k, v: attention(q, k, v, case.causal, scale, *more)


@functools.cache
def loaded(path):
    """Its module."""
    if not path.exists():
        raise Refused(f"{path.name} is not in the folder {path.parent.name}")
    spec = importlib.util.spec_from_file_location("fused_attention_tutorial", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
