"""The masks of `attnbook.masks` as rules, for programs that skip the keys that a query cannot see.

Under every rule but one, and under any of them together, the keys of a query are contiguous:

    M_ij = (start_i ≤ j < stop_i)

Two numbers for each query, a `KeyRange`, then say what a mask says with n_k, and where nothing is
visible is known without a look at n_q · n_k entries. The one is `documents` whose keys are not
contiguous.

A rule is made without sizes, and rules compose with ``&``, as masks do: a key is visible where each
allows it. As in `attnbook.masks`, query i stands at key i + n_k - n_q.
"""

import contextlib
import operator
from numbers import Integral
from typing import NamedTuple

import torch
from jaxtyping import Integer
from torch import Tensor

from attnbook.checks import at_least, at_most
from attnbook.pytorch.operation import check_shapes

__all__ = [
    "KeyRange",
    "Rule",
    "causal",
    "documents",
    "packed",
    "padding",
    "prefix",
    "sliding_window",
]


class KeyRange(NamedTuple):
    """Query i sees the keys start_i ≤ j < stop_i: none where stop is not after start."""

    start: Tensor
    stop: Tensor

    def mask(self, n_k):
        """The same as a mask: (…, n_q, n_k) for a start and a stop of (…, n_q)."""
        keys = torch.arange(n_k, device=self.start.device)
        return (self.start[..., None] <= keys) & (keys < self.stop[..., None])


class Documents(NamedTuple):
    """The documents of queries and keys, and the keys of each query's, if contiguous."""

    q: Tensor
    k: Tensor
    keys: KeyRange | None


class Rule(NamedTuple):
    """Which keys a query sees: all, but for what a field hides. `&` shows what both show.

    Made by the functions of this module.
    """

    left: int | None = None
    right: int | None = None
    prefix_len: int | None = None
    valid_lens: Tensor | None = None
    documents: tuple = ()

    def __and__(self, other):
        merge = {
            "left": _fewest,
            "right": _fewest,
            "prefix_len": _fewest,
            "valid_lens": _shortest,
            "documents": operator.add,
        }
        pairs = zip(self._fields, self, other, strict=True)
        both = Rule(**{name: merge[name](*pair) for name, *pair in pairs})
        return both._replace(prefix_len=None) if both.right == 0 else both  # causal hides more

    @property
    def hides(self):
        """Whether it may hide anything."""
        return any(len(x) > 0 if isinstance(x, tuple) else x is not None for x in self)

    @property
    def is_causal(self):
        """Whether it is the causal mask and no more."""
        return self.right == 0 and not self._replace(right=None).hides

    @property
    def is_contiguous(self):
        """Whether the keys that each query sees are known to be contiguous."""
        return all(each.keys is not None for each in self.documents)

    @property
    def is_alike(self):
        """Whether it shows all queries of a sequence the same keys."""
        lens = self.valid_lens
        return not self._replace(valid_lens=None).hides and (lens is None or lens.ndim == 1)

    @property
    def batch(self):
        """How many batches it tells apart, None if it is the same for all."""
        lens = () if self.valid_lens is None else (self.valid_lens,)
        of_each = (each.q for each in self.documents if each.q.ndim == 2)
        return next((len(x) for x in (*lens, *of_each)), None)

    def key_range(self, n_q, n_k, device=None):
        """The keys that each query sees, from 0 to n_k: a `KeyRange` of (n_q,) or (batch, n_q).

        Documents whose keys are not contiguous are left out.
        """
        at_least(0, n_q=n_q, n_k=n_k)
        own = torch.arange(n_q, device=device) + n_k - n_q
        start, stop = torch.zeros_like(own), torch.full_like(own, n_k)
        if self.left is not None:
            start = own - min(self.left, n_k)  # no key lies farther
        if self.right is not None:
            stop = own + min(self.right, n_q) + 1
        if self.prefix_len is not None:
            stop = torch.minimum(stop, torch.clamp(own + 1, min=self.prefix_len))
        if self.valid_lens is not None:
            lens = self.valid_lens.to(device=own.device, dtype=torch.int64)
            stop = torch.minimum(stop, lens.reshape(len(lens), -1))
        for each in self.documents:
            if each.keys is not None:
                start = torch.maximum(start, each.keys.start.to(own.device))
                stop = torch.minimum(stop, each.keys.stop.to(own.device))
        return KeyRange(torch.clamp(start, 0, n_k), torch.clamp(stop, 0, n_k))

    def sees(self, n_q, n_k, device=None):
        """M_ij as a function of the indices of batch, query and key, of tensors that broadcast."""
        start, stop = self.key_range(n_q, n_k, device)
        apart = [each for each in self.documents if each.keys is None]
        apart = [(each.q.to(start.device), each.k.to(start.device)) for each in apart]

        def sees(b, i, j):
            visible = (_at(start, b, i) <= j) & (j < _at(stop, b, i))
            for q, k in apart:
                visible = visible & (_at(q, b, i) == _at(k, b, j))
            return visible

        return sees

    def mask(self, n_q, n_k, device=None):
        """The same as a mask, (n_q, n_k) or (batch, n_q, n_k)."""
        sees = self.sees(n_q, n_k, device)
        batch = torch.arange(self.batch or 0, device=device)[:, None, None]
        rows, keys = torch.arange(n_q, device=device)[:, None], torch.arange(n_k, device=device)
        return sees(batch, rows, keys)


