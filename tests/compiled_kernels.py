"""Every kernel compiled for every kind of GPU, in one process, and what must hold of each."""

import atexit
import functools
import json
import os
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import pytest

TESTS = Path(__file__).parent
ROOT = TESTS.parent
WIDTHS = 16, 32, 64, 128, 256
HOPPER = {  # variants as in `ahead.run`; 16 and 32 are widths of lessons, and of no model
    16: ("plain", "ruled", "biased"),
    32: ("plain", "masked"),
    64: ("plain", "causal", "masked", "biased", "strided", "ruled"),
    128: ("plain", "causal", "masked", "biased", "strided", "ruled"),
    256: ("plain", "causal", "masked", "biased", "strided", "ruled"),
}
FORWARD_ONLY = "biased", "strided"  # on an H100, whose backward pass reads by descriptors alone
OTHERS = {
    16: ("ruled",),
    32: ("masked",),
    64: ("plain", "masked", "biased", "ruled"),
    128: ("masked", "biased", "ruled"),
    256: ("masked", "biased", "ruled"),
}
ADDED = {  # where grad_q is added up in memory: what autograd takes on an H100 alone
    16: ("ruled",),
    32: ("masked",),
    64: ("plain", "causal", "shared", "masked", "ruled"),
    128: ("plain", "causal", "shared", "masked", "ruled"),
    256: ("masked", "ruled"),
}
ADDED_ELSEWHERE = {64: ("masked",), 128: ("masked",), 256: ("masked",)}
# Kernels without a product of matrices: row sums before the way back, the merge of splits.
WITHOUT_PRODUCTS = {"row_deltas", "merge_kernel"}


class Limits(NamedTuple):
    """Of one program: bytes of shared memory and registers of all its threads; its tensor cores."""

    shared: int
    registers: int
    matrix: set


# CUDA C++ Programming Guide, technical specifications by compute capability; AMD's CDNA 3 manual:
# 64 KiB of local data share, 512 vector registers for each lane of a wave.
LIMITS = {
    "sm_80": Limits(163 * 1024, 65536, {"mma.sync"}),
    "sm_90": Limits(227 * 1024, 65536, {"wgmma.mma_async"}),
    "sm_100": Limits(227 * 1024, 65536, {"tcgen05.mma"}),
    "sm_120": Limits(99 * 1024, 65536, {"mma.sync"}),
    "gfx942": Limits(64 * 1024, 512 * 64 * 8, {"v_mfma"}),
}
# What the tiles, which were chosen in Triton 3.7, spill in others besides.
SPILLS_IN = {
    "3.6": {
        ("sm_90", "backward, atomic", 128, None, "flash_backward_keys"): 24,
        ("sm_80", "backward, atomic", 256, None, "flash_backward_keys"): 2208,
    },
    "3.9": {
        ("sm_80", "backward, atomic", 128, None, "flash_backward_keys"): 176,
        ("sm_80", "backward, atomic", 256, None, "flash_backward_keys"): 1104,
        ("sm_100", "forward", 16, None, "flash_forward"): 8,
        ("sm_100", "backward", 16, None, "flash_backward_keys"): 8,
        ("sm_100", "backward", 128, None, "flash_backward_queries"): 16,
        ("sm_100", "backward", 256, None, "flash_backward_queries"): 32,
        ("sm_100", "backward, atomic", 256, None, "flash_backward_keys"): 264,
        ("sm_120", "backward", 32, None, "flash_backward_queries"): 24,
        ("sm_120", "backward, atomic", 128, None, "flash_backward_keys"): 216,
        ("sm_120", "backward, atomic", 256, None, "flash_backward_keys"): 1104,
    },
}
# Rows of 256 numbers of float32, of five matrices at once: no tiling that was tried holds them.
SPILLS = {("sm_90", "backward", 256, "float32", "flash_backward_queries"): 256}
# Before its loop, where heads share keys, in Triton 3.6; tiles that were tried and do not are half
# as large, or do more work.
SPILLS |= {("sm_90", "backward, atomic", 128, None, "flash_backward_keys"): 8}
# With a bias, four registers more than a thread can have.
SPILLS |= {("sm_120", "backward", 256, None, "flash_backward_queries"): 16}
# The assembler keeps to 72 registers, so that seven programs share a processor.
SPILLS |= {("sm_120", "decode", 32, None, "split_kernel"): 16}
# Sums for keys and values, and a share of grad_q: there no tile that was tried fits into registers.
SPILLS |= {
    (chip, "backward, atomic", width, None, "flash_backward_keys"): most
    for chip in ("sm_80", "sm_120")
    for width, most in ((128, 104), (256, 1008))
}
# Kernels that are started again have work where a number is not finite, and speed does not matter
# (`attnbook.kernels.hidden`). Rows of 256 numbers of float32 do not fit into any tile.
SPILLS_AGAIN = {None: 40, "float32": 1536}
# Warps repeat the work of others where a tile is too small for them. Decoding waits for memory, not
# for products. A share of grad_q, 32 by 32, has room for two warps; larger tiles there spill.
REPEATED = {(chip, "decode", width): n for chip in LIMITS for width, n in ((16, 8), (256, 3))}
REPEATED[("sm_90", "backward, atomic", 32)] = 6
# 256 numbers a row leave no registers for larger tiles.
REPEATED |= {(chip, "backward, atomic", 256): 9 for chip in ("sm_80", "sm_120")}
# Where a tile has few rows, so that all fits into registers, the products are those of a warp.
SMALL_TILES = {"sm_90": {"mma.sync"}, "sm_100": {"mma.sync"}}
# What a step of a kernel's loop computes of its tile: scores, and products with them.
PRODUCTS = {
    "flash_forward": 2,
    "flash_backward_queries": 3,
    "flash_backward_keys": 4,
    "split_kernel": 2,
}


