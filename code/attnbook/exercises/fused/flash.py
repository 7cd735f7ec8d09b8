"""Tensors that FLASH takes, with the output of those that it refuses."""

import functools

import numpy as np
import torch
import torch.nn.functional as F

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.settings import plain_settings
from attnbook.exercises.engine.surroundings import Unfit
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import fused as solutions
from attnbook.fused import backends

_rng = np.random.default_rng(12)


def through_flash(function):
    """The output of SDPA on what the function returns, if FLASH takes it."""

    @functools.wraps(function)
    def call(q, k, v, transposed=False):
        tensors = [torch.from_numpy(x) for x in (q, k, v)]
        given = [x.mT.contiguous().mT if transposed else x for x in tensors]
        with plain_settings():
            return _attend(function(*given), v.shape[-1], q)

    return call


def _attend(out, d_v, q):
    if not isinstance(out, (tuple, list)) or len(out) != 4:
        raise Unfit("expected four results: queries, keys, values and the scale")
    *tensors, scale = out
    if not all(isinstance(x, torch.Tensor) for x in tensors):
        raise Unfit("expected three tensors and the scale, in this order")
    scale = _number(scale)
    if any(x.ndim != 4 for x in tensors):
        raise Unfit(f"MATH runs: FLASH wants four axes, and has {[x.ndim for x in tensors]}")
    if len({x.shape[-1] for x in tensors}) > 1:
        widths = [x.shape[-1] for x in tensors]
        raise Unfit(f"MATH runs: FLASH wants one width, and has {widths}")
    for goes in (str(x.dtype).removeprefix("torch.") for x in tensors):
        if goes != q.dtype.name:
            raise Unfit(f"{q.dtype.name} came in, and {goes} goes out: keep the dtype")
    if any(x.shape[0] != 1 for x in tensors):
        raise Unfit("the first axis is the batch, of 1: the heads come second")
    _accepted(tensors, scale)
    result = F.scaled_dot_product_attention(*tensors, scale=scale)
    if result.shape[:-1] != (1, *q.shape[:-1]) or result.shape[-1] < d_v:
        wanted = f"(1, {', '.join(map(str, q.shape[:-1]))}, {d_v} or more)"
        raise Unfit(f"the output has the shape {tuple(result.shape)}; expected {wanted}")
    return result[0, ..., :d_v].detach().numpy()


def _number(scale):
    if isinstance(scale, np.generic) or (isinstance(scale, torch.Tensor) and not scale.ndim):
        scale = scale.item()
    if isinstance(scale, bool) or not isinstance(scale, (int, float)):
        raise Unfit(f"the scale is of type {type(scale).__name__}; expected a number")
    return scale


def _accepted(tensors, scale):
    """Raise Unfit where FLASH does not run."""
    keys, values = (tuple(x.shape) for x in tensors[1:])
    if keys[:-1] != values[:-1]:
        raise Unfit(f"keys have the shape {keys}, values {values}: each key has its value")
    row = next(row for row in backends(*tensors, scale=scale) if row.name == "FLASH")
    if row.answer == "runs":
        return
    if "stride" in row.why:
        apart = [x.stride(-1) for x in tensors]
        side = f"the numbers of a row side by side, and in memory they lie {apart} apart"
        raise Unfit(f"MATH runs: FLASH wants {side}")
    raise Unfit(f"MATH runs: {row.why or 'FLASH could; is it switched off?'}")


def _padded(q, k, v, by=lambda x, n: F.pad(x, (0, n))):
    width = max(q.shape[-1], v.shape[-1])
    return [by(x, width - x.shape[-1])[None].contiguous() for x in (q, k, v)]


def default_scale(q, k, v):
    q, k, v = _padded(q, k, v)
    return q, k, v, q.shape[-1] ** -0.5


def scale_of_values(q, k, v):
    return *_padded(q, k, v), v.shape[-1] ** -0.5


def no_root(q, k, v):
    return *_padded(q, k, v), 1 / q.shape[-1]


def multiplied(q, k, v):
    return *_padded(q, k, v), q.shape[-1] ** 0.5


def scale_one(q, k, v):
    return *_padded(q, k, v), 1.0


def in_front(q, k, v):
    return *_padded(q, k, v, lambda x, n: F.pad(x, (n, 0))), q.shape[-1] ** -0.5


def repeated(q, k, v):
    def widened(x, n):
        return torch.cat([x, x[..., :1].expand(*x.shape[:-1], n)], dim=-1)

    return *_padded(q, k, v, widened), q.shape[-1] ** -0.5


def cut(q, k, v):
    width = min(q.shape[-1], v.shape[-1])
    return *(x[..., :width][None].contiguous() for x in (q, k, v)), q.shape[-1] ** -0.5


