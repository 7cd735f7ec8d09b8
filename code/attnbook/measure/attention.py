"""The forms of attention side by side, on one thread of a processor: agreement, time, memory.

Forward: every key visible, causal, padded sequences, a sliding window, and long sequences; and the
way back. Everything is compared to PyTorch's own `scaled_dot_product_attention`, in turns within
one run.
"""

from typing import NamedTuple

import torch
from torch.nn import MultiheadAttention
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from torch.nn.functional import scaled_dot_product_attention as sdpa

from attnbook import gradients, tiled
from attnbook import pytorch as ours
from attnbook.measure.memory import peak_array_memory, peak_memory
from attnbook.measure.time import ratios, rounds
from attnbook.tiled import pytorch as in_tiles

BATCH, HEADS, WIDTH = 4, 8, 64
WINDOW = 256  # keys that a query sees in the case of a window
LENGTHS = 128, 256, 512, 1024, 2048
LONG = 4096, 8192  # the second for memory alone
PEER, READABLE, BLOCKS = "SDPA", "ours, readable", "ours, in blocks"
NUMPY, NUMPY_READABLE = "NumPy, in blocks", "NumPy, readable"
MULTIHEAD, UNPADDED = "nn.MultiheadAttention, with its projections", "ours, in blocks, unpadded"
OTHER_WORK = MULTIHEAD, UNPADDED  # measured beside the rest, with another result
TOLERANCE = 1e-5  # two orders of sums of float32 numbers near 1: errors near 1e-6 are seen


class Row(NamedTuple):
    """One form in one case: time as a multiple of SDPA's, the rest on its own."""

    case: str
    n: int
    form: str
    ratio: float
    milliseconds: float
    peak_mib: float


