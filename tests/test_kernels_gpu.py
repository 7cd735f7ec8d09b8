"""On a GPU: the kernels agree with the definition as they are compiled there, both ways.

    python3 -m pytest tests/test_kernels_gpu.py

What the interpreter cannot show: bfloat16, tensor cores, descriptors, `torch.compile`, races. The
judge is the definition in float64; the measure is what rounding to the dtype makes of it.
"""

import importlib
import itertools
import os

import pytest
import torch

from attnbook.pytorch import rules
from benchmarks.race import cases
from benchmarks.race.agreement import error, exact

# KERNELS_DRY_RUN=cpu tries what is written here in the interpreter, slowly; leave out what is long:
# -k "not long and not 20000 and not 32_bits and not compiled and not refuses"
DEVICE = os.environ.get("KERNELS_DRY_RUN", "cuda")
if DEVICE == "cuda" and not torch.cuda.is_available():
    pytest.skip("this machine has no GPU", allow_module_level=True)

kernels = importlib.import_module("attnbook.kernels")

WIDTHS = 16, 32, 64, 128, 256
DTYPES = torch.bfloat16, torch.float16, torch.float32
# Relative to the norm, and for the worst row: about four roundings of operands, weights and
# gradients of scores; float32 is multiplied as float32, and summed over some thousand terms.
LIMITS = {torch.bfloat16: (1e-2, 6e-2), torch.float16: (2e-3, 1e-2), torch.float32: (1e-5, 1e-4)}
VARIANTS = {
    "plain": {},
    "causal": {"causal": True},
    "window": {"causal": True, "window": 100},
    "lengths": {"padded": True},
    "soft cap": {"softcap": 2.0},
    "grouped": {"causal": True, "kv_heads": 2},
    "all": {"causal": True, "window": 300, "padded": True, "softcap": 2.0, "kv_heads": 1},
}