@check_shapes
def causal() -> Rule:
    """The rule of `causal_mask`: j ≤ i + n_k - n_q."""
    return Rule(right=0)


@check_shapes
def sliding_window(left: Integral, right: Integral = 0) -> Rule:
    """The rule of `sliding_window_mask`: -left ≤ j - (i + n_k - n_q) ≤ right.

    Returns a rule. Raises ValueError if a number is negative.

    Source: Beltagy et al. (2020), section 3.1.
    """
    at_least(0, left=left, right=right)
    return Rule(left=int(left), right=int(right))


@check_shapes
def prefix(prefix_len: Integral) -> Rule:
    """The rule of `prefix_mask`: j < prefix_len or j ≤ i + n_k - n_q.

    Returns a rule. Raises ValueError if the number is negative.

    Source: Raffel et al. (2020), figure 3, "causal with prefix".
    """
    at_least(0, prefix_len=prefix_len)
    return Rule(prefix_len=int(prefix_len)) if prefix_len else causal()


@check_shapes
def padding(valid_lens: Integer[Tensor, "batch"] | Integer[Tensor, "batch n_q"]) -> Rule:
    """The rule of `padding_mask`: j < valid_lens_b, or j < valid_lens_bi with a length per query.

    Returns a rule, for tensors of that many batches.
    """
    return Rule(valid_lens=valid_lens)


@check_shapes
def documents(
    q_documents: Integer[Tensor, "*batch n_q"], k_documents: Integer[Tensor, "*batch n_k"]
) -> Rule:
    """The rule of `document_mask`: document of i = document of j.

    The documents are (n_q,) and (n_k,), the same for each batch, or (batch, n_q) and (batch, n_k).
    Their numbers are looked at once, here: whether the keys of each document are contiguous
    decides which backends take the rule. Another device is awaited for that; a compiler is not,
    and then the rule counts as one of documents that lie apart.

    Returns a rule. Raises ValueError for documents with more axes.
    """
    if q_documents.ndim > 2:
        shape = tuple(q_documents.shape)
        raise ValueError(f"q_documents has shape {shape}; expected one or two axes")
    keys = None if torch.compiler.is_compiling() else _found(q_documents, k_documents)
    return Rule(documents=(Documents(q_documents, k_documents, keys),))


@check_shapes
def packed(
    cu_seqlens: Integer[Tensor, "ends"], k_cu_seqlens: Integer[Tensor, "ends"] | None = None
) -> Rule:
    """The rule of sequences that are packed one after another: each sees its own keys alone.

        document of i = s    where cu_seqlens[s] ≤ i < cu_seqlens[s + 1]

    `cu_seqlens` counts up the lengths from 0, as for kernels of variable length: 0, 3 and 8 are
    sequences of 3 and of 5. Keys have ends of their own where there are other numbers of them, as
    in cross-attention; with ``& causal()`` a sequence needs as many keys as queries.

    Returns a rule. Raises ValueError if a tensor does not begin with 0 or decreases.

    Source: Dao (2023), flash_attn_varlen_func.
    """
    k_cu_seqlens = cu_seqlens if k_cu_seqlens is None else k_cu_seqlens
    given = {"cu_seqlens": cu_seqlens, "k_cu_seqlens": k_cu_seqlens}
    return documents(*(_sequences(name, ends) for name, ends in given.items()))


def _sequences(name, ends):
    """The sequence of each position."""
    lengths = ends.diff()
    if not len(ends) or ends[0] != 0 or (lengths < 0).any():
        raise ValueError(f"{name} is {ends.tolist()}; expected 0 and then rising ends")
    return torch.repeat_interleave(torch.arange(len(lengths), device=ends.device), lengths)


