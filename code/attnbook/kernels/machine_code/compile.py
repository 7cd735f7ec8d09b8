"""A kernel compiled ahead of time for a GPU, in a process of its own."""

import importlib.util
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from attnbook.kernels.machine_code.listing import Loop, hottest, instructions, loops
from attnbook.kernels.machine_code.source import module_text, python_function

TARGETS = {f"sm_{arch}": ("cuda", arch, 32) for arch in (80, 86, 89, 90, 100, 120)}
TARGETS |= {"gfx942": ("hip", "gfx942", 64)}

_TYPE = re.compile(r"\*?(i1|[iu](8|16|32|64)|fp(16|32|64)|bf16|fp8\w+)(:16)?|tensordesc<.+>")


class CompilationError(RuntimeError):
    """Triton, or a tool that it calls, refused the kernel; the last line says why."""


@dataclass(frozen=True)
class MachineCode:
    """What became of a kernel: its resources, its instructions, its loops.

    Registers are those of each thread (of an AMD GPU its vector registers), stack the bytes that
    each thread keeps in the GPU's main memory, shared the bytes of shared memory of a program.
    """

    target: str
    warps: int
    registers: int
    stack: int
    shared: int
    listings: dict = field(repr=False)
    instructions: tuple = field(repr=False)
    loops: tuple[Loop, ...] = field(repr=False)

    @property
    def counts(self):
        """The instructions of the whole listing by class, a Counter."""
        return Counter(one.kind for one in self.instructions)

    @property
    def spills(self):
        """How many instructions move registers to or from the stack."""
        return self.counts["spills"]

    @property
    def hot(self):
        """The innermost loop with most matrix products, the shorter of two; None without any."""
        return hottest(self.loops)


def compiled(kernel, signature, constants, target="sm_90", *, num_warps=4, num_stages=2, **options):
    """The machine code of a kernel for a GPU that need not be here.

    Parameters
    ----------
    kernel
        A function under `@triton.jit`, interpreted or not, or under Gluon's `@gluon.jit`.
    signature
        The type of each argument by its name: `*bf16` points at bfloat16, `i32` is an integer,
        `fp32` a float; `:16` at the end promises what a launch would find out, that a pointer or
        an integer is divisible by 16. A tuple has a tuple of types.
    constants
        The value of each `tl.constexpr` argument.
    target
        sm_80 (A100), sm_86, sm_89, sm_90 (H100), sm_100 (B200), sm_120, or gfx942 (MI300).
    num_warps, num_stages, options
        Those of a launch.

    Returns a `MachineCode`. Raises ValueError if a target, an argument or a type is not known,
    `CompilationError` if the kernel does not compile, and RuntimeError where Triton or NVIDIA's
    tools, which come with it, are not installed.
    """
    _check(kernel, signature, constants, target)
    job = {
        "name": python_function(kernel).__name__,
        "signature": {name: _without_promise(kind) for name, kind in signature.items()},
        "aligned": [
            [name, *place] for name, kind in signature.items() for place in _promised(kind)
        ],
        "target": TARGETS[target],
        "options": {"num_warps": num_warps, "num_stages": num_stages, **options},
    }
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "kernel.py").write_text(module_text(kernel, constants))
        _run({**job, "folder": folder})
        files = {path.suffix[1:]: path for path in Path(folder).glob("code.*")}
        metadata = json.loads(Path(folder, "metadata.json").read_text())
        texts = {kind: path for kind, path in files.items() if kind not in ("cubin", "hsaco")}
        listings = {kind: path.read_text() for kind, path in texts.items()}
    return _taken_apart(target, listings, metadata)


def _check(kernel, signature, constants, target):
    if importlib.util.find_spec("triton") is None:
        raise RuntimeError(
            "Triton, which brings the compiler and NVIDIA's disassembler, is not installed: its "
            f"packages are for Linux, and this is {platform.system()} on {platform.machine()}"
        )
    if target not in TARGETS:
        raise ValueError(f"target is {target!r}; expected one of {', '.join(TARGETS)}")
    names = list(python_function(kernel).__code__.co_varnames)
    names = names[: python_function(kernel).__code__.co_argcount]
    if missing := [name for name in names if name not in {**signature, **constants}]:
        raise ValueError(f"no type and no value is given for {', '.join(missing)}")
    if unknown := [name for name in {**signature, **constants} if name not in names]:
        raise ValueError(f"{', '.join(unknown)}: the kernel has no argument of this name")
    for name, kinds in signature.items():
        for kind in kinds if isinstance(kinds, tuple) else (kinds,):
            if not _TYPE.fullmatch(kind):
                raise ValueError(f"{name} has the type {kind!r}; expected one such as *bf16 or i32")


def _without_promise(kind):
    if isinstance(kind, tuple):
        return tuple(map(_without_promise, kind))
    return kind.removesuffix(":16")


def _promised(kind):
    """The places, within an argument, of what is divisible by 16."""
    if isinstance(kind, tuple):
        return [[i, *place] for i, part in enumerate(kind) for place in _promised(part)]
    return [[]] if kind.endswith(":16") else []


def _run(job):
    environment = {**os.environ, "TRITON_INTERPRET": "0"}
    # -P: the child's folder does not hide modules of Python's own
    done = subprocess.run(
        [sys.executable, "-P", str(Path(__file__).with_name("child.py"))],
        input=json.dumps(job),
        env=environment,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise CompilationError("\n".join(lines[-12:]))


def _taken_apart(target, listings, metadata):
    text = listings.get("sass") or listings["amdgcn"]
    found = instructions(text)
    extra = re.findall(r'"ttg.total-num-warps" = (\d+)', listings["ttgir"])
    warps = int(extra[0]) if extra else metadata["num_warps"]
    if "sass" in listings:
        lines = [line for line in listings["resources"].splitlines() if " REG:" in line]
        usage = {key: int(n) for key, n in re.findall(r"(\w+):(\d+)", lines[0])}
        registers, stack = usage["REG"], usage["STACK"]
    else:
        registers = int(re.search(r"\.vgpr_count:\s+(\d+)", text)[1])
        stack = int(re.search(r"\.private_segment_fixed_size:\s+(\d+)", text)[1])
    return MachineCode(
        target,
        warps,
        registers,
        stack,
        metadata["shared"],
        listings,
        tuple(found),
        tuple(loops(found, warps=_warps_of_a_loop(listings["ttgir"], warps))),
    )


def _warps_of_a_loop(ttgir, warps):
    """The warps that run a loop: the launch's own where Triton gives warps different work."""
    own = re.search(r'"ttg.num-warps" = (\d+)', ttgir)
    return int(own[1]) if own else warps
