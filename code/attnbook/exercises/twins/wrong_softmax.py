"""Wrong versions of the masked softmax, of which each goes wrong in its own way."""

import numpy as np
import torch

from attnbook.exercises.solutions import twins as solutions


def weights_of(replaced, dim=-1):
    """A softmax of scores in which hidden ones are replaced, or added to."""

    def softmax(scores, mask):
        return torch.softmax(replaced(scores, mask), dim=dim)

    return softmax


def chosen(softmax):
    """The weights of another softmax, of which hidden ones are replaced by 0."""
    return lambda scores, mask: torch.where(mask, softmax(scores, mask), 0)


def mended(softmax):
    return lambda scores, mask: torch.nan_to_num(softmax(scores, mask))


def hidden(scores, mask):
    return torch.where(mask, scores, -torch.inf)


def lowest(dtype):
    return torch.finfo(dtype).min


def at(number, half=None):
    """A fill; another for float16, whose numbers end at -65504."""
    return lambda dtype: half if half and dtype == torch.float16 else number


def filled(fill_of):
    return lambda scores, mask: scores.masked_fill(~mask, fill_of(scores.dtype))


def with_bias(fill_of):
    """Scores to which a fill is added where they are hidden, 0 elsewhere."""

    def replaced(scores, mask):
        return scores + torch.where(mask, scores.new_zeros(()), fill_of(scores.dtype))

    return replaced


def times_minus_infinity(scores, mask):
    return scores + (~mask).to(scores.dtype) * -torch.inf


def plus_mask(scores, mask):
    return scores + mask


def times_mask(scores, mask):
    return scores * mask


def empty_rows_at_zero(scores, mask):
    empty = ~mask.any(dim=-1, keepdim=True)
    return torch.where(empty, 0, with_bias(lambda dtype: -torch.inf)(scores, mask))


def uniform_if_empty(scores, mask):
    return torch.where(mask.any(dim=-1, keepdim=True), hidden(scores, mask), 0)


def quotient(exp, divisor):
    """Exponentials, hidden ones 0, divided by what is made of their sum."""

    def softmax(scores, mask):
        numerator = exp(scores, mask)
        return numerator / divisor(numerator.sum(dim=-1, keepdim=True))

    return softmax


def unshifted(scores):
    return scores


def by_largest(scores):
    """The largest of a row, hidden or not."""
    return scores - scores.amax(dim=-1, keepdim=True)


def by_constant(scores):
    return scores - scores.amax(dim=-1, keepdim=True).detach()


def times_mask_after(shift):
    return lambda scores, mask: torch.exp(shift(scores)) * mask


def zero_after(shift):
    return lambda scores, mask: torch.where(mask, torch.exp(shift(scores)), 0)


def hidden_after(shift):
    return lambda scores, mask: torch.exp(hidden(shift(scores), mask))


def softmax_times_mask(scores, mask):
    return torch.softmax(scores, dim=-1) * mask


def softmax_set_to_zero(scores, mask):
    return torch.where(mask, torch.softmax(scores, dim=-1), 0)


def exp_of_hidden(scores, mask):
    return torch.exp(hidden(scores, mask))


def _finite(top):
    return torch.where(top.isfinite(), top, 0)


def shifted_after_exp(scores, mask):
    """The right exponentials; a hidden one that overflows makes the gradient NaN."""
    top = hidden(scores, mask).detach().amax(dim=-1, keepdim=True)
    return torch.where(mask, torch.exp(scores - _finite(top)), 0)


def shifted(scores, mask):
    """The right exponentials."""
    kept = hidden(scores, mask)
    return torch.exp(kept - _finite(kept.detach().amax(dim=-1, keepdim=True)))


def shifted_from_zero(scores, mask):
    top = torch.where(mask, scores, 0).detach().amax(dim=-1, keepdim=True)
    return torch.exp(hidden(scores, mask) - top)


def shifted_by_first(scores, mask):
    kept = hidden(scores, mask)
    return torch.exp(kept - _finite(kept[..., :1].detach()))


def shifted_together(scores, mask):
    kept = hidden(scores, mask)
    return torch.exp(kept - _finite(kept.detach().max()))


def itself(total):
    return total


def one_if_empty(total):
    return torch.where(total == 0, 1, total)


def at_least(least):
    return lambda total: total.clamp(min=least)


def plus(small):
    return lambda total: total + small


def detached(total):
    return one_if_empty(total).detach()


def over(dim):
    """The solution along another axis."""

    def softmax(scores, mask):
        mask = mask.expand(scores.shape)
        return mended(weights_of(hidden, dim=dim))(scores, mask)

    return softmax


def over_a_guess(scores, mask):
    """What torch.nn.functional.softmax does where no dim is given."""
    return over(0 if scores.ndim in (1, 3) else 1)(scores, mask)


def in_dtype(dtype):
    return lambda scores, mask: solutions.softmax(scores.to(dtype), mask)


def by_way_of(dtype):
    return lambda scores, mask: solutions.softmax(scores.to(dtype), mask).to(scores.dtype)


def without_record(scores, mask):
    return solutions.softmax(scores.detach(), mask)


def in_numpy(scores, mask):
    return np.asarray(without_record(scores, mask))