def _found(q_documents, k_documents):
    """The keys of each query's document, as a `KeyRange`; None if others lie between.

    In the sorted documents the keys of one are neighbours, in their order: how many there are, and
    which is the first and which the last.
    """
    dtype = torch.promote_types(q_documents.dtype, k_documents.dtype)
    ordered, order = k_documents.to(dtype).contiguous().sort(dim=-1, stable=True)
    wanted = q_documents.to(dtype).contiguous()
    begin, stop = (torch.searchsorted(ordered, wanted, right=right) for right in (False, True))
    if not order.shape[-1]:
        return KeyRange(begin, stop)
    most = order.shape[-1] - 1
    first = order.gather(-1, begin.clamp(max=most))
    last = order.gather(-1, (stop - 1).clamp(min=0))
    contiguous = (last - first == stop - 1 - begin) | (begin == stop)
    try:
        together = bool(contiguous.all())
    except (RuntimeError, ValueError):  # without numbers: the meta device, vmap
        together = False
    # Nothing of a document that has no keys, even if positions beside it are looked at.
    return KeyRange(first, torch.where(begin == stop, first, last + 1)) if together else None


def of(causal=False, window=None, valid_lens=None, rule=None):
    """What options say, as one rule."""
    left = None if window is None else int(window)
    given = Rule(left=left, right=0 if causal else None, valid_lens=valid_lens)
    return given if rule is None else given & rule


def options_of(rule):
    """causal, window and valid_lens, if they say what the rule says; else None."""
    left, right, lens = rule.left, rule.right, rule.valid_lens
    unnamed = rule._replace(left=None, right=None, valid_lens=None).hides
    unnamed = unnamed or (lens is not None and lens.ndim == 2)
    if unnamed or (right != 0 and (left, right) != (None, None)):
        return None
    return {"causal": right == 0, "window": left, "valid_lens": lens}


def refuse_unless_for(rule, q, k):
    """Refuse a rule that is for other sizes than those of q and k, (..., heads, n, d)."""
    n_q, n_k = q.shape[-2], k.shape[-2]
    if rule.prefix_len is not None:
        at_most("n_k", n_k, prefix_len=rule.prefix_len)
    if rule.valid_lens is not None:
        _refuse_other_lengths(rule.valid_lens, q)
        refuse_lengths(rule.valid_lens, n_k)
    for each in rule.documents:
        sizes = tuple(each.q.shape), tuple(each.k.shape)
        alike = [((n_q,), (n_k,))]
        alike += [((len(q), n_q), (len(q), n_k))] if q.ndim > 3 else []
        if sizes not in alike:
            expected = " or ".join(f"{a} and {b}" for a, b in alike)
            raise ValueError(
                f"documents have the shapes {sizes[0]} and {sizes[1]}; expected {expected}"
            )


def _refuse_other_lengths(lens, q):
    """Refuse lengths that are not one for each batch of q, or one for each query in it."""
    fitting = (len(q), q.shape[-2])[: lens.ndim]
    if q.ndim < 4 or lens.shape != fitting:
        given, expected = (" × ".join(map(str, sizes)) for sizes in (lens.shape, fitting))
        whose = "the batches of q" if lens.ndim == 1 else "the batches and the queries of q"
        expected = f"{expected}, {whose}" if q.ndim > 3 else "none: q has no axis of batches"
        raise ValueError(f"valid_lens has {given} lengths; expected {expected}")


def _at(x, b, i):
    """The number of each place, of numbers that may differ between batches."""
    return x[i] if x.ndim == 1 else x[b, i]


def _fewest(one, other):
    return one if other is None else other if one is None else min(one, other)


def _shortest(one, other):
    if one is None or other is None:
        return other if one is None else one
    if one.ndim != other.ndim:
        one, other = (x if x.ndim == 2 else x[:, None] for x in (one, other))
    return torch.minimum(one, other)


def refuse_lengths(valid_lens, n_k):
    """Refuse lengths that are negative or larger than n_k, where their numbers lie at hand.

    Another device would have to be awaited for them, and under vmap, in fake tensors, on the meta
    device and for a compiler there are none: then nothing is refused.
    """
    if torch.compiler.is_compiling() or valid_lens.device.type != "cpu":
        return
    with contextlib.suppress(RuntimeError):
        for length in valid_lens.reshape(-1).tolist():
            if not 0 <= length <= n_k:
                raise ValueError(f"valid_lens has {length}; expected 0 to n_k = {n_k}")
