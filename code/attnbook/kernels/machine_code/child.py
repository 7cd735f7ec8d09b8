"""Compile one kernel, in a process that interprets none: started by `compile.py`, by this path.

Reads a job from standard input and writes the listings into the job's folder.
"""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path


def main():
    job = json.load(sys.stdin)
    folder = Path(job["folder"])
    spec = importlib.util.spec_from_file_location("kernel", folder / "kernel.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["kernel"] = module
    spec.loader.exec_module(module)
    code = compiled(getattr(module, job["name"]), module.CONSTANTS, job)
    for kind, text in code.asm.items():
        if kind != "source":
            write = Path.write_bytes if isinstance(text, bytes) else Path.write_text
            write(folder / f"code.{kind}", text)
    if "cubin" in code.asm:
        disassemble(folder)
    keep = {name: getattr(code.metadata, name, None) for name in ("shared", "num_warps", "name")}
    (folder / "metadata.json").write_text(json.dumps(keep))


def compiled(kernel, constants, job):
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    if kernel.is_gluon():
        from triton.experimental.gluon._runtime import GluonASTSource as ASTSource
    types = {name: job["signature"].get(name, "constexpr") for name in kernel.arg_names}
    signature = {name: tuple(t) if isinstance(t, list) else t for name, t in types.items()}
    places = [(kernel.arg_names.index(name), *place) for name, *place in job["aligned"]]
    attrs = {place: [["tt.divisibility", 16]] for place in places}
    source = ASTSource(kernel, signature, constants, attrs)
    target = GPUTarget(*job["target"])
    return triton.compile(source, target=target, options=job["options"])


def disassemble(folder):
    from triton import knobs

    cubin = str(folder / "code.cubin")
    for kind, command in {
        "sass": [knobs.nvidia.nvdisasm.path, "-c", cubin],
        "resources": [knobs.nvidia.cuobjdump.path, "-res-usage", cubin],
    }.items():
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        (folder / f"code.{kind}").write_text(done.stdout)


if __name__ == "__main__":
    main()
