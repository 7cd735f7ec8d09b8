"""Compile the kernels as they would be launched on a GPU that is not here: run in its own process.

    TRITON_INTERPRET=0 python tests/ahead.py CHIP < jobs.json

Each job goes through the package's own launch with tensors that have sizes and no numbers, so that
what is compiled is what a GPU would be given: configuration, dtypes, and what Triton makes of
sizes and strides. Instead of being started, a kernel is compiled and its machine code is read.
"""

import json
import re
import subprocess
import sys
import tempfile

import torch
import triton
from triton import knobs
from triton.backends.compiler import GPUTarget

from attnbook.kernels import decode, launch
from attnbook.kernels.arguments import Options
from attnbook.kernels.configurations import Configuration

CHIPS = {
    "sm_80": (("cuda", 80, 32), (8, 0)),
    "sm_90": (("cuda", 90, 32), (9, 0)),
    "sm_100": (("cuda", 100, 32), (10, 0)),
    "sm_120": (("cuda", 120, 32), (12, 0)),
    "gfx942": (("hip", "gfx942", 64), (-1, 0)),
}
MATRIX = "wgmma.mma_async", "mma.sync", "tcgen05.mma", "v_mfma"
PROCESSORS = 132


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


def main(chip):
    target, capability = CHIPS[chip]
    triton.runtime.driver.set_active(Ahead(GPUTarget(*target)))
    launch.capability = lambda x: capability
    decode._processors = lambda device: PROCESSORS
    for job in json.load(sys.stdin):
        found = []
        launch.start = decode.start = noting(found)
        try:
            run(**job)
            print(json.dumps({"job": job, "kernels": [read(*each) for each in found]}), flush=True)
        except Exception as failed:
            print(json.dumps({"job": job, "failed": f"{type(failed).__name__}: {failed}"[:500]}))


def noting(found):
    """A start that compiles a kernel for its arguments, and notes it."""

    def start(kernel, programs, c, *args, **constants):
        found.append((kernel, kernel.warmup(*args, grid=(1,), **constants, **c.options())))

    return start


def run(way, width, dtype="bfloat16", variant="plain", choice=0, configuration=None):
    """Launch one way with one variant; in another configuration than the one in use, if asked to.

    Variants: plain; causal; masked, with every mask, a soft cap, shared heads and sizes that blocks
    do not divide; biased, all that with a bias; apart, plain with rows that no descriptor takes.
    """
    masked = variant in ("masked", "biased")
    n, kv_heads = (4001, 4) if masked else (4096, 16)
    like = {"dtype": getattr(torch, dtype), "device": "meta"}
    q, k = (torch.empty(4, heads, n, width, **like) for heads in (16, kv_heads))
    if variant == "apart":
        q, k = (torch.empty(4, 16, n, width + 1, **like)[..., :width] for _ in range(2))
    lens = torch.empty(4, dtype=torch.int32, device="meta") if masked else None
    cap, window = (30.0, 500) if masked else (None, None)
    if way == "decode":
        decode.launch(q[:, :, :1], k, k, lens, cap, 0.1)
        return
    bias = torch.empty(4, 16, n, n, **like) if variant == "biased" else None
    options = Options(bias, lens, variant == "causal" or masked, window, cap, 0.1)
    if way == "forward":
        chosen = launch.choices(q, k, k, options)[choice]
        launch.forward(q, k, k, options, Configuration(*configuration) if configuration else chosen)
        return
    lse = torch.empty(q.shape[:3], device="meta")
    launch.backward(q, q, k, k, q, lse, options, atomic=way == "backward, atomic")


def read(kernel, compiled):
    """What matters of a compiled kernel."""
    text = compiled.asm.get("ptx") or compiled.asm["amdgcn"]
    counts = {name: text.count(name) for name in MATRIX}
    found = {"name": kernel.fn.__name__, "matrix": {k: n for k, n in counts.items() if n}}
    warps = re.findall(r'"ttg.total-num-warps" = (\d+)', compiled.asm["ttgir"])
    found |= {"warps": int(warps[0]) if warps else compiled.metadata.num_warps}
    found |= {"shared": compiled.metadata.shared}
    return found | (of_nvidia(compiled) if "cubin" in compiled.asm else of_amd(text))


def of_nvidia(compiled):
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(compiled.asm["cubin"])
        file.flush()
        asked = [knobs.nvidia.cuobjdump.path, "-res-usage", file.name]
        said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    usage = dict(re.findall(r"(REG|STACK|LOCAL):(\d+)", said))
    return {"registers": int(usage["REG"]), "stack": int(usage["STACK"])}


def of_amd(text):
    names = {"registers": "vgpr_count", "stack": "private_segment_fixed_size"}
    return {key: int(re.search(rf"\.{name}:\s+(\d+)", text)[1]) for key, name in names.items()}


if __name__ == "__main__":
    main(sys.argv[1])
