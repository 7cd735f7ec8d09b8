"""How far apart two distributions are, whether over keys or over symbols."""

import torch
from torch import Tensor

from attnbook.pytorch.operation import Float, check_shapes


@check_shapes
def total_variation(p: Float[Tensor, "... n"], q: Float[Tensor, "... n"]) -> Float[Tensor, "..."]:
    """The total variation distance of distributions along the last axis.

        TV(p, q) = 1/2 sum_i |p_i - q_i|

    It is the largest difference in the probability of any event: 0 if they agree, 1 if nothing is
    possible under both.

    >>> total_variation(torch.tensor([0.5, 0.5, 0.0]), torch.tensor([0.25, 0.5, 0.25]))
    tensor(0.2500)
    """
    return (p - q).abs().sum(dim=-1) / 2


@check_shapes
def jensen_shannon(p: Float[Tensor, "... n"], q: Float[Tensor, "... n"]) -> Float[Tensor, "..."]:
    """The Jensen–Shannon divergence of distributions along the last axis, in nats.

        JS(p, q) = (KL(p || m) + KL(q || m)) / 2,    m = (p + q) / 2,    0 ln 0 = 0

    It is 0 if they agree, and at most ln 2, where nothing is possible under both. Its gradient is
    finite where a probability is 0.
    Source: Lin (1991), section 4.

    >>> jensen_shannon(torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0]))
    tensor(0.6931)
    """
    m = (p + q) / 2
    return (_from_middle(p, m) + _from_middle(q, m)) / 2


def _from_middle(p, m):
    """KL(p || m), where m is at least p / 2, so that the quotient is at most 2."""
    possible = p > 0
    quotient = torch.where(possible, p, 1) / torch.where(possible, m, 1)
    return torch.where(possible, p * quotient.log(), 0).sum(dim=-1)
