"""How far results are from those in float64, before anybody looks at a clock."""

from typing import NamedTuple

import torch

from benchmarks.race.cases import BACKWARD, visible

# Ours may be twice as far as the judge. A peer is refused where it computes something else: MATH
# rounds the scores to bfloat16 and is 3 to 5 times as far, a wrong mask is a hundred times as far.
LIMIT, PEER_LIMIT = 2.0, 16.0


def exact(case, x):
    """The output in float64, or the gradients of q, k and v on the way back, as a tuple.

        A = softmax(S),    out = A v
        grad_v = Aᵀ grad_O,   grad_S = A ∘ (grad_O vᵀ - rowsum(A ∘ grad_O vᵀ))

    One head after the other; where there is a soft cap, grad_S is multiplied by its slope,
    1 - (S / c)².
    """
    grads = [torch.zeros(t.shape, dtype=torch.float64, device=t.device) for t in (x.q, x.k, x.v)]
    out = torch.empty(x.q.shape, dtype=torch.float64, device=x.q.device)
    for b in range(case.batch):
        for h in range(case.heads):
            g = h * case.kv_heads // case.heads
            q, k, v, grad_out = (
                t.double() for t in (x.q[b, h], x.k[b, g], x.v[b, g], x.grad_out[b, h])
            )
            scores, weights = _weights(case, q, k, x.valid_lens, b)
            out[b, h] = weights @ v
            if case.way == BACKWARD:
                grad_weights = grad_out @ v.T
                grad_scores = weights * (grad_weights - (weights * grad_weights).sum(-1, True))
                if case.softcap is not None:
                    grad_scores *= 1 - (scores / case.softcap) ** 2
                scale = case.width**-0.5
                grads[0][b, h] = grad_scores @ k * scale
                grads[1][b, g] += grad_scores.T @ q * scale
                grads[2][b, g] += weights.T @ grad_out
    return tuple(grads) if case.way == BACKWARD else (out,)


def _weights(case, q, k, lens, b):
    scores = q @ k.T * case.width**-0.5
    if case.softcap is not None:
        scores = case.softcap * torch.tanh(scores / case.softcap)
    mask = visible(case, lens, q.device, slice(b, b + 1))
    if mask is None:
        return scores, scores.softmax(-1)
    mask = mask.reshape(-1, case.n_k)
    hidden = scores.masked_fill(~mask, -torch.inf)
    return scores, hidden.softmax(-1).nan_to_num(0.0)  # a row where nothing is visible is zeros


class Error(NamedTuple):
    """How far a result is from float64: as a whole, and in its worst row.

    One wrong row among many thousands is nothing in the whole, and everything in the worst row.
    """

    whole: float
    row: float


def error(results, right):
    """The `Error` of a tensor or of several, the largest of each kind; NaN where there is one.

        whole = ‖X - Y‖ / ‖Y‖,    row = max_i ‖x_i - y_i‖ / max(‖y_i‖, ‖Y‖ / √rows)

    Y is in float64. A row that is smaller than is usual in Y is measured by what is usual: in a
    row of zeros there is only rounding.
    """
    results = (results,) if isinstance(results, torch.Tensor) else results
    each = [_error(x.double() - y, y) for x, y in zip(results, right, strict=True)]
    return Error(
        *(max(kind, key=lambda e: torch.inf if e != e else e) for kind in zip(*each, strict=True))
    )


def _error(difference, y):
    rows, usual = y.norm(dim=-1), y.norm() / (y.numel() / y.shape[-1]) ** 0.5
    worst = (difference.norm(dim=-1) / rows.clamp(min=usual)).max()
    return (difference.norm() / y.norm()).item(), worst.item()


def judged(errors, judges, ours):
    """Which forms do not agree, a dict of reasons, and the judge's name.

    The judge is the first of `judges` whose error is no larger than rounding makes it. Where there
    is none, only what is larger than that is refused.
    """
    judge = next((name for name in judges if _is_rounding(errors.get(name))), None)
    reasons = {}
    for name, found in errors.items():
        times = LIMIT if name in ours else PEER_LIMIT
        limits = ROUNDING if judge is None else Error(*(times * e for e in errors[judge]))
        whose = "what rounding makes" if judge is None else f"{times:g} times {judge}'s"
        wrong = [
            f"its error, {part}, is {e:.2g}; expected at most {limit:.2g}, {whose}"
            for part, e, limit in zip(Error._fields, found, limits, strict=True)
            if not e <= limit
        ]
        if wrong:
            reasons[name] = wrong[0]
    return reasons, judge


def _is_rounding(found):
    return found is not None and all(e <= most for e, most in zip(found, ROUNDING, strict=True))


# More than rounding q, k, v and weights to bfloat16, of 8 bits, makes of normal numbers.
ROUNDING = Error(0.03, 0.1)
