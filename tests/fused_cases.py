"""Questions for `attnbook.fused.attention`, and their answers, from `attnbook.reference`."""

import functools
import operator
from typing import NamedTuple

import numpy as np
import torch
from hypothesis import strategies as st

from attnbook import masks, positions, reference
from attnbook.fused import dispatch
from attnbook.pytorch import rules
from attnbook.pytorch.options import Options

EPS = {torch.float64: 2.0**-52, torch.float32: 2.0**-23, torch.float16: 2.0**-10}
EPS[torch.bfloat16] = 2.0**-7


class Case(NamedTuple):
    """Arguments in float64, and what is to be done with them; a rule is a list of names."""

    arrays: tuple
    options: dict
    dtype: torch.dtype = torch.float64
    layout: str = "side by side"

    def tensors(self):
        tensors = [torch.from_numpy(x).to(self.dtype) for x in self.arrays]
        if self.layout == "transposed":
            return [x.mT.contiguous().mT for x in tensors]
        if self.layout == "strided":
            return [torch.stack([x, x], dim=-3).flatten(-4, -3)[..., ::2, :, :] for x in tensors]
        return tensors

    def named(self):
        """The options with tensors for arrays; the bias in the dtype of the rest."""
        named = dict(self.options)
        for name in {"valid_lens", "bias", "mask"} & set(named):
            named[name] = torch.from_numpy(named[name])
        return named | ({"rule": rule(named["rule"])} if "rule" in named else {})

    def answer(self):
        """float64, from what is left of the numbers in the dtype."""
        return expected(*(x.double().numpy() for x in self.tensors()), **self.options)


def options_of(q, k, **named):
    """What is asked, as `attention` reads it."""
    return dispatch._settled(q, k, k, Options(**named))[-1]


def rule(named):
    """The rules of these names, composed: [("prefix", 2), ("documents", …, …)]."""
    tensors = lambda x: torch.from_numpy(x) if isinstance(x, np.ndarray) else x  # noqa: E731
    made = [getattr(rules, name)(*map(tensors, given)) for name, *given in named]
    return functools.reduce(operator.and_, made)


def mask_of(named, n_q, n_k):
    """The same by the chapter on masks: (n_q, n_k), or (batch, n_q, n_k)."""
    mask = np.ones((n_q, n_k), dtype=bool)
    for name, *given in named:
        if name == "documents":
            mask = mask & masks.document_mask(*given)
        elif name == "packed":
            q_of, k_of = (np.repeat(np.arange(len(ends) - 1), np.diff(ends)) for ends in given)
            mask = mask & masks.document_mask(q_of, k_of)
        elif name == "padding":
            mask = mask & masks.padding_mask(*given, n_k)
        else:
            mask = mask & getattr(masks, f"{name}_mask")(n_q, n_k, *given)
    return mask


