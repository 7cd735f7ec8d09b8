"""The chapter's kernels run on a GPU as they are: they compile for one, on any machine."""

import json
import os
import subprocess
import sys
from importlib.metadata import version

import pytest
from packaging.version import Version

from tools.reproducible import ROOT

NOTEBOOK = ROOT / "book/gpu/triton.ipynb"
HEAD = "import triton\nimport triton.language as tl\n\n\n"
COMPILE = """
import sys
from triton import compile
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
sys.path.insert(0, {folder!r})
import kernels

def built(name, signature, **constants):
    kernel = getattr(kernels, name)
    signature = dict(zip(kernel.arg_names, signature.split(), strict=False))
    signature |= dict.fromkeys(constants, "constexpr")
    constexprs = {{(kernel.arg_names.index(n),): value for n, value in constants.items()}}
    source = ASTSource(fn=kernel, signature=signature, constexprs=constexprs)
    return compile(source, target=GPUTarget("cuda", 90, 32)).asm["ptx"]

{calls}
"""
ADD, ROW = "*fp32 *fp32 *fp32 i32", "*fp32 *fp32 i32"
FLASH = "*fp32 *fp32 *fp32 *fp32 *fp32 i32 i32"
MERGE = "*fp32 *fp32 *fp32 *fp32 *fp32 *fp32"
CALLS = {
    "add": f"built('add', {ADD!r}, BLOCK=2)",
    "double": "built('double', '*fp32 *fp32', BLOCK=2)",
    "softmax": f"built('softmax', {ROW!r}, OTHER=-float('inf'), BLOCK=4)",
    "total": f"built('total', {ROW!r}, BLOCK=2)",
    "flash": f"built('flash', {FLASH!r}, STEP=kernels.step, D=16, B=16)",
    "forgetful": f"built('flash', {FLASH!r}, STEP=kernels.forgetful, D=32, B=32)",
    "half": f"built('flash', {FLASH.replace('32', '16', 4)!r}, STEP=kernels.step, D=64, B=64)",
    "scale": "built('scale_kernel', '*fp32 *fp32 fp32 i32', BLOCK=16)",
    "softmax_kernel": f"built('softmax_kernel', {ROW!r}, BLOCK=4)",
    "merge": f"built('merge_kernel', {MERGE!r}, D=4)",
    "causal": f"built('causal_kernel', {FLASH!r}, STEP=kernels.step, D=16, B=16)",
}


def kernels_of(text):
    """The functions below each @triton.jit of a source."""
    parts = [part.split("\n\n\n")[0] for part in text.split("@triton.jit\n")[1:]]
    return ["@triton.jit\n" + part for part in parts if "raise NotImplementedError" not in part]


def sources():
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    chapter = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    exercises = ROOT / "code/attnbook/exercises/chapters/triton"
    files = [exercises / f"{name}.py" for name in ("scale", "wide_softmax", "merge", "causal")]
    texts = [file.read_text(encoding="utf-8") for file in files]
    return kernels_of("\n\n\n".join([*chapter, *texts]))


def compiled(folder, text, calls):
    folder.joinpath("kernels.py").write_text(text, encoding="utf-8")
    code = COMPILE.format(folder=str(folder), calls="\n".join(calls))
    cache = {"TRITON_INTERPRET": "0", "TRITON_CACHE_DIR": str(folder / "cache")}
    run = [sys.executable, "-c", code]
    return subprocess.run(run, capture_output=True, text=True, env=os.environ | cache)


def test_every_kernel_of_the_chapter_compiles_for_a_gpu(tmp_path):
    texts = sources()
    assert len(texts) == 14
    done = compiled(tmp_path, HEAD + "\n\n\n".join(texts), CALLS.values())
    assert done.returncode == 0, done.stderr[-2000:]


def test_what_the_chapter_says_of_the_compiler_is_so(tmp_path):
    said = {
        "wide": "'mma' not in {}",  # "ieee" leaves the tensor cores alone
        "half": "'mma' in {}",
        "power": "{}.count('ex2.approx') == 1 and 'mul.f32' not in {}",
        "natural": "{}.count('ex2.approx') == 1 and 'mul.f32' in {}",
        "empty": "'mov.u32 %r1, 0x0' in {}",  # without other a closed lane holds 0 on NVIDIA
    }
    own = [
        "@triton.jit\ndef one(x_ptr, out_ptr, TWO: tl.constexpr):\n    x = tl.load(x_ptr)\n"
        "    tl.store(out_ptr, tl.exp2(x) if TWO else tl.exp(x))",
        "@triton.jit\ndef bare(x_ptr, out_ptr, n, BLOCK: tl.constexpr):\n"
        "    i = tl.arange(0, BLOCK)\n"
        "    tl.store(out_ptr, tl.sum(tl.load(x_ptr + i, mask=i < n), 0))",
    ]
    calls = {
        "wide": CALLS["flash"],
        "half": CALLS["half"],
        "power": "built('one', '*fp32 *fp32', TWO=True)",
        "natural": "built('one', '*fp32 *fp32', TWO=False)",
        "empty": f"built('bare', {ROW!r}, BLOCK=32)",
    }
    lines = [f"{n} = {calls[n]}\nassert {said[n].replace('{}', n)}, '{n}'" for n in said]
    done = compiled(tmp_path, HEAD + "\n\n\n".join([*sources(), *own]), lines)
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize(
    ("changed", "call", "message"),
    [
        (("tl.trans", "tl.trans"), CALLS["half"].replace("B=64", "B=2"), "K >= 16"),
        (("tl.trans(k)", "k"), CALLS["forgetful"].replace("B=32", "B=16"), "dot"),
    ],
)
def test_a_kernel_that_a_gpu_refuses_is_found(tmp_path, changed, call, message):
    done = compiled(tmp_path, HEAD + "\n\n\n".join(sources()).replace(*changed), [call])
    assert done.returncode != 0 and message in done.stderr


def test_a_product_of_float32_needs_16_columns_up_to_triton_3_7_and_8_in_3_9(tmp_path):
    few = CALLS["flash"].replace("B=16", "B=2")
    done = compiled(tmp_path, HEAD + "\n\n\n".join(sources()), [few])
    fewest = 8 if Version(version("triton")) >= Version("3.8") else 16
    assert f"K >= {fewest}\n" in done.stderr
