"""A softmax whose gradient is finite, whatever the mask hides."""

import numpy as np
import torch

from attnbook.exercises.exercise import Misconception
from attnbook.exercises.solutions import twins as solutions
from attnbook.exercises.twins.tensors import differentiated
from attnbook.exercises.write import Write, case, stress

_rng = np.random.default_rng(11)


def filled(fill_of, dim=-1):
    """A softmax of scores in which hidden ones are replaced."""

    def softmax(scores, mask):
        return torch.softmax(torch.where(mask, scores, fill_of(scores.dtype)), dim=dim)

    return softmax


plain = filled(lambda dtype: -torch.inf)


def chosen(fill_of):
    """A finite fill, whose weights are replaced by 0."""

    def softmax(scores, mask):
        return torch.where(mask, filled(fill_of)(scores, mask), 0)

    return softmax


def hidden_after_exp(scores, mask):
    """The right weights; a hidden exponential that overflows makes the gradient NaN."""
    kept = torch.where(mask, scores, -torch.inf).detach()
    top = kept.amax(dim=-1, keepdim=True)
    exp = torch.where(mask, torch.exp(scores - torch.where(top.isfinite(), top, 0)), 0)
    total = exp.sum(dim=-1, keepdim=True)
    return exp / torch.where(total == 0, 1, total)


def zero_after_softmax(scores, mask):
    return torch.where(mask, torch.softmax(scores, dim=-1), 0)


def divided_again(scores, mask):
    weights = zero_after_softmax(scores, mask)
    total = weights.sum(dim=-1, keepdim=True)
    return weights / torch.where(total == 0, 1, total)


def added(scores, mask):
    return torch.softmax(scores + torch.where(mask, 0, -torch.inf).to(scores.dtype), dim=-1)


def added_and_mended(scores, mask):
    return torch.nan_to_num(added(scores, mask))


def added_and_chosen(scores, mask):
    return torch.where(mask, added(scores, mask), 0)


def added_guarded(scores, mask):
    bias = torch.where(mask, 0, -torch.inf).to(scores.dtype)
    empty = ~mask.any(dim=-1, keepdim=True)
    return torch.where(mask, torch.softmax(torch.where(empty, 0, scores + bias), dim=-1), 0)


def multiplied(scores, mask):
    return torch.softmax(scores * mask, dim=-1)


def no_maximum(scores, mask):
    exp = torch.exp(torch.where(mask, scores, -torch.inf))
    total = exp.sum(dim=-1, keepdim=True)
    return exp / torch.where(total == 0, 1, total)


def one_maximum(scores, mask):
    top = torch.where(mask, scores, -torch.inf).detach().max()
    exp = torch.exp(torch.where(mask, scores, -torch.inf) - torch.where(top.isfinite(), top, 0))
    total = exp.sum(dim=-1, keepdim=True)
    return exp / torch.where(total == 0, 1, total)


def over(dim):
    def softmax(scores, mask):
        empty = ~mask.any(dim=dim, keepdim=True)
        kept = torch.where(empty, 0, torch.where(mask, scores, -torch.inf))
        return torch.where(mask, torch.softmax(kept, dim=dim), 0)

    return softmax


def _with_empty(shape, dtype=np.float64):
    """Scores, and a random mask with one empty row."""
    mask = _rng.random(shape) < 0.6
    mask[..., 0, :] = False
    return {"scores": _rng.standard_normal(shape).astype(dtype), "mask": mask}


def _row(scores, mask, dtype=np.float64):
    return {"scores": np.array(scores, dtype), "mask": np.array(mask, bool)}


_TINY = np.log([1.0, 3.0, 4.0])

