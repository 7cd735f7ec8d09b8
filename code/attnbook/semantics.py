"""One question, put to several libraries: what each answers where attention is asked an odd thing.

A library takes q, k and v of shape (batch, heads, positions, features), with one batch and one
head, and a mask in which True = may look; further options go to it as they are.
"""

import warnings

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

from attnbook import reference
from attnbook.profiler import profiled
from attnbook.pytorch import DotProductAttention, MultiHeadAttention, to_multihead


def numpy_reference(q, k, v, mask=None):
    """The definition."""
    mask = None if mask is None else mask.numpy()
    return reference.scaled_dot_product_attention(q.numpy(), k.numpy(), v.numpy(), mask)


def our_module(q, k, v, mask=None):
    """The book's module."""
    return DotProductAttention()(q, k, v, mask=mask)


def sdpa(backend):
    """PyTorch's `scaled_dot_product_attention`, with one of its backends."""

    def ask(q, k, v, mask=None, **options):
        with sdpa_kernel(backend):
            return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, **options)

    return ask


def multihead(need_weights):
    """PyTorch's `MultiheadAttention` with one head, and the identity for each of its matrices."""

    def ask(q, k, v, mask=None, **options):
        layer = MultiHeadAttention(q.shape[-1], n_heads=1).to(q.device, q.dtype)
        for matrix in layer.parameters():
            nn.init.eye_(matrix)
        if mask is not None:
            mask = ~mask[0, 0] if mask.dtype == torch.bool else mask[0, 0]
        options |= {"attn_mask": mask, "need_weights": need_weights}
        return to_multihead(layer)(q[:, 0], k[:, 0], v[:, 0], **options)[0]

    return ask


def flex(q, k, v, mask=None, **options):
    """FlexAttention: a boolean mask as a predicate of positions, another as a change of scores."""
    if mask is not None and mask.dtype != torch.bool:
        options["score_mod"] = lambda s, b, h, i, j: s + mask[0, 0, i, j]
    elif mask is not None:
        sizes = None, None, q.shape[-2], k.shape[-2], q.device
        shown = create_block_mask(lambda b, h, i, j: mask[0, 0, i, j], *sizes)
        options["block_mask"] = shown
    return flex_attention(q, k, v, **options)


def jax(q, k, v, mask=None, **options):
    """JAX's `dot_product_attention`, in which positions stand before heads. Needs JAX."""
    from jax.nn import dot_product_attention

    q, k, v = (x.movedim(1, 2).numpy() for x in (q, k, v))
    mask = None if mask is None else mask.numpy()
    out = dot_product_attention(q, k, v, mask=mask, **options)
    return torch.tensor(np.asarray(out))


JAX = {  # what version 0.10.2 answered on a CPU: the book does not install it
    "empty row": "sees 0 1 2 3",
    "NaN in k": "sees 0 1 2",
    "NaN in v": "NaN",
    "empty row, back": "finite",
    "NaN in k, back": "NaN in q",
    "NaN in v, back": "NaN in q k",
    "−∞ for hidden": "ValueError",
    "−1e9 for hidden": "ValueError",
    "1.0 and 0.0": "ValueError",
    "is_causal": "sees 0",
    "is_causal + mask": "sees 1",
}


def even(n_q, n_k=4):
    """Queries, keys and values with scores of 0, whose outputs are the rows of weights."""
    values = torch.eye(n_k)[None, None]
    return {"q": torch.zeros(1, 1, n_q, n_k), "k": torch.zeros_like(values), "v": values}


def moved(question, device):
    """The same question on another device, in float16, which all backends take."""

    def move(x):
        return x.to(device, torch.float16 if x.is_floating_point() else x.dtype)

    return {name: move(x) if isinstance(x, torch.Tensor) else x for name, x in question.items()}