def as_wide_as_values(q, k, v):
    width = v.shape[-1]
    wide = (F.pad(x, (0, width - x.shape[-1]))[None].contiguous() for x in (q, k, v))
    return *wide, q.shape[-1] ** -0.5


def scale_of_positions(q, k, v):
    return *_padded(q, k, v), q.shape[1] ** -0.5


def short_scale(q, k, v):
    return *_padded(q, k, v), float(np.float32(q.shape[-1] ** -0.5))


def more_keys(q, k, v):
    q, k, v, scale = solutions.for_flash(q, k, v)
    return q, F.pad(k, (0, 0, 0, 1)), F.pad(v, (0, 0, 0, 1)), scale


def keys_for_values(q, k, v):
    q, k, v, scale = solutions.for_flash(q, k, v)
    return q, v, k, scale


def not_widened(q, k, v):
    return q[None].contiguous(), k[None].contiguous(), v[None].contiguous(), q.shape[-1] ** -0.5


def three_axes(q, k, v):
    return *(x[0] for x in _padded(q, k, v)), q.shape[-1] ** -0.5


def heads_for_batch(q, k, v):
    return *(x.transpose(0, 1) for x in _padded(q, k, v)), q.shape[-1] ** -0.5


def in_float16(q, k, v):
    return *(x.half() for x in _padded(q, k, v)), q.shape[-1] ** -0.5


def _given(heads, n_q, n_k, d_k, d_v, transposed=False, dtype=np.float64):
    shapes = (heads, n_q, d_k), (heads, n_k, d_k), (heads, n_k, d_v)
    q, k, v = (_rng.standard_normal(shape).astype(dtype) for shape in shapes)
    return {"q": q, "k": k, "v": v, "transposed": transposed}


for_flash = Write(
    name="fused.for_flash",
    title="Make FLASH take it",
    level="hard",
    minutes=12,
    solution_of=solutions.for_flash,
    through=through_flash,
    hints=(
        "FLASH wants four axes, one width for all three, and the numbers of a row side by side.",
        "Which numbers in new columns of q and k leave every score as it is?",
        "SDPA takes 1/√d from the queries that it gets. What is d after you have widened them?",
    ),
    explanation=(
        "Zeros in new columns change no score, and zeros in a value only make columns that are cut "
        "off again. The scale must stay that of the width before. `contiguous` puts the numbers "
        "side by side."
    ),
    misconceptions=(
        Misconception(
            default_scale,
            "the scale is that of the widened queries: it must stay 1/√d of the width before.",
        ),
        Misconception(
            scale_of_values, "the scale is made of the width of the values, not of keys."
        ),
        Misconception(
            no_root,
            "the scores are divided by d: once by √d is enough.",
        ),
        Misconception(multiplied, "the scores are multiplied by √d: divide by it."),
        Misconception(scale_one, "the scale is 1: the scores are not divided by √d."),
        Misconception(
            in_front, "the values are padded in front: the first columns of the output are zeros."
        ),
        Misconception(repeated, "what fills new columns of q and k changes the scores: use zeros."),
        Misconception(cut, "columns are cut off: widen the narrow ones instead."),
        Misconception(
            not_widened,
            "MATH runs: FLASH wants one width, and has [3, 3, 1]",
        ),
        Misconception(three_axes, "MATH runs: FLASH wants four axes, and has [3, 3, 3]"),
        Misconception(in_float16, "float64 came in, and float16 goes out: keep the dtype"),
        Misconception(heads_for_batch, "the first axis is the batch, of 1: the heads come second"),
        Misconception(
            as_wide_as_values,
            "to the width of the values: wider queries and keys lose columns. Take the larger.",
        ),
        Misconception(
            scale_of_positions, "the scale is made of the number of queries, not of their width."
        ),
        Misconception(
            short_scale, "the scale is of float32, right to seven digits: a float has sixteen."
        ),
        Misconception(
            more_keys, "a row of zeros is one key more, and takes weight: add columns alone."
        ),
        Misconception(keys_for_values, "keys and values stand in each other's place."),
    ),
    notice="`fused.scaled_dot_product_attention` does the same for you, whatever comes in.",
    cases=(
        case(**_given(1, 1, 2, 3, 1)),
        case(**_given(1, 2, 3, 2, 5)),
        case(**_given(2, 3, 4, 4, 4)),
        case(**_given(2, 3, 5, 8, 3)),
        case(**_given(3, 4, 2, 3, 6)),
        case(**_given(2, 3, 4, 4, 2, transposed=True)),
        case(**_given(2, 5, 4, 2, 7, transposed=True)),
        stress(**_given(1, 300, 300, 16, 2)),
        stress(**_given(1, 2, 3, 100, 70)),
        stress(**_given(2, 3, 4, 5, 3, dtype=np.float32)),
    ),
)