def case_rows(case, n, n_rounds):
    """Every form of a case at length n. Raises ValueError if two forms do not agree."""
    forms = CASES[case](*_drawn(n))
    _agree({name: call() for name, call in forms.items() if name not in OTHER_WORK})
    if case == "long":
        del forms[READABLE]
    times = rounds(forms, n_rounds)
    ratio = ratios(times, PEER)
    return [
        Row(
            case=case,
            n=n,
            form=name,
            ratio=round(ratio[name], 3),
            milliseconds=round(1000 * sorted(times[name])[n_rounds // 2], 2),
            peak_mib=_peak_mib(name, call),
        )
        for name, call in forms.items()
    ]


def long_memory(n=LONG[1]):
    """The peak of each form for long sequences, in MiB: its output, and what it needs beside it."""
    forms = long(*_drawn(n))
    del forms[READABLE]
    return {name: _peak_mib(name, call) for name, call in forms.items()}


def _drawn(n):
    torch.manual_seed(0)
    return torch.randn(3, BATCH, HEADS, n, WIDTH)


def _peak_mib(name, call):
    peak = peak_array_memory if name in (NUMPY, NUMPY_READABLE) else peak_memory
    return round(peak(call) / 2**20, 1)


def plain(q, k, v):
    multihead = MultiheadAttention(HEADS * WIDTH, HEADS, bias=False, batch_first=True).eval()
    x = torch.randn(BATCH, q.shape[-2], HEADS * WIDTH)
    return {
        PEER: lambda: sdpa(q, k, v),
        BLOCKS: lambda: in_tiles.attention_tiled(q, k, v)[0],
        NUMPY: _numpy(tiled.attention_tiled, q, k, v),
        READABLE: lambda: ours.scaled_dot_product_attention(q, k, v),
        "FlexAttention": lambda: flex(q, k, v),
        MULTIHEAD: lambda: multihead(x, x, x, need_weights=False),
    }


def causal(q, k, v):
    n = q.shape[-2]
    mask = ours.causal_mask(n, n)
    blocks = _block_mask(lambda b, h, i, j: j <= i, None, n)
    return {
        PEER: lambda: sdpa(q, k, v, is_causal=True),
        BLOCKS: lambda: in_tiles.causal_attention_tiled(q, k, v)[0],
        NUMPY: _numpy(tiled.causal_attention_tiled, q, k, v),
        READABLE: lambda: ours.scaled_dot_product_attention(q, k, v, mask),
        "FlexAttention, with blocks left out": lambda: flex(q, k, v, block_mask=blocks),
    }


def padded(q, k, v):
    n = q.shape[-2]
    lens = valid_lens(n)
    mask = ours.padding_mask(lens, n)[:, None]
    blocks = _block_mask(lambda b, h, i, j: j < lens[b], BATCH, n)

    def hide(score, b, h, i, j):
        return torch.where(j < lens[b], score, -torch.inf)

    return {
        PEER: lambda: sdpa(q, k, v, attn_mask=mask),
        BLOCKS: lambda: in_tiles.padded_attention_tiled(q, k, v, lens)[0],
        UNPADDED: lambda: in_tiles.attention_tiled(q, k, v)[0],
        NUMPY: _numpy(tiled.padded_attention_tiled, q, k, v, lens),
        READABLE: lambda: ours.scaled_dot_product_attention(q, k, v, mask),
        "FlexAttention, with a mask": lambda: flex(q, k, v, score_mod=hide),
        "FlexAttention, with blocks left out": lambda: flex(q, k, v, block_mask=blocks),
    }


def window(q, k, v):
    n, left = q.shape[-2], WINDOW - 1
    mask = ours.sliding_window_mask(n, n, left)
    blocks = _block_mask(lambda b, h, i, j: (j <= i) & (i - j <= left), None, n)
    return {
        PEER: lambda: sdpa(q, k, v, attn_mask=mask),
        NUMPY: _numpy(tiled.sliding_window_attention_tiled, q, k, v, left),
        READABLE: lambda: ours.scaled_dot_product_attention(q, k, v, mask),
        "FlexAttention, with blocks left out": lambda: flex(q, k, v, block_mask=blocks),
    }


def long(q, k, v):
    """Forms that never hold all scores; the readable one takes some queries after the other."""
    return {
        PEER: lambda: sdpa(q, k, v),
        BLOCKS: lambda: in_tiles.attention_tiled(q, k, v)[0],
        NUMPY: _numpy(tiled.attention_tiled, q, k, v),
        READABLE: lambda: torch.cat(
            [ours.scaled_dot_product_attention(rows, k, v) for rows in q.split(256, dim=-2)], dim=-2
        ),
    }


def backward(q, k, v):
    """From the gradient of the output to those of q, k and v, without the forward pass."""
    with torch.enable_grad():
        leaves = [x.clone().requires_grad_() for x in (q, k, v)]
        through = sdpa(*leaves)
    grad_out = torch.randn(v.shape)
    arrays = [x.numpy() for x in (grad_out, q, k, v)]
    seen = tiled.attention_tiled(*arrays[1:])
    readable = gradients.scaled_dot_product_attention_backward
    return {
        PEER: lambda: torch.autograd.grad(through, leaves, grad_out, retain_graph=True),
        NUMPY: lambda: [*map(torch.from_numpy, tiled.attention_tiled_backward(*arrays, *seen))],
        NUMPY_READABLE: lambda: [*map(torch.from_numpy, readable(*arrays))],
    }


CASES = {
    "plain": plain,
    "causal": causal,
    "padded": padded,
    "window": window,
    "backward": backward,
    "long": long,
}


def lengths(case):
    """The lengths at which a case is measured."""
    return LONG[:1] if case == "long" else LENGTHS


def valid_lens(n):
    """Lengths of a batch: their sum is 15/32 of what it is without padding."""
    return torch.tensor([n, n // 2, n // 4, n // 8])


flex = torch.compile(flex_attention)


def _numpy(form, *given):
    """A call of a form on what the tensors hold, which gives its output, without L, as a tensor."""
    arrays = [x.numpy() if isinstance(x, torch.Tensor) else x for x in given]
    return lambda: torch.from_numpy(form(*arrays)[0])


def _block_mask(visible, batch, n):
    return create_block_mask(visible, batch, None, n, n, device="cpu")


def _agree(results):
    """Each result is a tensor, or several."""
    judge = READABLE if READABLE in results else NUMPY_READABLE
    results = {n: (x,) if isinstance(x, torch.Tensor) else x for n, x in results.items()}
    for name, result in results.items():
        pairs = zip(result, results[judge], strict=True)
        error = max((x - right).abs().max().item() for x, right in pairs)
        if not error <= TOLERANCE:
            raise ValueError(
                f"{name} differs from the readable form by {error:.0e}; "
                f"expected at most {TOLERANCE:.0e}"
            )