softmax = Write(
    name="twins.softmax",
    title="A softmax with a finite gradient",
    level="medium",
    minutes=10,
    solution_of=solutions.softmax,
    through=differentiated,
    exact_zeros=True,
    explanation=(
        "The softmax of an empty row is NaN, and so is its slope. The outer `torch.where` keeps "
        "the NaN out of the weights, and the inner one keeps it out of the gradient: backward it "
        "gives 0 to each score that it replaced. It selects and never multiplies, so no 0 meets a "
        "NaN. Hidden scores are replaced before the exponential, so none of them overflows."
    ),
    hints=(
        "torch.softmax subtracts the maximum and divides. What has to be done to hidden scores "
        "before it, and to hidden weights after it?",
        "torch.where selects, forward and backward: what it replaced gets the gradient 0.",
        "Replace hidden scores by -torch.inf before the softmax, and hidden weights by 0 after it.",
    ),
    misconceptions=(
        Misconception(plain, "an empty row is NaN: its weights have to be replaced by 0."),
        *(
            Misconception(
                mended,
                "the weights of an empty row are mended, and its gradient is NaN: the NaN inside "
                "goes backward through the sum. Replace scores with torch.where, and add nothing.",
            )
            for mended in (added_and_mended, added_and_chosen)
        ),
        Misconception(
            hidden_after_exp,
            "the weights are right, and the gradient is not: a hidden score overflows in exp, and "
            "backward 0 · ∞ is NaN. Hide before exp.",
        ),
        *(
            Misconception(
                filled(fill_of),
                "an empty row becomes uniform: a finite fill is a score like any other, and the "
                "row sees what it must not.",
            )
            for fill_of in (
                lambda dtype: torch.finfo(dtype).min,
                lambda dtype: -1e9 if dtype != torch.float16 else -6e4,
                lambda dtype: -1e4,
            )
        ),
        *(
            Misconception(
                chosen(fill_of),
                "a visible score below the fill loses to it: only −∞ is below every score.",
            )
            for fill_of in (
                lambda dtype: -1e9 if dtype != torch.float16 else -6e4,
                lambda dtype: -1e4,
            )
        ),
        Misconception(
            zero_after_softmax,
            "the hidden keys are still in the denominator: hide before the softmax.",
        ),
        Misconception(
            divided_again,
            "a hidden score that is huge or NaN takes part before it is set aside: hide it "
            "before exp.",
        ),
        *(
            Misconception(
                sum_of,
                "-inf is added, and a hidden NaN or +inf stays NaN: replace hidden scores with "
                "torch.where.",
            )
            for sum_of in (added_guarded, added)
        ),
        Misconception(
            multiplied, "a hidden score becomes 0, and e^0 = 1 takes part: only -inf is absent."
        ),
        Misconception(
            lambda scores, mask: solutions.softmax(scores, ~mask),
            "the polarity is inverted: True = may look.",
        ),
        Misconception(
            lambda scores, mask: solutions.softmax(scores.detach(), mask),
            "autograd has no record that leads from the weights to the scores: they were detached, "
            "or the weights were made without them.",
        ),
        Misconception(
            no_maximum, "exp overflows or underflows: subtract each row's largest visible score."
        ),
        Misconception(
            one_maximum, "all rows share one maximum, and low rows underflow: one per row."
        ),
        Misconception(over(0), "the softmax runs over the first dimension: keys are the last."),
        Misconception(over(-2), "the softmax runs over the queries: keys are the last dimension."),
        Misconception(
            over(1), "dim=1 is the last dimension of a matrix only: dim=-1 is the last of any."
        ),
        Misconception(
            lambda scores, mask: solutions.softmax(scores.double(), mask),
            "the result is float64 whatever came in: return the dtype of the scores.",
        ),
        Misconception(
            lambda scores, mask: solutions.softmax(scores.float(), mask),
            "the result is float32 whatever came in: return the dtype of the scores.",
        ),
    ),
    notice="A where on each side: one for the weights, one for the gradient.",
    cases=(
        case(**_row([_TINY], [[1, 1, 0]])),
        case(**_row([_TINY, _TINY], [[1, 1, 0], [0, 0, 0]])),
        case(**_row(_TINY, [1, 0, 1])),
        case(**_row([5.0], [1])),
        case(**_row([[0.0, 0.0], [0.0, 2.0]], [[1, 1], [0, 1]])),
        case(**_with_empty((3, 4))),
        case(**_with_empty((2, 3, 5))),
        case(**_with_empty((2, 3, 2, 4))),
        case(scores=_rng.standard_normal((2, 3, 4)), mask=np.array([[True, True, False, True]])),
        case(scores=_rng.standard_normal((2, 3, 4)), mask=np.arange(12).reshape(3, 4) > 3),
        stress(**_row([0.0, 800.0], [1, 0])),
        stress(**_row([[0.0, 1.0, 1e300], [2.0, 0.0, 900.0]], [[1, 1, 0], [0, 1, 0]])),
        stress(**_row([1e4, -1e4, 1e4], [1, 1, 0])),
        stress(**_row([[-1e4, -9999.0], [1e4, 9999.0]], [[1, 1], [1, 1]])),
        stress(**_row([-1e300, -1e300], [1, 1])),
        stress(**_row([np.finfo(float).min, np.finfo(float).min, 0.0], [1, 1, 0])),
        stress(**_row([-2e4, -2e4, 0.0], [1, 1, 0])),
        stress(**_row([-1e300, -1e300, 0.0], [1, 1, 0])),
        stress(**_row([1.0, np.nan, 0.0], [1, 0, 1])),
        stress(**_row([1.0, np.inf, 0.0, -np.inf], [1, 0, 1, 0])),
        stress(**_row([[np.nan, np.inf]], [[0, 0]])),
        stress(**_with_empty((2, 3, 4), np.float32)),
        stress(**_row([[1, 200, 2], [1, 2, 3]], [[1, 0, 1], [0, 0, 0]], np.float32)),
        stress(**_with_empty((2, 3, 4), np.float16)),
        stress(**_row([[1, 60_000, 2], [1, 2, 3]], [[1, 0, 1], [0, 0, 0]], np.float16)),
    ),
)
