"""Weights that a model has not, and with which it says nearly the same."""

from collections.abc import Callable

import torch
from jaxtyping import Bool
from torch import Tensor

from attnbook.models.divergences import jensen_shannon, total_variation
from attnbook.pytorch.operation import Float, check_shapes

RATE, STEEP = 0.2, 20.0  # of Adam; how much more a step outside costs than a step away gains


@check_shapes
def other_weights(
    weights: Float[Tensor, "*rows n_k"],
    predict: Callable,
    mask: Bool[Tensor, "*#rows n_k"],
    tolerance: float = 0.01,
    steps: int = 200,
    seed: int = 0,
) -> Float[Tensor, "*rows n_k"]:
    """Weights far from the given ones, row by row, under which `predict` says nearly the same.

        maximise JS(a, b) - 20 max(0, TV(predict(a), predict(b)) - tolerance)    over scores of b

    `predict` makes a distribution of each row of weights. Adam climbs from random scores, and a row
    that ends outside the tolerance keeps the weights that were given: that none was found there
    does not prove that there are none. Raises ValueError unless tolerance and steps are above 0.
    Source: Jain and Wallace (2019), section 4.2.2, with total variation.
    """
    if not 0 < tolerance or not 1 <= steps:
        raise ValueError(f"tolerance is {tolerance} and steps is {steps}; expected above 0")
    weights, said = weights.detach(), predict(weights).detach()
    generator = torch.Generator().manual_seed(seed)
    scores = torch.randn(weights.shape, generator=generator, dtype=weights.dtype).requires_grad_()
    optimiser = torch.optim.Adam([scores], lr=RATE)
    for _ in range(steps):
        other = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)
        outside = (total_variation(said, predict(other)) - tolerance).clamp(min=0)
        (gradient,) = torch.autograd.grad(
            (STEEP * outside - jensen_shannon(weights, other)).sum(), scores
        )
        scores.grad = gradient
        optimiser.step()
    other = scores.detach().masked_fill(~mask, -torch.inf).softmax(dim=-1)
    found = total_variation(said, predict(other).detach()) <= tolerance
    return torch.where(found[..., None], other, weights)
