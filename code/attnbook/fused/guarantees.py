"""What holds of attention here, whichever backend computes it.

PyTorch's fused backends multiply the values of hidden keys by a weight of 0, and 0 · NaN is NaN;
one turns a NaN among the queries into zeros. Only our own kernels look twice. So no backend here
meets a number that is not finite: 0 stands in its place, and the rows that see it are NaN
afterwards. Rows that see nothing are zeros.
"""

import functools

import torch

from attnbook.pytorch.operation import has_values, is_autocast
from attnbook.pytorch.products import finite


def in_one_dtype(*tensors):
    """The tensors in the dtype of the result: the widest of theirs, or that of autocast.

    Under `torch.autocast` this is as in PyTorch's own function: its dtype, unless one is float64.
    """
    device = tensors[0].device.type
    if is_autocast(device):
        lower = torch.get_autocast_dtype(device)
        tensors = [x if x.dtype == torch.float64 else x.to(lower) for x in tensors]
    dtype = functools.reduce(torch.promote_types, (x.dtype for x in tensors))
    return [x.to(dtype) for x in tensors]


def guarded(attend, q, k, v, visible):
    """What `attend(q, k, v)` gives, with zeros in empty rows and NaN in rows that see one.

    On a CPU we look whether all numbers are finite, and leave them as they are if so. A
    backend for another device would wait for the answer, and so cleans them in any case. Rows that
    are NaN pass no gradient on: a loss that leaves them out has finite gradients.
    """
    with torch.autocast(q.device.type, enabled=False):
        if _are_finite(q, k, v):
            out = attend(q, k, v)
            return out if visible.all_see else torch.where(visible.empty(), 0, out)
        out = attend(finite(q), finite(k), finite(v))
        sees_nonfinite = visible.sees(_not_finite(k) | _not_finite(v)) | _not_finite(q)[..., None]
        out = out if visible.all_see else torch.where(visible.empty(), 0, out)
        return torch.where(sees_nonfinite & ~visible.empty(), torch.nan, out)


def _not_finite(x):
    return ~torch.isfinite(x).all(dim=-1)


def _are_finite(*tensors):
    if torch.compiler.is_compiling() or not all(map(has_values, tensors)):
        return False
    return all(torch.isfinite(x.detach().sum(dtype=torch.float32)) for x in tensors)