# Of a turn of 64 queries and 128 keys each of 128 threads makes 64 weights, and the factors by
# which what it summed for two queries shrinks: before, between and behind its two waits.
OVERLAPPED = [0, 66, 0]
# It counts the rows of all heads, as the copy engine does: 2³¹ fit into no Hopper GPU.
COUNTS_ROWS = "hopper_forward"


def jobs(chip, widths=WIDTHS):
    """What is compiled for a chip, at these widths."""
    return [job for job in _jobs(chip) if job["width"] in widths]


def _jobs(chip):
    """Forward and backward at every width, the variants of `HOPPER` or `OTHERS`.

    Also the kernel that adds in memory, and for an H100 each configuration that a race may choose.
    All of bfloat16; float32 with everything on. Where a variant is left out at a width of models,
    one that is compiled has all that it has, and more.
    """
    hopper = chip == "sm_90"
    for way in ("forward", "backward"):
        for width, variants in (HOPPER if hopper else OTHERS).items():
            for variant in variants:
                if way == "forward" or not hopper or variant not in FORWARD_ONLY:
                    yield {"way": way, "width": width, "variant": variant}
        for width in (64, 256) if hopper else (64,):
            yield {"way": way, "width": width, "variant": "biased", "dtype": "float32"}
    for width, variants in (ADDED if hopper else ADDED_ELSEWHERE).items():
        for variant in variants:
            yield {"way": "backward, atomic", "width": width, "variant": variant}
    for width in WIDTHS:
        yield {"way": "decode", "width": width, "variant": "masked"}
    for variant in ("plain", "causal") if hopper else ():
        for width in (64, 128):
            yield {"way": "forward", "width": width, "variant": variant, "choice": 1}


@functools.cache
def compiled(chip, widths=WIDTHS):
    """The answers of `ahead.py` for a chip: a list of dicts."""
    return ahead(chip, jobs(chip, widths))


def ahead(chip, asked):
    """Compile jobs for a chip in a process that interprets no kernel."""
    pytest.importorskip("triton", reason="this machine has no Triton")
    return [answer(chip, job) for job in asked]


def answer(chip, job):
    process, folder = compiler()
    print(json.dumps([chip, job]), file=process.stdin, flush=True)
    for line in process.stdout:
        if line.startswith("{"):
            return json.loads(line)
    compiler.cache_clear()  # the next job is asked of another
    raise AssertionError((folder / "stderr").read_text()[-2000:])


