"""The kernel in Gluon, compiled for a Hopper GPU that is not here, and what it refuses."""

import functools
import runpy
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import compiled_kernels as made
import pytest

torch = pytest.importorskip("torch", reason="this machine has no PyTorch")
pytest.importorskip("triton", reason="this machine has no Triton")

from made_up_gpu import MadeUp  # noqa: E402

from attnbook.exercises.engine.edits import exchanged  # noqa: E402
from benchmarks import hopper, warps  # noqa: E402
from benchmarks.race import cases, forms  # noqa: E402

IN_GLUON = {"way": "forward, in Gluon"}
JOBS = [
    IN_GLUON | {"width": width, "variant": variant, "dtype": dtype}
    for width in (64, 128)
    for variant, dtype in (("plain", "bfloat16"), ("causal", "bfloat16"), ("shared", "float16"))
]
# Of a turn of 64 queries and 128 keys each of 128 threads makes 64 weights, and the factors by
# which what it summed for two queries shrinks.
OVERLAPPED = [0, 66, 0]
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
        "sm_90", [IN_GLUON | {"width": 128, "variant": "causal", "source": str(file)}]
    )


def idle(answers):
    """The kernels that do not make all exponentials of a turn while a product runs, and where."""
    kernels = [(a["job"], kernel) for a in answers for kernel in a["kernels"]]
    return [
        f"{made.name(job)}: {kernel['between waits']}"
        for job, kernel in kernels
        if kernel["between waits"] != [OVERLAPPED] * 2  # both consumers
    ]


def test_it_compiles_for_every_width_mask_and_dtype():
    assert made.broken(compiled()) == []
    assert [len(a["kernels"]) for a in compiled()] == [1] * len(JOBS)


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


def random(*shape, dtype=torch.bfloat16):
    return torch.randn(shape, dtype=dtype)


REFUSED = [
    (
        random(2, 4, 128, 64, dtype=torch.float32),
        TypeError,
        "q is .*float32.*; expected float16 or",
    ),
    (random(2, 4, 128, 32), ValueError, "q has 32 features; expected 64 or 128"),
    (random(2, 4, 100, 64), ValueError, "q has 100 rows; expected a multiple of 128"),
    (random(2, 4, 128, 64), ValueError, "q is on cpu; expected a Hopper GPU"),
]


@pytest.mark.parametrize(("q", "error", "said"), REFUSED)
def test_what_it_does_not_take_is_refused(q, error, said):
    with pytest.raises(error, match=said):
        hopper.forward(q, q, q)


@pytest.mark.parametrize("shape", [(2, 4, 256, 64), (2, 4, 128, 128), (1, 4, 128, 64), (128, 64)])
def test_keys_of_another_shape_are_refused(shape):
    q = random(2, 4, 128, 64)
    with pytest.raises(TypeError, match=r"^forward: k is bfloat16.*; expected"):
        hopper.forward(q, random(*shape), q)


def test_heads_that_do_not_divide_are_refused():
    q, k = random(2, 4, 128, 64), random(2, 3, 128, 64)
    with pytest.raises(ValueError, match="k has 3 heads; expected a divisor of the 4 heads of q"):
        hopper.forward(q, k, k)


def test_the_other_kernels_need_no_gluon():
    absent = "import sys; sys.modules['triton.experimental.gluon'] = None; import attnbook.kernels"
    subprocess.run([sys.executable, "-c", absent], check=True)


def test_a_triton_without_gluon_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "triton.experimental.gluon", None)
    with pytest.raises(ImportError, match=r"needs Triton 3.6 or .* this is Triton \d"):
        runpy.run_path(warps.__file__)


def test_it_races_last_and_is_given_up_when_it_hangs_once():
    """What breaks under a name that begins with ours is tried again in the next case."""
    for way in (cases.FORWARD, cases.BACKWARD, cases.DECODE):
        found = list(forms.forms("nowhere", way))
        assert (found[-1] == forms.IN_GLUON) == (forms.IN_GLUON in found) == (way == cases.FORWARD)
    assert not forms.IN_GLUON.startswith(forms.OURS)


@pytest.mark.parametrize("options", [{"window": 3}, {"softcap": 2.0}, {"padded": True}, {}])
def test_in_the_race_it_says_what_it_does_not_take(options):
    case = cases.Case("test", cases.FORWARD, 64, 128, 128, 1, 2, 2, **options)
    said = "it has no window, no lengths and no soft cap" if options else "expected a Hopper GPU"
    with pytest.raises(forms.Refused, match=said):
        machine = MadeUp()
        forms.ready(forms.IN_GLUON, forms.in_gluon, case, cases.drawn(case, "cpu"), machine)
