"""Tensors to kernels: what each kernel is given, and how many programs of it are started."""

import contextlib

import torch
import triton

from attnbook.kernels.configurations import capability, forward_configuration
from attnbook.kernels.forward import flash_forward
from attnbook.kernels.interpreter import is_interpreting

CACHE = 16 * 2**20  # bytes of keys and values whose programs run together: a third of an H100's L2


def forward(q, k, v, bias, valid_lens, causal, window, softcap, scale, configuration=None):
    """out and lse of tensors (batch, heads, n, d); what is visible as in `flash_attention`."""
    (batch, n_heads, n_q, width), n_k = q.shape, k.shape[2]
    out, lse = _empty(q), q.new_empty(q.shape[:3], dtype=torch.float32)
    if is_interpreting() and q.dtype == torch.bfloat16:  # triton 3.7: wrong products, in silence
        wide = (x.float() for x in (q, k, v))
        wide_out, lse = forward(*wide, bias, valid_lens, causal, window, softcap, scale)
        return wide_out.to(q.dtype), lse
    if not (out.numel() and n_k):
        return out.zero_(), lse.fill_(-torch.inf)
    scale, sign = positive(scale)
    q, k, v = _readable(q if sign == 1 else q * sign, k, v)
    c = configuration or forward_configuration(
        capability(q), width, q.dtype, bias=bias is not None, aligned=_describable(q, k, v)
    )
    group = n_heads // k.shape[1]
    start(
        flash_forward, batch * n_heads * triton.cdiv(n_q, c.rows), c,
        q, k, v, bias, valid_lens, out, lse, *(x.stride()[:3] for x in (q, k, v)),
        None if bias is None else bias.stride(), batch, n_heads, group,
        together(k, group, causal), n_q, n_k, scale, softcap, window,
        CAUSAL=causal or window is not None,
        RAGGED=valid_lens is not None or n_k % c.keys > 0,
        D=width, ROWS=c.rows, KEYS=c.keys, TMA=c.tma, STAGES=c.stages, SPECIALIZE=c.specialize,
        PRECISION=precision(q.dtype),
    )  # fmt: skip
    return out, lse


def start(kernel, programs, configuration, *args, **constants):
    """Start a kernel on the device of its first tensor."""
    c, device = configuration, args[0].device
    if not is_interpreting() and device.type == "cpu":
        raise ValueError("q is on cpu; expected a GPU, for which kernels are compiled here")
    options = {} if is_interpreting() else {"num_warps": c.warps, "num_stages": c.stages}
    if c.tma and not is_interpreting():  # descriptors made in a kernel are kept in memory
        triton.set_allocator(
            lambda size, alignment, stream: torch.empty(size, device=device, dtype=torch.int8)
        )
    with contextlib.nullcontext() if is_interpreting() else torch.cuda.device(device):
        kernel[(programs,)](*args, **constants, **options)


def together(k, group, causal):
    """How many heads programs take at a time: those whose keys and values the cache holds."""
    size = 2 * k.shape[2] * k.shape[3] * k.element_size()
    return max(1, CACHE // size) * group if causal else group


def precision(dtype):
    """float32 is multiplied as float32: a GPU would otherwise keep 10 bits of each factor."""
    return "ieee" if dtype == torch.float32 else "tf32"


def _empty(x):
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _readable(*tensors):
    """The same tensors, features side by side: rows, heads and batches may lie anywhere."""
    return [x if x.stride(-1) == 1 else x.contiguous() for x in tensors]


def positive(scale):
    """A scale above zero, and what queries are multiplied by for it: maxima stay maxima."""
    return (abs(scale), 1 if scale > 0 else -1) if scale else (1.0, 0)


def _describable(*tensors):
    """Whether tensor descriptors can describe them: each row begins at a multiple of 16 bytes."""
    return all(
        x.data_ptr() % 16 == 0
        and all(s * x.element_size() % 16 == 0 and s > 0 for s in x.stride()[:3])
        for x in tensors
    )
