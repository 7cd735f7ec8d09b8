"""Compile the kernels as they would be launched on a GPU that is not here: run in its own process.

    TRITON_INTERPRET=0 python tests/ahead.py

Each line it reads is a chip and a job, each that it writes in answer what became of the kernels.

Each job goes through the package's own launch with tensors that have sizes and no numbers, so that
what is compiled is what a GPU would be given: configuration, dtypes, and what Triton makes of
sizes and strides. Instead of being started, a kernel is compiled and its machine code is read.
"""

import contextlib
import io
import json
import re
import runpy
import subprocess
import sys
import tempfile
from unittest.mock import patch

import torch
from narrow import narrow_products
from overlap import between_waits
from overwritten import overwritten

from attnbook.kernels import launch, warps
from attnbook.kernels.arguments import KernelOptions
from attnbook.kernels.configurations import Configuration
from attnbook.kernels.machine_code.compile import _warps_of_a_loop
from attnbook.kernels.machine_code.listing import instructions, loops

import triton
from triton import knobs
from triton.backends.compiler import GPUTarget

CHIPS = {
    "sm_80": (("cuda", 80, 32), (8, 0)),
    "sm_90": (("cuda", 90, 32), (9, 0)),
    "sm_100": (("cuda", 100, 32), (10, 0)),
    "sm_120": (("cuda", 120, 32), (12, 0)),
    "gfx942": (("hip", "gfx942", 64), (-1, 0)),
}
AGAIN = "masked", "ruled"  # of these also what is started again: there others do no more
MATRIX = "wgmma.mma_async", "mma.sync", "tcgen05.mma", "v_mfma"
NUM_SMS = 132


class Ahead:
    """A driver for a GPU that is not here: Triton asks it for which one to compile."""

    def __init__(self, target):
        self.target = target

    def get_current_target(self):
        return self.target

    def get_current_device(self):
        return str(self.target)  # Triton keeps what it compiled by device

    def get_current_stream(self, device):
        return 0


def main():
    knobs.nvidia.dump_ptxas_log = True
    launch.num_sms = lambda device: NUM_SMS
    for line in sys.stdin:
        chip, job = json.loads(line)
        target, capability = CHIPS[chip]
        triton.runtime.driver.set_active(Ahead(GPUTarget(*target)))
        launch.capability = lambda x, capability=capability: capability
        found = []
        launch.start = noting(found, job.get("variant") in AGAIN)
        try:
            run(**job)
            print(json.dumps({"job": job, "kernels": [read(*each) for each in found]}), flush=True)
        except Exception as failed:
            said = f"{type(failed).__name__}: {failed}"[:500]
            print(json.dumps({"job": job, "failed": said}), flush=True)


def noting(found, again):
    """A start that compiles a kernel for its arguments, and notes it; the second one if `again`."""

    def start(kernel, programs, c, **arguments):
        if c.nan_safe and not again:
            return
        with contextlib.redirect_stdout(io.StringIO()) as said:
            compiled = kernel.warmup(grid=(1,), **arguments, **c.options())
        found.append((kernel, compiled, arguments, said.getvalue()))

    return start


def run(way, width, dtype="bfloat16", variant="plain", choice=0, configuration=None, source=None):
    """Launch one way with one variant; in another configuration than the one in use, if asked to.

    The kernel of `warps.py` is taken from another file if there is a `source`.

    Variants: plain; causal; shared, causal with keys that four heads share; masked, with every
    mask, a soft cap, shared heads and sizes that blocks do not divide; biased, all that with a
    bias; ruled, all that with intervals of keys for masks; strided, plain with rows that no
    descriptor takes.
    """
    masked = variant in ("masked", "biased", "ruled")
    n, kv_heads = 4001 if masked else 4096, 4 if masked or variant == "shared" else 16
    like = {"dtype": getattr(torch, dtype), "device": "meta"}
    q, k = (torch.empty(4, heads, n, width, **like) for heads in (16, kv_heads))
    if variant == "strided":
        q, k = (torch.empty(4, 16, n, width + 1, **like)[..., :width] for _ in range(2))
    lens = torch.empty(4, dtype=torch.int32, device="meta") if masked else None
    cap, window = (30.0, 500) if masked else (None, None)
    if source:
        with patch.object(warps, "hopper_forward", runpy.run_path(source)["hopper_forward"]):
            return run(way, width, dtype, variant, choice, configuration)
    if way == "decode":
        launch.decode(q[:, :, :1], k, k, KernelOptions(0.1, valid_lens=lens, softcap=cap))
        return
    bias = torch.empty(4, 16, n, n, **like) if variant == "biased" else None
    causal = variant in ("causal", "shared") or masked
    options = KernelOptions(0.1, causal, window, lens, softcap=cap, bias=bias)
    if variant == "ruled":
        intervals = torch.empty(4, 2, n, dtype=torch.int32, device="meta")
        options = KernelOptions(0.1, intervals=intervals, softcap=cap)
    if way == "forward":
        chosen = launch.choices(q, k, k, options)[choice]
        launch.forward(q, k, k, options, Configuration(*configuration) if configuration else chosen)
        return
    lse, atomic = torch.empty(q.shape[:3], device="meta"), way == "backward, atomic"
    chosen = tuple(Configuration(*each) for each in configuration) if configuration else None
    launch.backward(q, q, k, k, q, lse, options, None, atomic, chosen)


