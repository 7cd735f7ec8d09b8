"""The forms of attention side by side, on one thread of a processor: agreement, time, memory.

Three cases: every key visible, causal, and padded sequences. Everything is compared to PyTorch's
own `scaled_dot_product_attention`, in turns within one run.
"""

from typing import NamedTuple

import torch
from torch.nn import MultiheadAttention
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from torch.nn.functional import scaled_dot_product_attention as sdpa

from attnbook import pytorch as ours
from attnbook.measure.memory import peak_memory
from attnbook.measure.time import ratios, rounds

BATCH, HEADS, WIDTH = 4, 8, 64
PEER = "SDPA"
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
    torch.manual_seed(0)
    q, k, v = torch.randn(3, BATCH, HEADS, n, WIDTH)
    forms = CASES[case](q, k, v)
    _agree({name: call() for name, call in forms.items() if name not in OTHER_WORK})
    times = rounds(forms, n_rounds)
    ratio = ratios(times, PEER)
    return [
        Row(
            case=case,
            n=n,
            form=name,
            ratio=round(ratio[name], 3),
            milliseconds=round(1000 * sorted(times[name])[n_rounds // 2], 2),
            peak_mib=round(peak_memory(call) / 2**20, 1),
        )
        for name, call in forms.items()
    ]


def plain(q, k, v):
    multihead = MultiheadAttention(HEADS * WIDTH, HEADS, bias=False, batch_first=True).eval()
    x = torch.randn(BATCH, q.shape[-2], HEADS * WIDTH)
    return {
        PEER: lambda: sdpa(q, k, v),
        "ours, in blocks": lambda: ours.attention_in_blocks(q, k, v),
        "ours, readable": lambda: ours.scaled_dot_product_attention(q, k, v),
        "FlexAttention": lambda: flex(q, k, v),
        MULTIHEAD: lambda: multihead(x, x, x, need_weights=False),
    }


def causal(q, k, v):
    n = q.shape[-2]
    mask = ours.causal_mask(n, n)
    blocks = _block_mask(lambda b, h, i, j: j <= i, None, n)
    return {
        PEER: lambda: sdpa(q, k, v, is_causal=True),
        "ours, in blocks": lambda: ours.causal_attention_in_blocks(q, k, v),
        "ours, readable": lambda: ours.scaled_dot_product_attention(q, k, v, mask),
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
        "ours, in blocks": lambda: ours.padded_attention_in_blocks(q, k, v, lens),
        UNPADDED: lambda: ours.attention_in_blocks(q, k, v),
        "ours, readable": lambda: ours.scaled_dot_product_attention(q, k, v, mask),
        "FlexAttention, with a mask": lambda: flex(q, k, v, score_mod=hide),
        "FlexAttention, with blocks left out": lambda: flex(q, k, v, block_mask=blocks),
    }


CASES = {"plain": plain, "causal": causal, "padded": padded}


def valid_lens(n):
    """Lengths of a batch: their sum is 15/32 of what it is without padding."""
    return torch.tensor([n, n // 2, n // 4, n // 8])


flex = torch.compile(flex_attention)


def _block_mask(visible, batch, n):
    return create_block_mask(visible, batch, None, n, n, device="cpu")


def _agree(outputs):
    for name, out in outputs.items():
        error = (out - outputs["ours, readable"]).abs().max().item()
        if not error <= TOLERANCE:
            raise ValueError(
                f"{name} differs from the readable form by {error:.0e}; "
                f"expected at most {TOLERANCE:.0e}"
            )