def answer(library, row, question):
    """What a library does in one row, in words; the name of the error, if it raises one.

    Warnings are silenced: FlexAttention warns that it is slow unless it is compiled.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            out = torch.as_tensor(library(**question)).detach().double().cpu()
    except Exception as error:
        return type(error).__name__
    return in_words(out.reshape(-1, out.shape[-1])[row].numpy())


def gradients(library, row, question):
    """Which gradients of q, k and v are not finite, if a loss reads one row of the output alone.

    Returns "finite" or, say, "NaN in q k", or the name of the error, if the library raises one.
    """
    leaves = {name: question[name].clone().requires_grad_() for name in "qkv"}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            out = library(**question | leaves)
        out.reshape(-1, out.shape[-1])[row].sum().backward()
    except Exception as error:
        return type(error).__name__
    spoilt = [name for name, x in leaves.items() if not x.grad.isfinite().all()]
    return " ".join(["NaN in", *spoilt]) if spoilt else "finite"


def in_words(weights):
    """A row of weights in words: which keys it looks at, if it looks at them evenly."""
    if np.isnan(weights).any():
        return "NaN" if np.isnan(weights).all() else "partly NaN"
    seen = np.flatnonzero(weights)
    if not len(seen):
        return "zeros"
    if not np.allclose(weights[seen], 1 / len(seen), rtol=0, atol=1e-3):
        return "uneven"
    return "sees " + " ".join(map(str, seen))


def judged(table):
    """The answers in lines that fit into cells, and for the words of a cell a colour.

    `table` has the answers to each question. Good is what shows no influence of what is hidden, bad
    a NaN or a hidden key that is seen, plain an error; on a reading of `is_causal` no verdict is
    passed, and it is fair.
    """
    cells, colors = [], {}
    for answers in table.values():
        cells.append([_in_lines(word) for word in answers])
        colors |= zip(cells[-1], map(_verdict, answers), strict=True)
    return cells, colors


def _in_lines(word):
    if word.endswith("Error"):
        return "refuses"
    return word.replace("sees ", "sees\n").replace("NaN in", "NaN\nin")


def _verdict(word):
    if word.endswith("Error"):
        return "plain"
    if word in ("zeros", "finite", "sees 0 1 2"):
        return "good"
    return "bad" if "NaN" in word or word in ("uneven", "sees 0 1 2 3") else "fair"


PROGRAMS = {  # by an operation that it calls: the first that is found tells
    "aten::_native_multi_head_attention": "the fast path",
    "aten::scaled_dot_product_attention": "SDPA",
    "aten::_scaled_dot_product_flash_attention_for_cpu": "FLASH, block by block",
    "aten::_scaled_dot_product_attention_math": "MATH, step by step",
    "aten::logsumexp": "your function, on scores",
    "aten::_softmax": "a softmax of its own",
    "aten::exp": "the formula, with guards",
}


def routes():
    """Which program computes what one calls: what, when, and the program, for each way.

    PyTorch's profiler sees those of PyTorch; that JAX compiles with XLA is said by its makers.
    """
    x, words = torch.ones(1, 1, 4, 4), [torch.ones(1, 4, 4)] * 3
    layer = nn.MultiheadAttention(4, 2, batch_first=True)

    def used():
        with torch.no_grad():
            layer.eval()(*words)

    calls = [
        ("our module", "", lambda: our_module(x, x, x)),
        ("the layer", "with weights", lambda: layer(*words)),
        ("the layer", "without weights", lambda: layer(*words, need_weights=False)),
        ("the layer", "in evaluation", used),
        ("SDPA", "", lambda: sdpa(SDPBackend.MATH)(x, x, x)),
        ("SDPA", "", lambda: sdpa(SDPBackend.FLASH_ATTENTION)(x, x, x)),
        ("FlexAttention", "", lambda: flex(x, x, x)),
    ]
    found = [(called, when, _program(called, call)) for called, when, call in calls]
    return [*found, ("JAX", "", "XLA")]


def _program(called, call):
    with warnings.catch_warnings(), profiled() as profiler:
        warnings.simplefilter("ignore")
        call()
    seen = {event.key for event in profiler.key_averages()}
    return next(name for op, name in PROGRAMS.items() if op in seen and name != called)
