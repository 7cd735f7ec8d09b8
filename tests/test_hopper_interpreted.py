"""The kernel in Gluon agrees with the definition, in whatever order its warps go on.

Run by `interpreted_gluon.py`, on the CPU. What it does not show is what a GPU's units compute.
"""

import runpy
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="this machine has no PyTorch")
pytest.importorskip("triton", reason="this machine has no Triton")

import interpreted_gluon  # noqa: E402

from attnbook.exercises.engine.edits import changed  # noqa: E402
from attnbook.kernels import launch, warps  # noqa: E402
from attnbook.kernels.arguments import KernelOptions  # noqa: E402
from attnbook.kernels.configurations import SPECIALIZED  # noqa: E402

LSE = 1e-5  # of numbers up to 8: some twenty roundings to float32
ORDERS = range(5)


def drawn(n, width=64, dtype=torch.float16, heads=1, kv_heads=1, batch=1):
    random = torch.Generator().manual_seed(n + width)
    shapes = [(batch, heads, n, width), *[(batch, kv_heads, n, width)] * 2]
    return [torch.randn(shape, generator=random).to(dtype) for shape in shapes]


def faults(out, lse, q, k, v, causal=False, scale=None):
    """What of the output and L is farther from the definition than rounding makes it.

    Weights are rounded before they meet the values, and then the output: each to 1 part in 2¹¹, or
    2⁸ of bfloat16, of what is no larger than the largest value.
    """
    limit = torch.finfo(q.dtype).eps * v.double().abs().max()
    q, k, v = (x.double() for x in (q, k, v))
    k, v = (x.repeat_interleave(q.shape[1] // k.shape[1], 1) for x in (k, v))
    scores = q @ k.mT * (q.shape[3] ** -0.5 if scale is None else scale)
    if causal:
        scores = scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -torch.inf)
    off = (out - scores.softmax(-1) @ v).abs().max()
    off_lse = (lse - scores.logsumexp(-1)).abs().max()
    found = {"out": (off, limit), "lse": (off_lse, LSE)}
    return [f"{name} is {e:.2g} off" for name, (e, most) in found.items() if not e <= most]


@pytest.fixture
def run(monkeypatch):
    """Call the kernel in one order, or one that a file has; the faults of what it returns."""

    def run(q, k, v, order=0, source=warps.__file__, stages=2, judge=faults, **options):
        start = interpreted_gluon.start(runpy.run_path(str(source)), order)
        monkeypatch.setattr(launch, "start", start)
        monkeypatch.setattr(launch, "is_interpreting", lambda: False)  # bfloat16 stays what it is
        given = KernelOptions(**{"scale": q.shape[3] ** -0.5} | options)
        found = launch.forward(q, k, v, given, SPECIALIZED._replace(stages=stages))
        return judge(*found, q, k, v, **options)

    return run


@pytest.mark.parametrize("n", [128, 256, 640])
@pytest.mark.parametrize("options", [{}, {"causal": True}, {"scale": -0.3}, {"scale": 0}])
def test_it_agrees_for_any_number_of_blocks(run, n, options):
    assert run(*drawn(n), **options) == []


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("width", [64, 128])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_it_agrees_for_every_width_and_dtype(run, causal, width, dtype):
    assert run(*drawn(256, width, dtype), causal=causal) == []


@pytest.mark.parametrize("causal", [False, True])
def test_heads_may_share_keys(run, causal):
    assert run(*drawn(256, heads=4, kv_heads=2, batch=2), causal=causal) == []


@pytest.mark.parametrize("order", ORDERS)
def test_it_agrees_in_whatever_order_its_warps_go_on(run, order):
    assert run(*drawn(512), order) == []


@pytest.mark.parametrize("number", [torch.nan, torch.inf])
def test_a_hidden_number_that_is_not_finite_leaves_a_row_whole_or_nan_alone(run, number):
    """So that the second pass, which reads the first number of each row, computes it again."""
    q, k, v = drawn(256)
    v[0, 0, 200, 5] = number

    def judge(out, lse, q, k, v, causal):
        whole = slice(0, 128)
        cut = (x[:, :, whole] for x in (out, lse, q, k, v))
        return faults(*cut, causal) + ([] if out[0, 0, 128:200].isnan().all() else ["a row is not"])

    assert run(q, k, v, judge=judge, causal=True) == []


WAIT_0 = "        result, low = warpgroup_mma_wait(0, deps=(summed, low))\n"
VALUES_READ = "        mbarrier.arrive(at(values, i - 1)[2])\n"
EXPECTED = "tensor.block_type.nbytes)"
MISTAKES = {
    "values given back too early": f"{WAIT_0}{VALUES_READ} → {VALUES_READ}{WAIT_0}",
    "values never given back": f"{VALUES_READ} → ",
    "scores used too early": "wait(1, deps → wait(2, deps",
    "values before they are there": "low, brought(values, i - 1) → low, at(values, i - 1)[0]",
    "one consumer gives back for both":
        "init(empty.index(i), count=2) → init(empty.index(i), count=1)",
    "a wait for the other phase": "wait(empty, phase ^ 1) → wait(empty, phase)",
    "a byte too many": f"expect(full, {EXPECTED} → expect(full, 1 + {EXPECTED}",
    "a block of keys too early": "(n_blocks - 1 - i) → (n_blocks - 2 - i)",
    "a query that does not see itself": "<= rows[:, None] → < rows[:, None]",
    "sums below an old maximum": "result = result * gl.conv → result * gl.conv",
    "L in powers of two": " * LN_2) → )",
    "a half of the queries twice": "(1, CAUSAL, out → (0, CAUSAL, out",
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_wrong_version_does_not_agree(run, name, tmp_path):
    """In one of the orders at least: that is what there are several for."""
    text = Path(warps.__file__).read_text(encoding="utf-8")
    file = tmp_path / "wrong.py"
    file.write_text(changed(text, MISTAKES[name]), encoding="utf-8")
    q, k, v = drawn(512)

    def fails(order):
        try:
            return run(q, k, v, order, file, causal=True) != []
        except (AssertionError, RuntimeError, interpreted_gluon.Stuck):
            return True

    assert any(map(fails, ORDERS))


def test_with_one_tile_of_each_all_wait_for_each_other(run):
    assert run(*drawn(256), stages=1) == []
    with pytest.raises(interpreted_gluon.Stuck, match="3 wait for each other"):
        run(*drawn(384), stages=1)