def read(kernel, compiled, arguments, said):
    """What matters of a compiled kernel, and of what the compiler said."""
    text = compiled.asm.get("ptx") or compiled.asm["amdgcn"]
    counts = {name: text.count(name) for name in MATRIX}
    found = {"name": kernel.fn.__name__, "matrix": {k: n for k, n in counts.items() if n}}
    found |= {"again": arguments.get("NAN_SAFE", False)}
    warps = re.findall(r'"ttg.total-num-warps" = (\d+)', compiled.asm["ttgir"])
    found |= {"warps": int(warps[0]) if warps else compiled.metadata.num_warps}
    found |= {"shared": compiled.metadata.shared}
    found |= {"narrow": narrow_products(compiled.asm.get("ttir") or compiled.asm["ttgir"])}
    if "cubin" not in compiled.asm:
        return found | of_amd(text)
    waits = re.search(r"wgmma.mma_async instructions are serialized (.+?) in ", said)
    found |= {"serialized": waits[1]} if waits else {}
    if not found["matrix"] or (found["again"] and "wgmma.mma_async" not in found["matrix"]):
        return found | of_nvidia(compiled) | {"overwritten": []}
    code = instructions(told(knobs.nvidia.nvdisasm.path, compiled, "-c", "-ndf"))
    found |= {"overwritten": overwritten(code)}
    found |= {"moved registers": sum(one.kind == "registers" for one in code)}
    found |= {"between waits": [between_waits(loop) for loop in heavy(compiled, code)]}
    return found | of_nvidia(compiled) | products(compiled, arguments, code)


def products(compiled, arguments, code):
    """How many products of its tile a kernel does the work of, in the loop that does most."""
    if not {"ROWS", "KEYS", "D"} <= set(arguments):
        return {}
    work = [loop.flops for loop in heavy(compiled, code) if loop.flops]
    one = 2 * arguments["ROWS"] * arguments["KEYS"] * arguments["D"]
    return {"products": max(work) / one} if work else {}


def heavy(compiled, code):
    """The loops of a kernel for NVIDIA's GPUs that multiply matrices."""
    warps = _warps_of_a_loop(compiled.asm["ttgir"], compiled.metadata.num_warps)
    return [loop for loop in loops(code, warps) if loop.counts["matrix"]]


def of_nvidia(compiled):
    said = told(knobs.nvidia.cuobjdump.path, compiled, "-res-usage")
    usage = dict(re.findall(r"(REG|STACK|LOCAL):(\d+)", said))
    return {"registers": int(usage["REG"]), "stack": int(usage["STACK"])}


def told(tool, compiled, *options):
    """What one of NVIDIA's tools prints of a kernel's machine code."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(compiled.asm["cubin"])
        file.flush()
        asked = [tool, *options, file.name]
        return subprocess.run(asked, capture_output=True, text=True, check=True).stdout


def of_amd(text):
    names = {"registers": "vgpr_count", "stack": "private_segment_fixed_size"}
    return {key: int(re.search(rf"\.{name}:\s+(\d+)", text)[1]) for key, name in names.items()}


if __name__ == "__main__":
    main()
