"""Tensors to kernels: what each kernel is given, and how many programs of it are started."""

import contextlib
import warnings

import numpy as np
import torch

from attnbook.kernels.backward_keys import flash_backward_keys
from attnbook.kernels.backward_queries import flash_backward_queries
from attnbook.kernels.configurations import (
    DELTA,
    HOPPER,
    SPECIALIZED,
    capability,
    choices_for,
    nan_safe,
)
from attnbook.kernels.decode_configurations import (
    MERGE,
    MERGED_WIDTH,
    TILE,
    num_sms,
    rows_for,
    split_configuration,
    splits_for,
)
from attnbook.kernels.delta import PAD_TO, row_deltas
from attnbook.kernels.forward import flash_forward
from attnbook.kernels.interpreter import is_interpreting, language_set_once
from attnbook.kernels.splits import merge_kernel, split_kernel
from attnbook.kernels.visible import NONE, kind, mask_arguments
from attnbook.pytorch.products import positive

import triton
from triton.runtime import _allocation

BY_ADDRESS = (
    "with a bias, gradients of float16 or bfloat16 are not known to be right on a Hopper GPU; "
    "expected float32, or attnbook.attention, which takes another backend"
)
CACHE = 16 * 2**20  # bytes of keys and values whose programs run together: a third of an H100's L2


def forward(q, k, v, options, configuration=None):
    """out and lse of tensors (batch, heads, n, d)."""
    dtype, (q, k, v) = q.dtype, widened(q, k, v)
    out, lse = outputs(q)
    if not (out.numel() and k.shape[2]):
        return out.zero_().to(dtype), lse.fill_(-torch.inf)
    scale, sign = positive(options.scale)
    q, k, v = with_contiguous_features(q if sign == 1 else q * sign, k, v)
    arguments = _inputs(q, k, v, options) | sizes_of(q, k, options)
    arguments |= {"out": out, "lse": lse, "scale": scale, "softcap": options.softcap}
    for c in _passes(configuration or choices(q, k, v, options)[0], q, options):
        if c.specialize:
            _start_specialized(c, arguments, options.causal)
            continue
        start(
            flash_forward, blocks_of(q, c.rows), c, **arguments, **mask_arguments(k, c, options),
            **_tile(q, c),
        )  # fmt: skip
    return out.to(dtype), lse


