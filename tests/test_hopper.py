"""The kernel in Gluon, compiled for a Hopper GPU that is not here, and what is given to it."""

import functools
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import compiled_kernels as made
import pytest

torch = pytest.importorskip("torch", reason="this machine has no PyTorch")
pytest.importorskip("triton", reason="this machine has no Triton")

from attnbook.exercises.engine.edits import exchanged  # noqa: E402
from attnbook.kernels import launch, warps  # noqa: E402
from attnbook.kernels.arguments import KernelOptions  # noqa: E402

JOBS = [
    {"way": "forward", "width": width, "variant": variant, "dtype": dtype}
    for width in (64, 128)
    for variant, dtype in (("plain", "bfloat16"), ("causal", "bfloat16"), ("shared", "float16"))
]
whole_loops = pytest.mark.skipif(
    version("triton").startswith("3.9."),
    reason="Triton 3.9 begins the second consumer's turn elsewhere, and our reader finds a part",
)
NEXT_KEYS = (
    "        k = brought(keys, i + 1, i + 1 < n_blocks)  # and holds the exponentials here\n"
)
SOFTMAX = "        weights, rescale, top, total = softmax(scores, top, total, unit)\n"


@functools.cache
def compiled():
    return made.ahead("sm_90", JOBS)


def edited(tmp_path, *pairs):
    """What becomes of the kernel, causal and of width 128, with some of its text replaced."""
    text = Path(warps.__file__).read_text(encoding="utf-8")
    for old, new in pairs:
        text = exchanged(text, old, new)
    file = tmp_path / "edited.py"
    file.write_text(text, encoding="utf-8")
    return made.ahead(
        "sm_90", [{"way": "forward", "width": 128, "variant": "causal", "source": str(file)}]
    )


def idle(answers):
    """The kernels that do not make all exponentials of a turn while a product runs, and where."""
    kernels = [(a["job"], kernel) for a in answers for kernel in a["kernels"]]
    return [
        f"{made.name(job)}: {kernel['between waits']}"
        for job, kernel in kernels
        if kernel["between waits"] != [made.OVERLAPPED] * 2  # both consumers
    ]


def test_it_compiles_for_every_width_mask_and_dtype():
    assert made.broken(compiled()) == []
    names = [[kernel["name"] for kernel in a["kernels"]] for a in compiled()]
    assert names == [["hopper_forward"]] * len(JOBS)


def test_it_fits_and_spills_nothing():
    assert made.spilling("sm_90", compiled()) == []
    assert made.too_large("sm_90", compiled()) == []


def test_its_products_run_on():
    assert made.without_tensor_cores("sm_90", compiled()) == []
    assert made.serialized(compiled()) == []
    assert made.overwritten(compiled()) == []


def test_the_producer_leaves_its_registers_to_the_consumers():
    assert all(kernel["moved registers"] > 0 for a in compiled() for kernel in a["kernels"])


@whole_loops
def test_all_exponentials_are_made_while_a_product_runs():
    assert idle(compiled()) == []


@whole_loops
def test_exponentials_that_wait_for_all_products_are_found(tmp_path):
    """With the wait for the next keys before the softmax: the same work, and nothing overlaps."""
    pairs = (NEXT_KEYS, ""), (SOFTMAX, NEXT_KEYS + SOFTMAX)
    (fault,) = idle(edited(tmp_path, *pairs))
    assert fault.endswith("[[0, 0, 66], [0, 0, 66]]")


def test_consumers_without_the_producers_registers_are_found(tmp_path):
    answers = edited(tmp_path, ("gl.constexpr(240)", "gl.constexpr(168)"))
    assert made.spilling("sm_90", answers) != []


def drawn(n_q=256, n_k=256, width=64, dtype=torch.bfloat16):
    return [torch.empty(2, 4, n, width, dtype=dtype) for n in (n_q, n_k, n_k)]


def apart(x):
    return x.transpose(1, 2).contiguous().transpose(1, 2)


LENGTHS = torch.tensor([3, 5], dtype=torch.int32)
INTERVALS = torch.zeros(2, 2, 256, dtype=torch.int32)
BIAS = torch.zeros(2, 4, 256, 256)
GIVEN = {  # tensors, options, and whether the kernel that has no edges is in use
    "plain": (drawn(), {}, True),
    "causal": (drawn(width=128, dtype=torch.float16), {"causal": True}, True),
    "float32": (drawn(dtype=torch.float32), {}, False),
    "another width": (drawn(width=32), {}, False),
    "a part of a block": (drawn(200, 200), {}, False),
    "more keys": (drawn(128, 256), {"causal": True}, False),
    "a window": (drawn(), {"causal": True, "window": 9}, False),
    "lengths": (drawn(), {"valid_lens": LENGTHS}, False),
    "intervals": (drawn(), {"intervals": INTERVALS}, False),
    "a soft cap": (drawn(), {"softcap": 2.0}, False),
    "a bias": (drawn(), {"bias": BIAS}, False),
    "rows that lie apart": ([*drawn()[:2], apart(drawn()[2])], {}, False),
}


@pytest.mark.parametrize("name", GIVEN)
def test_it_is_given_what_has_no_edges(name, monkeypatch):
    tensors, options, right = GIVEN[name]
    monkeypatch.setattr(launch, "capability", lambda x: (9, 0))
    chosen = launch.choices(*tensors, KernelOptions(0.1, **options))
    assert [c.specialize for c in chosen] == [True, False][: 1 + right] or not right
    assert chosen[0].specialize == right


def test_another_gpu_is_not_given_it(monkeypatch):
    monkeypatch.setattr(launch, "capability", lambda x: (10, 0))
    assert not any(c.specialize for c in launch.choices(*drawn(), KernelOptions(0.1)))


def test_the_other_kernels_need_no_gluon():
    absent = "import sys; sys.modules['triton.experimental.gluon'] = None; import attnbook.kernels"
    subprocess.run([sys.executable, "-c", absent], check=True)