def made(way, width, n_q=512, n_k=512, dtype=torch.bfloat16, seed=0, **options):
    if DEVICE != "cuda":
        n_q, n_k = -(-n_q // 16), -(-n_k // 16)
    sizes = {"batch": 2, "heads": 4, "kv_heads": 4} | options
    case = cases.Case("test", way, width, n_q, n_k, **sizes)
    return case, cases.drawn(case, DEVICE, dtype, seed)


def attend(case, x, q, k, v):
    options = {"causal": case.causal, "window": case.window, "softcap": case.softcap}
    return kernels.flash_attention(q, k, v, valid_lens=x.valid_lens, **options)


def computed(case, x, attend=attend):
    """The output, or the gradients; the memory that they are written to holds NaN before."""
    torch.full((2**24,), torch.nan, device=DEVICE)
    if case.way == cases.DECODE:
        return kernels.decode_attention(x.q, x.k, x.v, valid_lens=x.valid_lens)
    if case.way == cases.FORWARD:
        return attend(case, x, x.q, x.k, x.v)
    leaves = [t.detach().requires_grad_() for t in (x.q, x.k, x.v)]
    return torch.autograd.grad(attend(case, x, *leaves), leaves, x.grad_out)


def assert_agrees(case, x, result=None):
    assert_close(computed(case, x) if result is None else result, exact(case, x), x.q.dtype)


def assert_close(result, right, dtype=torch.bfloat16):
    found, (whole, row) = error(result, right), LIMITS[dtype]
    assert found.whole <= whole and found.row <= row, found


@pytest.mark.parametrize("way", [cases.FORWARD, cases.BACKWARD])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_width_and_dtype(way, width, dtype):
    assert_agrees(*made(way, width, dtype=dtype, causal=True))


@pytest.mark.parametrize("way", [cases.FORWARD, cases.BACKWARD])
@pytest.mark.parametrize("width", [64, 128])
@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant(way, width, name):
    assert_agrees(*made(way, width, 700, 700, **VARIANTS[name]))


@pytest.mark.parametrize("way", [cases.FORWARD, cases.BACKWARD])
@pytest.mark.parametrize("sizes", [(512, 512), (317, 701), (701, 317), (1, 700)])
@pytest.mark.parametrize("name", ["plain", "causal", "all"])
def test_every_size(way, sizes, name):
    assert_agrees(*made(way, 64, *sizes, **VARIANTS[name]))


def test_one_key():
    """Its weight is 1, whatever the scores: nothing is left of their gradients but rounding."""
    case, x = made(cases.FORWARD, 64, 130, 1)
    assert_agrees(case, x)
    grad_q, grad_k, grad_v = computed(made(cases.BACKWARD, 64, 130, 1)[0], x)
    right = x.grad_out.double().sum(2, keepdim=True)
    assert error(grad_v, (right,)).whole <= LIMITS[x.q.dtype][0]
    assert max(grad_q.abs().max(), grad_k.abs().max()) <= 0.3  # 130 products near 8, 9 bits of each


@pytest.mark.parametrize("way", [cases.FORWARD, cases.BACKWARD])
def test_long_sequences(way):
    assert_agrees(*made(way, 128, 8192, 8192, batch=1, heads=2, kv_heads=2, causal=True))


@pytest.mark.parametrize("way", [cases.FORWARD, cases.BACKWARD])
@pytest.mark.parametrize("aligned", [True, False])
def test_tensors_that_lie_anywhere(way, aligned):
    case, x = made(way, 64, causal=True)
    given = [t.transpose(1, 2).contiguous().transpose(1, 2) for t in (x.q, x.k, x.v)]
    if not aligned:
        given = [torch.nn.functional.pad(t, (1, 2))[..., 1:-2] for t in given]
    assert_agrees(case, cases.Inputs(*given, x.grad_out, None))


@pytest.mark.parametrize("way", [cases.FORWARD, cases.BACKWARD])
def test_hidden_keys_have_no_influence(way):
    case, x = made(way, 64, 300, 300, padded=True)
    torch.use_deterministic_algorithms(True)  # whoever adds in memory may end with other bits
    try:
        clean = computed(case, x)
        for i, n in enumerate(case.valid_lens):
            x.k[i, :, n:] = x.v[i, :, n:] = torch.nan
        dirty = computed(case, x)
    finally:
        torch.use_deterministic_algorithms(False)
    pairs = [(clean, dirty)] if case.way == cases.FORWARD else zip(clean, dirty, strict=True)
    assert all(torch.equal(a, b) for a, b in pairs)


@pytest.mark.parametrize("way", [cases.FORWARD, cases.BACKWARD])
@pytest.mark.parametrize("width", [64, 128])
@pytest.mark.parametrize("ahead", [0, 3])
def test_a_nan_that_a_query_may_not_see_leaves_its_row_alone(way, width, ahead):
    case, x = made(way, width, 384, 384)
    options = {"rule": rules.sliding_window(384, ahead)} if ahead else {"causal": True}
    spoilt, seen = case.n_q // 2 + 5, []
    for added in (0, torch.nan):
        x.v[:, :, spoilt, 3] += added
        found = computed(case, x, lambda case, x, *qkv: kernels.flash_attention(*qkv, **options))
        seen.append((found if way == cases.FORWARD else found[0]).split(spoilt - ahead, dim=2))
    assert_close(seen[1][0], (seen[0][0].double(),))
    assert all(rows.isnan().any(-1).all() for rows in seen[1][1:])


@pytest.mark.parametrize("width", [64, 128])
def test_documents_and_a_window_on_both_sides(width):
    _, x = made(cases.BACKWARD, width, 700, 700, kv_heads=2)
    n, given = x.q.shape[2], (x.q, x.k, x.v)
    numbers = torch.arange(n, device=DEVICE) // (n // 3)
    rule = rules.documents(numbers, numbers) & rules.sliding_window(n // 5, n // 9)
    leaves = [t.double().requires_grad_() for t in given]
    k, v = (t.repeat_interleave(2, dim=1) for t in leaves[1:])
    scores = leaves[0] @ k.mT * width**-0.5
    right = scores.masked_fill(~rule.mask(n, n, x.q.device), -torch.inf).softmax(-1) @ v
    out, lse = kernels.flash_attention_with_lse(*given, rule=rule)
    assert_close(out, (right.detach(),))
    grads = torch.autograd.grad(right, leaves, x.grad_out.double())
    for atomic in (False, True):
        found = kernels.flash_attention_backward(
            x.grad_out, *given, out, lse, rule=rule, atomic=atomic
        )
        assert_close(found, grads)


def test_a_bias_and_the_log_sum_exp():
    _, x = made(cases.FORWARD, 64, 300, 500)
    shape = *x.q.shape[:3], x.k.shape[2]
    bias = torch.randn(shape, device=DEVICE, dtype=torch.bfloat16)
    out, lse = kernels.flash_attention_with_lse(x.q, x.k, x.v, bias=bias)
    scores = x.q.double() @ x.k.double().mT / 8 + bias.double()
    torch.testing.assert_close(lse.double(), scores.logsumexp(-1), rtol=0, atol=1e-3)
    assert_close(out, (scores.softmax(-1) @ x.v.double(),))


@pytest.mark.parametrize("way", [cases.FORWARD, cases.BACKWARD])
@pytest.mark.parametrize("options", [{}, {"causal": True, "kv_heads": 2}])
def test_the_same_each_time(way, options):
    """A race between threads shows as a result that is not."""
    case, x = made(way, 128, 1000, 1000, **options)
    seen = kernels.flash_attention_with_lse(x.q, x.k, x.v, causal=case.causal)
    given = x.grad_out, x.q, x.k, x.v, *seen

    def again():
        if way == cases.FORWARD:
            return kernels.flash_attention_with_lse(x.q, x.k, x.v, causal=case.causal)
        return kernels.flash_attention_backward(*given, causal=case.causal)

    first = again()
    for _ in range(20 if DEVICE == "cuda" else 1):
        assert all(map(torch.equal, first, again()))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["plain", "causal", "all"])
@pytest.mark.parametrize("atomic", [False, True])
def test_both_ways_back_agree(width, name, atomic):
    """By two kernels, and by the one that adds in memory, whichever autograd takes here."""
    case, x = made(cases.BACKWARD, width, 700, 700, **VARIANTS[name])
    options = {"causal": case.causal, "window": case.window, "softcap": case.softcap}
    options["valid_lens"] = x.valid_lens
    out, lse = kernels.flash_attention_with_lse(x.q, x.k, x.v, **options)
    given = x.grad_out, x.q, x.k, x.v, out, lse
    assert_agrees(case, x, kernels.flash_attention_backward(*given, **options, atomic=atomic))


def test_heads_that_share_keys_add_in_memory_ten_times():
    """For each of four heads descriptors are made anew, while what the last added is on its way."""
    case, x = made(cases.BACKWARD, 128, 8192, 8192, batch=1, heads=4, kv_heads=1, causal=True)
    out, lse = kernels.flash_attention_with_lse(x.q, x.k, x.v, causal=True)
    given, right = (x.grad_out, x.q, x.k, x.v, out, lse), exact(case, x)
    for _ in range(10 if DEVICE == "cuda" else 1):
        assert_close(kernels.flash_attention_backward(*given, causal=True, atomic=True), right)


@pytest.mark.skipif(DEVICE != "cuda", reason="graphs are CUDA's")
@pytest.mark.parametrize("way", [cases.FORWARD, cases.BACKWARD, cases.DECODE])
@pytest.mark.parametrize("name", ["plain", "grouped"])
def test_a_graph_replays_with_other_numbers(way, name):
    n_q = 1 if way == cases.DECODE else 700
    case, x = made(way, 128, n_q, 700, **VARIANTS[name])
    computed(case, x)  # compiles, which no graph can hold
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = computed(case, x)
    for seed in (1, 2):
        other = made(way, 128, n_q, 700, seed=seed, **VARIANTS[name])[1]
        for tensor in ("q", "k", "v", "grad_out"):
            getattr(x, tensor).copy_(getattr(other, tensor))
        graph.replay()
        assert_agrees(case, x, result)


@pytest.mark.parametrize("way", [cases.FORWARD, cases.BACKWARD])
def test_compiled_code_keeps_the_kernels(way):
    case, x = made(way, 64, causal=True)
    compiled = torch.compile(lambda q, k, v: attend(case, x, q * 1, k, v) * 1, fullgraph=True)
    assert_agrees(case, x, computed(case, x, lambda case, x, *qkv: compiled(*qkv)))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n_k", [1, 1000, 20000])
def test_decoding(width, dtype, n_k):
    assert_agrees(*made(cases.DECODE, width, 1, n_k, dtype, heads=8, kv_heads=2, padded=n_k > 1))


@pytest.mark.parametrize("splits", [1, 2, 65, 256])
@pytest.mark.parametrize("n_q", [1, 5, 40])
def test_decoding_in_any_number_of_splits(splits, n_q):
    case, x = made(cases.DECODE, 128, n_q, 5000, heads=8, kv_heads=2, softcap=2.0)
    assert_agrees(case, x, kernels.decode_attention(x.q, x.k, x.v, softcap=2.0, splits=splits))


def test_decoding_of_a_cache_that_is_larger_than_32_bits_count():
    """Places beyond 2³¹ elements: positions come before heads, as a cache is often kept."""
    n_k = 2**31 // (8 * 64) // 2 + 4096
    cache = torch.zeros(2, n_k, 8, 64, device=DEVICE, dtype=torch.bfloat16)
    cache[1, -100:] = torch.randn(100, 8, 64, device=DEVICE, dtype=torch.bfloat16)
    k = cache.transpose(1, 2)
    q = torch.randn(2, 8, 1, 64, device=DEVICE, dtype=torch.bfloat16)
    out = kernels.decode_attention(30 * q, k, k)
    case = cases.Case("test", cases.DECODE, 64, 1, n_k, 2, 8, 8)
    assert_agrees(case, cases.Inputs(30 * q, k, k, q, None), out)


def test_a_gpu_refuses_what_lies_on_the_cpu():
    q = torch.randn(1, 1, 8, 16)
    with pytest.raises(ValueError, match="cpu"):
        kernels.flash_attention(q, q, q)


def test_these_limits_reject_a_wrong_row_and_a_wrong_scale():
    case, x = made(cases.FORWARD, 64, causal=True)
    right = computed(case, x)
    for wrong in (right * 1.02, right.index_fill(2, torch.tensor([7], device=DEVICE), 0)):
        with pytest.raises(AssertionError):
            assert_agrees(case, x, wrong)


def test_whole_blocks():
    """What a Hopper GPU computes by a kernel of its own. One test, and the last: should its
    barriers wait for ever, no other is lost.
    """
    for n, width, dtype, name in itertools.product(
        (128, 256, 384, 2048), (64, 128), DTYPES[:2], ("plain", "causal", "grouped")
    ):
        case, x = made(cases.FORWARD, width, n, n, dtype, **VARIANTS[name])
        once, again = (
            kernels.flash_attention_with_lse(x.q, x.k, x.v, causal=case.causal) for _ in range(2)
        )
        assert all(map(torch.equal, once, again))
        assert_agrees(case, x, once[0])
        k = x.k.double().repeat_interleave(case.heads // case.kv_heads, dim=1)
        scores = x.q.double() @ k.mT / width**0.5
        if case.causal:
            scores = scores.masked_fill(~cases.visible(case, None, DEVICE), -torch.inf)
        torch.testing.assert_close(once[1].double(), scores.logsumexp(-1), rtol=0, atol=1e-3)