@functools.cache
def compiler():
    """The process that compiles, and its folder: to start one takes longer than most jobs."""
    folder = tempfile.TemporaryDirectory()
    environ = {"TRITON_INTERPRET": "0", "CUDA_VISIBLE_DEVICES": ""}
    environ |= {"TRITON_CACHE_DIR": folder.name, "PYTHONPATH": f"{ROOT / 'code'}{os.pathsep}{ROOT}"}
    with open(Path(folder.name, "stderr"), "w") as stderr:
        process = subprocess.Popen(
            [sys.executable, str(TESTS / "ahead.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=os.environ | environ,
            text=True,
        )
    atexit.register(folder.cleanup)
    atexit.register(process.communicate)  # first: it ends with its input
    return process, Path(folder.name)


def name(job):
    """A job in a few words."""
    return ", ".join(str(part) for part in job.values())


def broken(answers):
    """The jobs that did not compile, and why."""
    return [f"{name(a['job'])}: {a['failed']}" for a in answers if "failed" in a]


def spilling(chip, answers):
    """The kernels that keep registers in main memory, more than `SPILLS` says."""
    return [
        f"{name(job)}: {kernel['name']} has a stack of {kernel['stack']} bytes"
        for job, kernel in _kernels(answers)
        if kernel["stack"] > _most_spilt(chip, job, kernel)
    ]


def too_large(chip, answers):
    """The kernels that ask for more shared memory or registers than a program can have."""
    limits, lanes = LIMITS[chip], 64 if chip.startswith("gfx") else 32
    return [
        f"{name(job)}: {kernel['name']} asks for {used} of {limit} {what}"
        for job, kernel in _kernels(answers)
        for what, used, limit in (
            ("bytes of shared memory", kernel["shared"], limits.shared),
            ("registers", kernel["registers"] * kernel["warps"] * lanes, limits.registers),
        )
        if used > limit
    ]


def without_tensor_cores(chip, answers):
    """The kernels whose products are not the work of this chip's tensor cores."""
    found = []
    for job, kernel in _first(answers):
        small = may_be_small(job) or (chip == "sm_100" and job["way"] != "forward")
        right = LIMITS[chip].matrix | (SMALL_TILES.get(chip, set()) if small else set())
        needs = kernel["name"] not in WITHOUT_PRODUCTS and job.get("dtype") != "float32"
        if needs and not (kernel["matrix"] and set(kernel["matrix"]) <= right):
            found.append(f"{name(job)}: {kernel['name']} has {kernel['matrix'] or 'none'}")
    return found


def repeating(chip, answers):
    """The kernels in which warps compute the same, so that they do more products than there are."""
    found = []
    for job, kernel in _first(answers):
        products = PRODUCTS.get(kernel["name"], 0) + (job["way"] == "backward, atomic")
        does = kernel.get("products", products)
        if does > REPEATED.get((chip, job["way"], job["width"]), products):
            what = f"does the work of {does:g} products for {products}"
            found.append(f"{name(job)}: {kernel['name']} {what}")
    return found


def counted(answers):
    """How many kernels have products that the machine code tells, so that `repeating` sees them."""
    return sum(
        kernel["name"] in PRODUCTS and "products" in kernel for _, kernel in _kernels(answers)
    )


def narrow(answers):
    """The kernels that make an address by a product in 32 bits."""
    return [
        f"{name(job)}: {kernel['name']} has {line}"
        for job, kernel in _kernels(answers)
        for line in kernel["narrow"]
        if kernel["name"] != COUNTS_ROWS
    ]


def serialized(answers):
    """The kernels each of whose products waits for the last, as the assembler says, and why."""
    return [
        f"{name(job)}: {kernel['name']} waits for each product {kernel['serialized']}"
        for job, kernel in _kernels(answers)
        if "serialized" in kernel
    ]


def overwritten(answers):
    """The kernels that use registers of a product while it runs."""
    return [
        f"{name(job)}: {kernel['name']} does {fault}"
        for job, kernel in _kernels(answers)
        for fault in kernel["overwritten"]
    ]


def may_be_small(job):
    """Decoding; and what holds most: at width 256, with a bias, or on the way back with either, or
    with addresses, or where grad_q is added up in memory.
    """
    large = job["width"] == 256, job["variant"] in ("biased", "strided")
    if job["way"] == "forward":
        return all(large)
    added = job["way"] == "backward, atomic" and job["variant"] in ("masked", "ruled")
    return any(large) or job["way"] == "decode" or added


def _bounds():
    """`SPILLS` for the Triton that compiles here."""
    return SPILLS | SPILLS_IN.get(version("triton").rpartition(".")[0], {})


def _most_spilt(chip, job, kernel):
    if kernel["again"]:
        return SPILLS_AGAIN[job.get("dtype")]
    return _bounds().get((chip, *map(job.get, ("way", "width", "dtype")), kernel["name"]), 0)


def _first(answers):
    """The kernels that are not started again: those that take time."""
    return [(job, kernel) for job, kernel in _kernels(answers) if not kernel["again"]]


def _kernels(answers):
    return [(a["job"], kernel) for a in answers for kernel in a.get("kernels", [])]
