"""Where Triton's kernels run: compiled on a GPU, interpreted without one.

Triton decides when it is imported, from an environment variable; so this file comes first.
"""

import os
import sys

import torch

NO_TRITON = (
    "attnbook.kernels needs Triton, which is made for Linux: `pip install triton`. The chapters' "
    "other functions compute the same without it"
)
TOO_LATE = (
    "triton was imported before attnbook.kernels, and was not told to interpret, which it must be "
    "where there is no GPU: import attnbook.kernels first, or set TRITON_INTERPRET=1"
)


def choose():
    """Interpret kernels if there is no GPU, unless TRITON_INTERPRET says what to do.

    With TRITON_INTERPRET=0 and no GPU kernels can be compiled and read, but not run.

    Raises
    ------
    ImportError
        If there is no Triton, or if it was imported by others before, to compile.
    """
    if not torch.cuda.is_available():
        os.environ.setdefault("TRITON_INTERPRET", "1")
    early = "triton" in sys.modules
    try:
        import triton
    except ModuleNotFoundError:
        raise ImportError(NO_TRITON) from None
    if early and is_interpreting() and type(triton.language.max).__name__ == "JITFunction":
        raise ImportError(TOO_LATE)


def hurry():
    """Let Triton's interpreter put its language in place once a launch.

    It would again at each call from one function of a kernel to another: half of all its time.
    """
    from triton import language
    from triton.runtime import interpreter

    whole, is_builtin = interpreter._patch_lang, language.core.is_builtin

    def unless_it_is(fn):
        seen = [x for x in fn.__globals__.values() if x is language or x is language.core]
        if not seen or any(is_builtin(f) for x in seen for f in (x.load, x.tensor.__add__)):
            return whole(fn)
        return interpreter._LangPatchScope()  # nothing was changed, and nothing is to be undone

    if whole.__module__ == interpreter.__name__:
        interpreter._patch_lang = unless_it_is


def is_interpreting():
    """Whether kernels are interpreted on the CPU."""
    return os.environ.get("TRITON_INTERPRET", "0") in ("1", "true", "on", "yes", "y")


choose()
if is_interpreting():
    hurry()
