"""Whether the compiler finds attention in an answer that is right, and what is left of it if not."""

import numpy as np
import torch
from torch.overrides import TorchFunctionMode

from attnbook.exercises.engine import draw_qkv, not_yet
from attnbook.exercises.engine.sandbox import Output, quiet
from attnbook.exercises.engine.settings import plain_settings
from attnbook.fused.watching import FUSED, graph, ran


def missed(*shapes, mask=None):
    """For `refused`: a right answer in which nothing is found, or that calls SDPA itself.

    The shapes are those of the queries, the keys and the values, and of the mask if there is one.
    """

    def refused(answer, _):
        generator = torch.Generator().manual_seed(0)
        given = [torch.rand(shape, generator=generator) for shape in shapes]
        given += [] if mask is None else [torch.ones(mask, dtype=torch.bool).tril()]
        with plain_settings(), quiet(Output()):
            if ran(lambda: answer(*given)):
                return not_yet(CALLS_IT)
            try:
                left = graph(answer, *given)
            except Exception as error:
                kind = type(error).__name__
                return not_yet(f"the numbers are right, but the compiler stops with a {kind}.")
            with _Products() as products:
                answer(*given)
        if any(FUSED in name for name in left):
            return None
        pattern = f"product, division, {'' if mask is None else 'sum, '}softmax, product."
        said = _too_narrow(products.factors) or f"{MISSED} {pattern}{_axes(products.factors)}"
        return not_yet(f"{said} What is left: {', '.join(left)}.")

    return refused


class _Products(TorchFunctionMode):
    """The shapes of the factors of each product."""

    def __init__(self):
        super().__init__()
        self.factors = []

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function.__name__ in ("matmul", "__matmul__", "bmm"):
            self.factors.append([tuple(x.shape) for x in args[:2]])
        return function(*args, **kwargs or {})


def _axes(factors):
    """That the queries of the first product have not the four axes of the patterns."""
    axes = len(factors[0][0]) if factors else 4
    return "" if axes == 4 else f" It has four axes, and your first product has {axes}."


def _too_narrow(factors):
    """Two products of four axes and two widths: what is found there is left to MATH."""
    if len(factors) != 2 or len(factors[0][0]) != 4 or factors[0][0][-1] == factors[1][1][-1]:
        return ""
    return NARROW.format(keys=factors[0][0][-1], values=factors[1][1][-1])


def drawn(*sizes):
    """Queries, keys and values of these sizes, the same each time."""
    return draw_qkv(_rng(*sizes), *sizes)


def with_a_mask(*sizes):
    """The same and a mask: all queries see the first key, and the first does not see the last."""
    rng = _rng(*sizes)
    arrays, mask = draw_qkv(rng, *sizes), rng.random(sizes[:2]) < 0.5
    mask[:, 0], mask[0, -1] = True, False
    mask[1:] |= ~mask.any(axis=0)  # no key without a query: weights over queries are numbers, too
    return arrays | {"mask": mask}


def outbidding(score, batch):
    """Three keys: the middle one has this score, the others 0, and only the last query sees it."""
    q, k, v = np.zeros((3, *batch, 3, 4))
    q[..., 0], k[..., 1, 0] = 2.0, score  # divided by √4
    v[:] = np.arange(12.0).reshape(3, 4) ** 2
    mask = np.ones((3, 3), bool)
    mask[:2, 1] = False
    return {"q": q, "k": k, "v": v, "mask": mask}


def _rng(n_q, n_k, *others):
    return np.random.default_rng(n_q + 10 * n_k)


CALLS_IT = (
    "the numbers are right, but your function calls SDPA itself, so that there is nothing to "
    "recognise: write out its formula."
)
NARROW = (
    "the numbers are right, but nothing fused is left in the graph: your values are {values} wide "
    "and your keys {keys}, and even where the compiler finds such attention, SDPA takes MATH."
)
MISSED = (
    "the numbers are right, but the compiler doesn't recognise attention in your function. Compare "
    "it with the pattern, operation by operation:"
)