def _start_specialized(c, given, causal):
    """Start the forward kernel of a Hopper GPU, which reads and writes tiles by descriptors."""
    from attnbook.kernels import warps  # in Gluon, of which Triton keeps the parts for each GPU

    read = {name: warps.tiles_of(given[name], c.keys) for name in ("k", "v")}
    read |= {name: warps.tiles_of(given[name], c.rows // 2) for name in ("q", "out")}
    start(
        warps.hopper_forward, blocks_of(given["q"], c.rows), c, lse=given["lse"], **read,
        n_all_heads=given["n_batch"] * given["n_heads"], group=given["group"],
        together=given["heads_per_wave"], n=given["n_q"], scale=given["scale"],
        CAUSAL=causal, ROWS=c.rows, KEYS=c.keys, STAGES=c.stages,
    )  # fmt: skip


def choices(q, k, v, options):
    """The configurations that the forward kernel may be compiled with, the one in use first."""
    variant = _variant(options) | {"whole": _is_whole(q, k, v, options)}
    aligned = _describable(q, k, v)
    return choices_for(capability(q), "forward", q.shape[3], q.dtype, aligned=aligned, **variant)


def _is_whole(q, k, v, options):
    """Whether blocks have no edges: of any length, of a mask but the causal one, or in memory."""
    blocks = q.shape[2] == k.shape[2] and q.shape[2] % SPECIALIZED.rows == 0
    given = options.window, options.valid_lens, options.intervals, options.softcap, options.bias
    behind = all(x.is_contiguous() for x in (q, k, v))
    return blocks and behind and all(x is None for x in given)


def _backward_configurations(q, k, v, grad_out, options, atomic):
    """What the two kernels of the backward pass are compiled with."""
    variant = _variant(options) | {"atomic": atomic, "grouped": q.shape[1] > k.shape[1]}
    aligned = _describable(q, k, v, grad_out)
    return [
        choices_for(capability(q), kernel, q.shape[3], q.dtype, aligned=aligned, **variant)[0]
        for kernel in ("keys", "queries")
    ]


def _variant(options):
    return {name: getattr(options, name) is not None for name in ("bias", "intervals", "softcap")}


def backward(
    grad_out, q, k, v, out, lse, options, grad_lse=None, atomic=False, configurations=None
):
    """grad_q, grad_k and grad_v; if atomic, by the one kernel that adds in memory."""
    if options.bias is not None and q.dtype != torch.float32 and capability(q)[0] == HOPPER:
        raise NotImplementedError(BY_ADDRESS)
    dtype, (grad_out, q, k, v, out) = q.dtype, widened(grad_out, q, k, v, out)
    grads = empty(q), empty(k), empty(v)
    if not (out.numel() and k.shape[2]):
        return tuple(x.zero_().to(dtype) for x in grads)
    scale, sign = positive(options.scale)
    grad_out, q, k, v = _for_the_way_back(grad_out, q if sign == 1 else q * sign, k, v)
    by_keys, by_rows = configurations or _backward_configurations(
        q, k, v, grad_out, options, atomic
    )
    arguments = _inputs(q, k, v, options) | sizes_of(q, k, options)
    arguments |= {"grad_out": grad_out, "grad_strides": grad_out.stride()[:3]}
    arguments |= _shift_and_delta(grad_out, out, lse, grad_lse)
    arguments |= {"scale": scale, "softcap": options.softcap}
    total = torch.zeros_like(grads[0], dtype=torch.float32) if atomic else None
    for c in _passes(by_keys, q, options):
        start(
            flash_backward_keys, blocks_of(k, c.keys), c, **arguments,
            **mask_arguments(k, c, options), grad_q=None if c.nan_safe else total,
            grad_k=grads[1], grad_v=grads[2], **_tile(q, c), REDUCE=_reduces(c),
        )  # fmt: skip
    if atomic:
        torch.mul(total, scale, out=grads[0])
    for c in _passes(by_rows, q, options)[atomic:]:
        start(
            flash_backward_queries, blocks_of(q, c.rows), c, **arguments,
            **mask_arguments(k, c, options), grad_q=grads[0], **_tile(q, c),
            COLUMNS=q.shape[3] if atomic else 1,
        )  # fmt: skip
    grads = grads if sign == 1 else (grads[0] * sign, *grads[1:])
    return tuple(x.to(dtype) for x in grads)


def takes_atomic(q):
    """Whether autograd takes the kernel that adds in memory: where no bits need be the same twice.

    On an H200 it was the faster way at width 64, and not at 128.
    """
    deterministic = torch.are_deterministic_algorithms_enabled() or q.dtype == torch.float32
    return capability(q)[0] == HOPPER and q.shape[3] <= 64 and not deterministic


def _for_the_way_back(*tensors):
    """The same tensors; on a Hopper GPU copies of those whose rows do not lie one behind the other.

    There gradients of such tensors were wrong, in Triton 3.6. The test had two of them, with and
    without rows that a descriptor describes, and did not tell which.
    """
    tensors = with_contiguous_features(*tensors)
    if capability(tensors[0])[0] != HOPPER:
        return tensors
    rows = torch.contiguous_format
    behind = [x.is_contiguous() and _describable(x) for x in tensors]
    pairs = zip(tensors, behind, strict=True)
    return [x if right else x.clone(memory_format=rows) for x, right in pairs]


def _shift_and_delta(grad_out, out, lse, grad_lse):
    """Of each query, what the kernels of the backward pass subtract."""
    batch, n_heads, n_q, width = out.shape
    padded_len = triton.cdiv(n_q, PAD_TO.value) * PAD_TO.value
    shift, delta = (lse.new_empty(batch, n_heads, padded_len) for _ in range(2))
    start(
        row_deltas, shift.numel() // DELTA.rows, DELTA, grad_out=grad_out, out=out.contiguous(),
        lse=lse.contiguous(), grad_lse=None if grad_lse is None else grad_lse.contiguous(),
        shift=shift, delta=delta, grad_strides=grad_out.stride()[:3], n_heads=n_heads, n_q=n_q,
        D=width, ROWS=DELTA.rows,
    )  # fmt: skip
    return {"shift": shift, "delta": delta}


def decode(q, k, v, options, splits=None, tile=TILE):
    """out and lse of few queries over many keys, of tensors (batch, heads, n, d)."""
    dtype, (q, k, v) = q.dtype, widened(q, k, v)
    out, lse = outputs(q)
    if not out.numel():
        return out.to(dtype), lse
    width, size = q.shape[-1], q.element_size()
    c = split_configuration(width, size, tile)
    splits = splits or splits_for(q.shape, k.shape, size, num_sms(q.device), tile)
    parts, part_lse = _parts(q, k, v, options, splits, c)
    merged = min(width, MERGED_WIDTH)
    start(
        merge_kernel, lse.numel() * (width // merged), MERGE,
        parts=parts, part_lse=part_lse, out=out, lse=lse, splits=splits, n_rows=parts.shape[2],
        D=width, MERGED=merged, SPLITS=triton.next_power_of_2(splits),
    )  # fmt: skip
    return out.to(dtype), lse


def _parts(q, k, v, options, splits, c):
    """Output and L of each split, (batch · kv_heads, splits, rows, d); rows: see `split_kernel`."""
    scale, sign = positive(options.scale)
    q, k, v = with_contiguous_features(q if sign == 1 else q * sign, k, v)
    (batch, n_heads, n_q, width), (kv_heads, n_k) = q.shape, k.shape[1:3]
    n_rows = n_heads // kv_heads * n_q
    out = q.new_empty(batch * kv_heads, splits, n_rows, width, dtype=torch.float32)
    lse = out.new_empty(out.shape[:-1])
    c = c._replace(rows=rows_for(n_rows, q.element_size()))
    start(
        split_kernel, batch * kv_heads * splits * triton.cdiv(n_rows, c.rows), c,
        q=q, k=k, v=v, valid_lens=options.valid_lens, out=out, lse=lse,
        q_strides=q.stride()[:3], k_strides=k.stride()[:3], v_strides=v.stride()[:3],
        batches=batch, kv_heads=kv_heads, splits=splits, n_q=n_q, n_k=n_k, n_rows=n_rows,
        scale=scale, softcap=options.softcap,
        D=width, ROWS=c.rows, KEYS=c.keys, STAGES=c.stages, PRECISION=precision(q.dtype),
    )  # fmt: skip
    return out, lse


def start(kernel, programs, configuration, **arguments):
    """Start a kernel on the device of its first argument, which is a tensor."""
    device = next(iter(arguments.values())).device
    if is_interpreting():
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # infinity and NaN are answers, too
            with language_set_once():
                kernel[(programs,)](**arguments)
        return
    if device.type == "cpu":
        raise ValueError("q is on cpu; expected a GPU, for which kernels are compiled here")
    with torch.cuda.device(device), _memory_for_descriptors(device):
        kernel[(programs,)](**arguments, **configuration.options())


@contextlib.contextmanager
def _memory_for_descriptors(device):
    """Those made in a kernel are kept in memory; whoever else gave Triton some gives it again."""
    before = _allocation._allocator.get()  # Triton 3.6 to 3.9 has no other way to ask
    triton.set_allocator(lambda size, *_: torch.empty(size, device=device, dtype=torch.int8))
    try:
        yield
    finally:
        triton.set_allocator(before)


def blocks_of(x, size):
    """How many blocks of so many rows all heads have."""
    batch, n_heads, n, _ = x.shape
    return batch * n_heads * triton.cdiv(n, size)


def _inputs(q, k, v, options):
    """What each kernel reads, and the strides of its batches, heads and rows."""
    bias = options.bias
    return {
        "q": q, "k": k, "v": v, "bias": bias, "valid_lens": options.valid_lens,
        "q_strides": q.stride()[:3], "k_strides": k.stride()[:3], "v_strides": v.stride()[:3],
        "bias_strides": None if bias is None else bias.stride(),
    }  # fmt: skip


def sizes_of(q, k, options):
    """How many there are, how many heads share keys, and how many heads are taken at a time."""
    (batch, n_heads, n_q, width), n_k = q.shape, k.shape[2]
    group = n_heads // k.shape[1]
    fit = CACHE // (2 * n_k * width * k.element_size()) if options.causal else 1
    wave = min(max(fit, 1) * group, batch * n_heads)  # so that all programs are 2^31 at most
    return {
        "n_batch": batch, "n_heads": n_heads, "group": group, "heads_per_wave": wave,
        "n_q": n_q, "n_k": n_k,
    }  # fmt: skip


def _passes(c, q, options):
    """A configuration; and where a block may hide a key from some queries, the NaN-safe pass's.

    Past a length all queries see zeros: what is there has no influence anyway.
    """
    once = kind(options) is NONE
    return [c] if once else [c, nan_safe(capability(q), q.dtype)]


def _tile(q, c):
    """The tiles that a kernel is compiled for, and how it reads and multiplies them."""
    return {
        "D": q.shape[3], "ROWS": c.rows, "KEYS": c.keys, "TMA": c.tma, "STAGES": c.stages,
        "NAN_SAFE": c.nan_safe, "PRECISION": precision(q.dtype),
    }  # fmt: skip


def precision(dtype):
    """How products are computed: a GPU would otherwise keep 10 bits of each factor of float32."""
    return "ieee" if dtype == torch.float32 else "tf32"


def widened(*tensors):
    """The same tensors, of float32 where Triton 3.7 interprets products of bfloat16 wrongly."""
    wide = is_interpreting() and tensors[0].dtype == torch.bfloat16
    return [x.float() for x in tensors] if wide else list(tensors)


def _reduces(c):
    """Whether tensor descriptors add in memory: the interpreter of Triton 3.7 does not know how."""
    return c.tma and not is_interpreting()


def empty(x):
    """Memory for the numbers of a tensor like this one, without gaps."""
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def outputs(q):
    """Memory for out and lse."""
    return empty(q), q.new_empty(q.shape[:3], dtype=torch.float32)


def with_contiguous_features(*tensors):
    """The same tensors, of which rows, heads and batches may have any strides."""
    return [x if x.stride(-1) == 1 else x.contiguous() for x in tensors]


def _describable(*tensors):
    """Whether tensor descriptors can describe them: each row begins at a multiple of 16 bytes."""
    return all(
        x.data_ptr() % 16 == 0
        and all(s > 0 and s * x.element_size() % 16 == 0 for s in x.stride()[:3])
        for x in tensors
    )
