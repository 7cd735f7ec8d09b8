"""Every kernel compiled for every kind of GPU, each in one process, and what must hold of each."""

import functools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest

TESTS = Path(__file__).parent
WIDTHS = 16, 32, 64, 128, 256
VARIANTS = "plain", "causal", "masked", "biased", "apart"  # see `ahead.run`
OTHERS = {64: VARIANTS[:4], 128: ("plain", "biased")}
# Kernels without a product of matrices: row sums before the way back, the merge of splits.
WITHOUT_PRODUCTS = {"rows_along", "merge_kernel"}


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
# Where a tile has few rows, so that all fits into registers, the products are those of a warp.
SMALL_TILES = {"sm_90": {"mma.sync"}, "sm_100": {"mma.sync"}}


def jobs(chip):
    """What is compiled for a chip.

    For an H100 every width in every variant, and each configuration that a race may choose. For the
    others, width 64 in each variant but `apart`, 128 plain and with everything on, and with
    everything on the other widths. All of bfloat16, and float32 with everything on at two widths.
    """
    for way in ("forward", "backward"):
        for width in WIDTHS:
            for variant in VARIANTS if chip == "sm_90" else OTHERS.get(width, ["biased"]):
                yield {"way": way, "width": width, "variant": variant}
        for width in (64, 256):
            yield {"way": way, "width": width, "variant": "biased", "dtype": "float32"}
    for width in WIDTHS if chip == "sm_90" else (64,):
        yield {"way": "backward, atomic", "width": width, "variant": "masked"}
    for width in WIDTHS:
        yield {"way": "decode", "width": width, "variant": "masked"}
    for variant in ("plain", "causal") if chip == "sm_90" else ():
        for width in (64, 128):
            yield {"way": "forward", "width": width, "variant": variant, "choice": 1}


@functools.cache
def compiled(chip):
    """The answers of `ahead.py` for a chip: a list of dicts."""
    return ahead(chip, list(jobs(chip)))


def ahead(chip, asked):
    """Compile jobs for a chip in a process that interprets no kernel."""
    pytest.importorskip("triton", reason="this machine has no Triton")
    with tempfile.TemporaryDirectory() as cache:
        environ = {"TRITON_INTERPRET": "0", "TRITON_CACHE_DIR": cache, "CUDA_VISIBLE_DEVICES": ""}
        environ |= {"PYTHONPATH": str(TESTS.parent / "code")}
        done = subprocess.run(
            [sys.executable, str(TESTS / "ahead.py"), chip],
            input=json.dumps(asked),
            env=os.environ | environ,
            capture_output=True,
            text=True,
        )
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def name(job):
    """A job in a few words."""
    return ", ".join(str(part) for part in job.values())


def broken(answers):
    """The jobs that did not compile, and why."""
    return [f"{name(a['job'])}: {a['failed']}" for a in answers if "failed" in a]


def spilling(answers):
    """The kernels that keep registers in main memory."""
    return [
        f"{name(job)}: {kernel['name']} has a stack of {kernel['stack']} bytes"
        for job, kernel in _kernels(answers)
        if kernel["stack"]
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
    for job, kernel in _kernels(answers):
        right = LIMITS[chip].matrix | (SMALL_TILES.get(chip, set()) if may_be_small(job) else set())
        needs = kernel["name"] not in WITHOUT_PRODUCTS and job.get("dtype") != "float32"
        if needs and not (kernel["matrix"] and set(kernel["matrix"]) <= right):
            found.append(f"{name(job)}: {kernel['name']} has {kernel['matrix'] or 'none'}")
    return found


def may_be_small(job):
    """Decoding; and on the way back what holds most: width 256, a bias, addresses, adding up."""
    large = job["width"] == 256 or job["variant"] in ("biased", "apart")
    return job["way"] in ("decode", "backward, atomic") or (job["way"] == "backward" and large)


def _kernels(answers):
    return [(a["job"], kernel) for a in answers for kernel in a.get("kernels", [])]
