"""Where Triton's kernels run: compiled on a GPU, interpreted without one.

Triton decides when it is imported, from an environment variable; so this file comes first.
"""

import contextlib
import os
import sys
import threading
from types import SimpleNamespace

import torch

NO_TRITON = (
    "attnbook.kernels needs Triton, which is made for Linux: `pip install triton`. The chapters' "
    "other functions compute the same without it"
)
TOO_LATE = (
    "triton was imported before attnbook.kernels, and was not told to interpret, which it must be "
    "where there is no GPU: import attnbook.kernels first, or set TRITON_INTERPRET=1"
)
_ONE = threading.RLock()  # launch at a time: the language is that of the process


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


@contextlib.contextmanager
def language_set_once():
    """Inside, the language of Triton's interpreter is in place; behind it all is as it was before.

    By itself the interpreter puts it in place again at each call from one function of a kernel to
    another, which is half of all its time; and Triton 3.7 never takes back what it did so.
    """
    from triton import language
    from triton.runtime import interpreter

    both = SimpleNamespace(__globals__={"tl": language, "core": language.core})
    with _ONE:
        put_in_place = interpreter._patch_lang
        scope = put_in_place(both)  # for kernels, and for functions of Triton's own
        interpreter._patch_lang = lambda fn: interpreter._LangPatchScope()  # with nothing to undo
        try:
            yield
        finally:
            interpreter._patch_lang = put_in_place
            scope.restore()


def is_interpreting():
    """Whether kernels are interpreted on the CPU."""
    return os.environ.get("TRITON_INTERPRET", "0") in ("1", "true", "on", "yes", "y")


choose()
