"""Solutions of the chapter on twins."""

import torch

from attnbook import pytorch


def softmax(scores, mask):
    """Weights over the visible keys of each row; where there are none, zeros with gradient 0."""
    visible = torch.where(mask, scores, -torch.inf)
    return torch.where(mask, torch.softmax(visible, dim=-1), 0)


def lse_gradient():
    """What reaches the scores (0, ln 3, ln 4) of two queries, one of which sees two keys."""
    scores = torch.log(torch.tensor([[1.0, 3.0, 4.0], [1.0, 3.0, 4.0]])).requires_grad_()
    mask = torch.tensor([[True, True, True], [True, True, False]])
    pytorch.logsumexp(scores, mask).sum().backward()
    return scores.grad.tolist()


def causal_mask(n_q, n_k, device):
    """True where query i may look at key j, made on the device."""
    i = torch.arange(n_q, device=device)[:, None]
    j = torch.arange(n_k, device=device)
    return j <= i + n_k - n_q


def distance():
    """A query and a key at the same place."""
    return [2.0, 1.0], [2.0, 1.0]


def five_zeros():
    """Whether the gradient of each of five zeros is NaN."""
    x = torch.zeros(5, requires_grad=True)
    zeros = (
        torch.where(x[0] > 0, torch.log(x[0]), 0),
        torch.log(torch.where(x[1] > 0, x[1], 1)),
        0 * torch.sqrt(x[2]),
        torch.sqrt(x[3]),
        torch.exp(-1 / x[4].abs()),
    )
    sum(zeros).backward()
    return x.grad.isnan().tolist()
