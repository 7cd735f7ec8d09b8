"""Speculative decoding: a draft model proposes tokens, and the target checks all in one pass.

What is written has exactly the distribution of the target, whatever the draft proposes.

Source: Leviathan, Kalman and Matias (2023), algorithm 1; Chen et al. (2023), algorithm 2.
"""

import torch
from jaxtyping import Integer
from torch import Tensor

from attnbook.checks import at_least
from attnbook.models.cached import CachedModel
from attnbook.pytorch.operation import Float, check_shapes

Distribution = Float[Tensor, "vocabulary"]
Proposed, Tokens = Integer[Tensor, "k"], Integer[Tensor, "n"]


def draw(p: Distribution) -> int:
    """A token with the probabilities p."""
    return int(torch.multinomial(p, 1))


@check_shapes
def acceptance(
    p: Float[Tensor, "*n vocabulary"], q: Float[Tensor, "*n vocabulary"]
) -> Float[Tensor, "*n vocabulary"]:
    """The probability with which the target accepts each token, if the draft proposes it.

        a(x) = min(1, p(x) / q(x))

    p is the target's distribution and q the draft's. A token with q(x) = 0, which the draft never
    proposes, has a(x) = 1. Of what the draft proposes, Σ q(x) a(x) = Σ min(p(x), q(x)) is accepted.
    Source: Leviathan, Kalman and Matias (2023), section 2.3.
    """
    return torch.where(p < q, p / q, 1.0)


@check_shapes
def residual(
    p: Float[Tensor, "*n vocabulary"], q: Float[Tensor, "*n vocabulary"]
) -> Float[Tensor, "*n vocabulary"]:
    """The distribution of the token that replaces a rejected one.

        r(x) = max(p(x) - q(x), 0) / Σ_y max(p(y) - q(y), 0)

    Where no p(x) is above q(x), nothing is rejected but by a rounding, and r is p.
    Source: Leviathan, Kalman and Matias (2023), section 2.3; Chen et al. (2023), equation 4.
    """
    excess = (p - q).clamp(min=0)
    total = excess.sum(dim=-1, keepdim=True)
    return torch.where(total > 0, excess / total, p)


@check_shapes
def verify(
    proposed: Proposed,
    q: Float[Tensor, "k vocabulary"],
    p: Float[Tensor, "k+1 vocabulary"],
    draw=draw,
) -> Tokens:
    """What one round emits: the proposals before the first that is rejected, and one token more.

    Row i of q is what proposal i was drawn from, and row i of p the target's distribution there.
    Each proposal in turn is accepted with the probability of `acceptance`. The first that is not is
    replaced by a draw from the `residual`, and those after it are dropped; if all are accepted, one
    more is drawn from the last row of p. `draw` takes probabilities and returns an index.
    Raises ValueError for a proposal that q never makes.
    """
    for i, token in enumerate(proposed.tolist()):
        if not q[i, token] > 0:
            raise ValueError(f"q[{i}, {token}] is {q[i, token]}; expected more than 0 if proposed")
        accepted = acceptance(p[i], q[i])[token]
        if not draw(torch.stack([1 - accepted, accepted])):
            return _appended(proposed[:i], draw(residual(p[i], q[i])))
    return _appended(proposed, draw(p[-1]))


@torch.no_grad()
def speculative_round(
    target: CachedModel, draft: CachedModel, text: Tokens, k: int, draw=draw
) -> Tokens:
    """The 1 to k + 1 tokens that follow a text, with one forward pass of the target.

    Both have read less than the whole text before, and all but its last token afterwards; the draft
    may have read one less.
    """
    longer, q = text, []
    for _ in range(k):
        q.append(draft.distributions(longer, 1)[0])
        longer = _appended(longer, draw(q[-1]))
    p = target.distributions(longer, k + 1)
    q = torch.stack(q) if k else p[:0]
    emitted = verify(longer[len(text) :], q, p, draw)
    for model in (target, draft):
        model.rewind(len(text) + len(emitted) - 1)
    return emitted


def speculative_decode(
    target: CachedModel, draft: CachedModel, text: Tokens, n: int, k: int, draw=draw
) -> tuple[Tokens, list[int]]:
    """A text with n tokens written behind it, and how many each pass of the target emitted.

    The draft proposes k tokens in each round, fewer at the end. With k = 0 the target writes alone.
    Raises ValueError if the text is empty, or n or k is negative.
    """
    at_least(1, **{"len(text)": len(text)})
    at_least(0, n=n, k=k)
    end, emitted = len(text) + n, []
    while len(text) < end:
        new = speculative_round(target, draft, text, min(k, end - len(text) - 1), draw)
        text = torch.cat([text, new])
        emitted.append(len(new))
    return text, emitted


def _appended(tokens, token):
    return torch.cat([tokens, tokens.new_tensor([token])])
