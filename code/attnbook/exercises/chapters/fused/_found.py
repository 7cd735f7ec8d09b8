"""Whether the compiler finds attention in an answer that is right, and what is left of it if not."""

import numpy as np
import torch

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
        if any(FUSED in name for name in left):
            return None
        return not_yet(f"{MISSED} What is left: {', '.join(left)}.")

    return refused


def drawn(*sizes):
    """Queries, keys and values of these sizes, the same each time."""
    return draw_qkv(_rng(*sizes), *sizes)


def with_a_mask(*sizes):
    """The same and a mask: all queries see the first key, and the first does not see the last."""
    rng = _rng(*sizes)
    arrays, mask = draw_qkv(rng, *sizes), rng.random(sizes[:2]) < 0.5
    mask[:, 0], mask[0, -1] = True, False
    return arrays | {"mask": mask}


def _rng(n_q, n_k, *others):
    return np.random.default_rng(n_q + 10 * n_k)


CALLS_IT = (
    "the numbers are right, but your function calls SDPA itself, so that there is nothing to "
    "recognise: write out its formula."
)
MISSED = (
    "the numbers are right, but the compiler doesn't recognise attention in your function. Compare "
    "it with the pattern, operation by operation: product, division, sum, softmax, product."
)