def expected(q, k, v, causal=False, window=None, valid_lens=None, softcap=None, bias=None,
             alibi=False, scale=None, rule=(), mask=True):  # fmt: skip
    """Attention in the reference's steps, with a mask from the chapter on masks."""
    n_heads, n_q, n_k = q.shape[-3], q.shape[-2], k.shape[-2]
    k, v = (reference.repeat_heads(x, n_heads // x.shape[-3]) for x in (k, v))
    mask = mask & np.ones((1,) * (q.ndim - 2) + (n_q, n_k), dtype=bool)
    by_rule = mask_of(rule, n_q, n_k)
    mask = mask & by_rule.reshape(*by_rule.shape[:-2], *[1] * (q.ndim - 3), n_q, n_k)
    if causal:
        mask = mask & masks.causal_mask(n_q, n_k)
    if window is not None:
        mask = mask & masks.sliding_window_mask(n_q, n_k, window)
    if valid_lens is not None:
        padding = masks.padding_mask(valid_lens, n_k)
        mask = mask & padding.reshape(len(padding), *[1] * (q.ndim - 3), *padding.shape[1:])
    scores = reference.dot_product_scores(q, np.nan_to_num(k), scale)
    scores = scores if softcap is None else softcap * np.tanh(scores / softcap)
    scores = scores if bias is None else scores + bias
    scores = scores + positions.alibi_bias(n_heads, n_q, n_k) if alibi else scores
    mask = np.broadcast_to(mask, scores.shape)
    out = reference.weighted_sum(reference.softmax(scores, mask), np.nan_to_num(v), mask)
    spoilt = ~np.isfinite(k).all(-1) | ~np.isfinite(v).all(-1)
    return np.where((mask & spoilt[..., None, :]).any(-1, keepdims=True), np.nan, out)


def assert_answers(attend, case):
    """The answer within the rounding of a few sums of numbers below 8.

    64 eps in float64 and float32. In half types the weights are rounded to them before the last
    product, in PyTorch's programs, and so is a mask of floats on a GPU: 16 eps.
    """
    with np.errstate(invalid="ignore"):
        right = case.answer()
    out = attend(*case.tensors(), **case.named())
    assert out.dtype == case.dtype and out.shape == right.shape
    eps = EPS[case.dtype] * (64 if case.dtype.itemsize > 2 else 16)
    np.testing.assert_allclose(out.detach().double().numpy(), right, rtol=eps, atol=eps)


@st.composite
def cases(draw, dtypes=tuple(EPS), layouts=("side by side", "transposed", "strided")):
    """Any combination of options, few queries and keys, some numbers that are not finite."""
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    batch = draw(st.sampled_from([(), (2,), (2, 1), (1, 3)]))
    n_kv = draw(st.integers(1, 2))
    n_heads = n_kv * draw(st.integers(1, 3))
    n_q, n_k = draw(st.integers(1, 5)), draw(st.integers(1, 6))
    d_k, d_v = draw(st.sampled_from([(4, 4), (1, 3), (8, 2)]))
    shapes = (n_heads, n_q, d_k), (n_kv, n_k, d_k), (n_kv, n_k, d_v)
    arrays = tuple(rng.standard_normal((*batch, *shape)) for shape in shapes)
    options = {"causal": draw(st.booleans()), "alibi": draw(st.booleans())}
    options["window"] = draw(st.none() | st.integers(0, 4)) if options["causal"] else None
    options["softcap"] = draw(st.none() | st.sampled_from([0.5, 2.0]))
    options["scale"] = draw(st.none() | st.sampled_from([0.7, 0.0, -0.3]))
    if len(batch) and draw(st.booleans()):
        lens = st.lists(st.integers(0, n_k), min_size=batch[0], max_size=batch[0])
        options["valid_lens"] = np.array(draw(lens))
    if shape := draw(st.sampled_from([None, (n_q, n_k), (n_heads, 1, n_k)])):
        shape = shape if len(shape) == 2 else (*[1] * len(batch), *shape)
        options["bias"] = rng.standard_normal(shape)
    if named := draw(rules_for(batch, n_q, n_k)):
        options["rule"] = named
    if shape := draw(st.sampled_from([None, None, (n_q, n_k), (n_heads, n_q, n_k)])):
        shape = shape if len(shape) == 2 else (*batch, *shape)
        options["mask"] = rng.random(shape) < 0.7
    if draw(st.booleans()):
        arrays[draw(st.integers(1, 2))][..., draw(st.integers(0, n_k - 1)), 0] = np.nan
    return Case(arrays, options, draw(st.sampled_from(dtypes)), draw(st.sampled_from(layouts)))


@st.composite
def rules_for(draw, batch, n_q, n_k):
    """Some rules by their names, half of the documents with keys that lie side by side."""
    few, named = st.integers(0, 3), []
    if draw(st.booleans()):
        named.append(("causal",))
    if draw(st.booleans()):
        named.append(("sliding_window", draw(few), draw(few)))
    if draw(st.booleans()):
        named.append(("prefix", draw(st.integers(0, n_k))))
    if draw(st.booleans()):
        lead = draw(st.sampled_from([(), batch[:1]]))
        rng = np.random.default_rng(draw(st.integers(0, 2**16)))
        q_documents, k_documents = (rng.integers(0, 3, (*lead, n)) for n in (n_q, n_k))
        if draw(st.booleans()):
            k_documents = np.sort(k_documents)
        named.append(("documents", q_documents, k_documents))
    if draw(st.booleans()):
        cuts = [draw(st.tuples(st.integers(0, n), st.integers(0, n))) for n in (n_q, n_k)]
        q_ends, k_ends = ([0, *sorted(cut), n] for cut, n in zip(cuts, (n_q, n_k), strict=True))
        named.append(("packed", np.array(q_ends), np.array(k_ends)))
    if batch and draw(st.booleans()):
        lens = st.lists(st.integers(0, n_k), min_size=n_q, max_size=n_q)
        named.append(("padding", np.array([draw(lens) for _ in range(batch[0])])))
    return named
