"""Teaching a Transformer, and its circuit: what natural answers to their exercises hear."""

import math

import numpy as np
import pytest
import torch
from torch.nn import functional as F
from verdicts import assert_right, assert_wrong

from attnbook import exercises, models

WRONG = []  # an exercise, an answer, and the beginning of what it must hear


def hears(name, sentence, *answers):
    """These are wrong answers of the exercise `name`, and each hears this."""
    WRONG.extend((name, answer, sentence) for answer in answers)


TOO_LARGE = "of the numbers, the first is wrong: 4.12 is too large; right: the second, third."
hears("teach.first_loss", TOO_LARGE, (4.12, 5.93, 2.06))
hears("teach.first_loss", "of the numbers, the second is wrong: 7", (4.11, 7, 2.06))
hears("teach.first_loss", "the padding adds a token to the 61", (4.11, 5.93, 2.064))
hears("teach.first_loss", "bits need not be whole", (4.11, 6, 2.06))
hears("teach.first_loss", "a probability costs minus its logarithm", (1 / 61, 6, 0.5))
hears("teach.first_loss", "logits of 0 are no loss of 0", (0, 0, 0), (0, 5.93, 2.06))
hears("teach.first_loss", "4.1 is right to one decimal: give more", (4.1, 5.9, 2.1))
hears("circuit.one_layer", "1.8 is right to one decimal", (1 / 6, 1.8, 1 / 24, 3.2, 3.3))
hears("circuit.one_layer", "1.79 is right to two decimals", (1 / 6, 1.79, 1 / 24, 3.2, 3.26))
hears("circuit.first_word", "the two texts are exchanged", (1 / 3, 1 / 3, 1 / 3, 1 / 2, 1 / 2, 0))
hears("circuit.first_word", "the last word reads what stands behind", (0, 0, 1, 0, 0, 1))
hears("circuit.first_word", "these are counts", (1, 1, 0, 1, 1, 1))
hears("circuit.later_reader", "numbers has 2 numbers; the check wants 3.", [1, 2])


def shifted(texts, last=-100):
    return F.pad(texts[:, 1:], (0, 1), value=last)


def with_argmax(texts, stop):
    first = (texts == stop).int().argmax(dim=1)
    return torch.where(torch.arange(texts.shape[1]) >= first[:, None], -100, shifted(texts))


def with_a_stop_of_its_own(texts, stop):
    return torch.where((texts == 9).cumsum(dim=1) > 0, -100, shifted(texts))


hears("teach.targets_of", "a text without a stop is asked to its end", with_argmax)
hears("teach.targets_of", "`stop` says which token the stop is", with_a_stop_of_its_own)


def cosine(progress):
    return 0.5 * (1 + math.cos(math.pi * progress))


def schedule(rise=None, fall=None, last_of_rise=True):
    """A schedule of two parts, of which a wrong one is given."""

    def rate(step, warm_up, steps):
        if step < warm_up or (last_of_rise and step == warm_up):
            return rise(step, warm_up) if rise else step / warm_up
        if fall:
            return fall(step, warm_up, steps)
        return cosine((step - warm_up) / (steps - warm_up))

    return rate


def nothing_at_the_end(step, warm_up, steps):
    return 0.0 if warm_up == steps else cosine((step - warm_up) / (steps - warm_up))


def with_a_division(step, warm_up, steps):
    return 0.5 * (1 + math.cos(math.pi * (step - warm_up) / (steps - warm_up)))


FROM_1 = "steps are counted from 1"
hears("teach.rate", FROM_1, schedule(rise=lambda i, n: (i - 1) / n))
hears("teach.rate", FROM_1, schedule(rise=lambda i, n: (i - 1) / max(1, n - 1)))
hears("teach.rate", FROM_1, schedule(rise=lambda i, n: (i + 1) / n))
hears("teach.rate", FROM_1, schedule(rise=lambda i, n: (i + 1) / n, last_of_rise=False))
hears("teach.rate", FROM_1, schedule(rise=lambda i, n: (i + 1) / (n + 1), last_of_rise=False))
hears("teach.rate", "the rise ends at 1", schedule(rise=lambda i, n: i / (n + 1)))
hears("teach.rate", "the rise is a straight line", schedule(rise=lambda i, n: 1 - cosine(i / n)))
OWN = "that is the chapter's own schedule"
hears("teach.rate", OWN, lambda step, warm_up, steps: models.one_cycle(step / steps))
hears("teach.rate", "there is no warm-up here", schedule(rise=lambda i, n: 1.0))
LENGTH = "the fall takes `steps - warm_up` steps"
hears("teach.rate", LENGTH, schedule(fall=lambda i, n, end: cosine((i - n) / end)))
FROM_THE_END = "the cosine has to be counted from the end"
hears("teach.rate", FROM_THE_END, schedule(fall=lambda i, n, end: cosine(i / end)))
LATE = "the fall begins at the step `warm_up`"
hears("teach.rate", LATE, schedule(fall=lambda i, n, end: cosine((i - n - 1) / (end - n))))
FLOOR = "the fall ends at 0"
hears("teach.rate", FLOOR, schedule(fall=lambda *a: 0.1 + 0.9 * with_a_division(*a)))
DEGREES = "math.cos takes radians"
hears(
    "teach.rate",
    DEGREES,
    schedule(fall=lambda i, n, end: 0.5 * (1 + math.cos(180 * (i - n) / (end - n)))),
)
hears(
    "teach.rate",
    "rise and fall are not multiplied",
    lambda i, n, end: min(1, i / n) * cosine(i / end),
    lambda i, n, end: min(1, i / max(1, n)) * cosine((i - n) / (end - n)),
)
hears(
    "teach.rate",
    "without a warm-up the rate falls from the first step",
    lambda *given: 1.0 if given[1] == 0 else schedule()(*given),
)
hears(
    "teach.rate",
    "where `warm_up` is `steps`, nothing is left to fall",
    schedule(last_of_rise=False),
    schedule(fall=with_a_division, last_of_rise=False),
    schedule(fall=nothing_at_the_end, last_of_rise=False),
)


def cut(kept, result=lambda logits, weights, kept: torch.where(kept, logits, -torch.inf)):
    """A filter of logits: which are kept, and what is made of that."""

    def min_p(logits, p):
        weights = logits.softmax(dim=-1)
        kept_here = kept(logits, weights, p)
        return result(logits, weights, kept_here)

    return min_p


def right_ones(logits, weights, p):
    return weights >= p * weights.amax(dim=-1, keepdim=True)


def by_exp(logits, weights, p):
    exp = logits.exp()
    return ~(exp < p * exp.amax(dim=-1, keepdim=True))


def by_a_naive_softmax(logits, weights, p):
    exp = np.exp(logits.numpy())
    naive = exp / exp.sum(-1, keepdims=True)
    return ~torch.from_numpy(naive < p * naive.max(-1, keepdims=True))


def of_top_p(logits, weights, p):
    order = weights.sort(dim=-1, descending=True).values
    n = (order.cumsum(dim=-1) - order < p).sum(dim=-1, keepdim=True).clamp(min=1)
    return weights >= order.gather(-1, n - 1)


def with_its_result_dropped(logits, p):
    weights = logits.softmax(dim=-1)
    logits.masked_fill(weights < p * weights.amax(dim=-1, keepdim=True), -torch.inf)
    return logits


OVERFLOW = "exp overflows"
hears("teach.min_p", OVERFLOW, cut(by_exp), cut(by_a_naive_softmax))
hears("teach.min_p", "that is top-p", cut(of_top_p))
hears("teach.min_p", "a large p hides more", cut(lambda x, w, p: right_ones(x, w, 1 - p)))
BELOW = "the threshold is p times the largest probability, not p below it"
hears("teach.min_p", BELOW, cut(lambda x, w, p: x >= x.amax(dim=-1, keepdim=True) - p))
hears("teach.min_p", "the values differ; it is logits, as it came in\n", with_its_result_dropped)
hears(
    "teach.min_p",
    "logits come back as they were",
    cut(right_ones, lambda logits, weights, kept: torch.where(kept, weights, 0)),
    cut(right_ones, lambda logits, weights, kept: torch.where(kept, weights.log(), -torch.inf)),
    cut(right_ones, lambda _, w, kept: (w * kept / (w * kept).sum(-1, keepdim=True)).log()),
)
hears(
    "teach.min_p",
    "hidden logits are −∞, and not a very small number",
    cut(right_ones, lambda logits, _, kept: logits.masked_fill(~kept, -1e9)),
    cut(right_ones, lambda x, _, kept: x.masked_fill(~kept, torch.finfo(x.dtype).min)),
)


def scored(pairs, mean=lambda mass, pairs: mass[pairs.any(dim=1)].mean()):
    """A score of induction: which pairs count, and over what is averaged."""

    def induction_score(weights, tokens):
        counts = pairs(tokens).tril()
        return mean((weights * counts).sum(dim=1), counts)

    return induction_score


def behind(tokens):
    pairs = torch.zeros(len(tokens), len(tokens), dtype=torch.bool)
    pairs[:, 1:] = tokens[:, None] == tokens[:-1]
    return pairs


def of_the_next_token(tokens):
    pairs = torch.zeros(len(tokens), len(tokens), dtype=torch.bool)
    pairs[:-1] = tokens[1:, None] == tokens
    return pairs


def one_copy(which):
    def induction_score(weights, tokens):
        found = []
        for i in range(len(tokens)):
            keys = [j for j in range(1, i + 1) if tokens[j - 1] == tokens[i]]
            found += [weights[i, keys[which]]] if keys else []
        return torch.stack(found).mean()

    return induction_score


BY_SCORE = "a query that looks elsewhere counts as well"
hears(
    "circuit.induction_score", BY_SCORE, scored(behind, lambda mass, pairs: mass[mass > 0].mean())
)
ROLLED = "no token stands before key 0"
hears("circuit.induction_score", ROLLED, scored(lambda x: x[:, None] == x.roll(1)))
BEFORE = "these are the weights on what stands in front of the copy"
hears("circuit.induction_score", BEFORE, scored(lambda x: x[:, None] == x.roll(-1)))
NEXT = "a query looks for its own token"
hears("circuit.induction_score", NEXT, scored(of_the_next_token))
TWO = "a query with two earlier copies looks behind both"
hears("circuit.induction_score", TWO, one_copy(0), one_copy(-1))
FIXED = "copies may stand at any distance"
hears("circuit.induction_score", FIXED, lambda w, x: w.diagonal(1 - len(x) // 2).mean())


def put_back(place, mean):
    def mean_ablated(written, head):
        changed = written.clone()
        changed[place(head)] = mean(written, head)
        return changed.sum(dim=0)

    return mean_ablated


def of_the_others(written, head):
    return written[[h for h in range(len(written)) if h != head]].mean((0, 1))


FIRST = "another head is taken out"
hears("circuit.mean_ablated", FIRST, put_back(lambda _: 0, lambda x, head: x[0].mean(dim=0)))
OTHERS = "the mean is that of the head that is taken out"
hears("circuit.mean_ablated", OTHERS, put_back(lambda head: head, of_the_others))


def fold(matrix=None, bias=None, scaled=lambda scale, w: scale[:, None] * w):
    def folded(scale, shift, w):
        m = scaled(scale, w)
        m = matrix(m, shift) if matrix else m - m.mean(dim=0)
        return torch.cat([m, (bias(shift, w) if bias else shift @ w)[None]])

    return folded


ROWS = "the scale multiplies the rows of W"
hears("circuit.folded", ROWS, fold(scaled=lambda scale, w: scale * w))
hears("circuit.folded", ROWS, fold(scaled=lambda scale, w: w * scale))
AS_IT_IS = "the shift is added behind the mean's subtraction"
hears("circuit.folded", AS_IT_IS, fold(bias=lambda shift, w: shift @ w - (shift @ w).mean()))
THROUGH = "the shift goes through the matrix as well"
hears("circuit.folded", THROUGH, fold(bias=lambda shift, w: shift @ torch.ones_like(w)))
DIVIDED = "a mean of d numbers is divided by d"
hears("circuit.folded", DIVIDED, fold(lambda m, _: m - m.sum(dim=0) / (len(m) - 1)))
BIAS_ALONE = "the shift stands in the bias alone"
hears("circuit.folded", BIAS_ALONE, fold(lambda m, shift: m - m.mean(dim=0) + shift[:, None]))
ITSELF = "this norm multiplies by `scale` itself"
hears("circuit.folded", ITSELF, fold(scaled=lambda scale, w: (1 + scale)[:, None] * w))
BOTH = "the rows keep their means"
hears(
    "circuit.folded",
    BOTH,
    fold(lambda m, _: m - m.mean(dim=0) - (m - m.mean(dim=0)).mean(dim=1, keepdim=True)),
)


@pytest.mark.parametrize(
    ("name", "answer", "sentence"), WRONG, ids=lambda x: x if isinstance(x, str) else ""
)
def test_a_natural_wrong_answer_hears_its_cause(name, answer, sentence):
    assert_wrong(name, answer, sentence)


def by_libraries(step, warm_up, steps):
    if step < warm_up:
        return step / max(1, warm_up)
    return max(0, cosine((step - warm_up) / max(1, steps - warm_up)))


RIGHT = [
    ("teach.first_loss", (4.11, 5.93, 2.06)),
    ("teach.targets_of", lambda *given: exercises.teach.targets_of.answer(*given).long()),
    ("teach.rate", schedule()),
    ("teach.rate", by_libraries),
    ("teach.rate", lambda i, n, end: 1 if i == n else 0 if i == end else schedule()(i, n, end)),
    ("teach.min_p", cut(right_ones)),
    ("circuit.induction_score", scored(behind)),
    ("circuit.mean_ablated", put_back(lambda head: head, lambda x, head: x[head].mean(dim=0))),
    ("circuit.folded", fold()),
]


@pytest.mark.parametrize(("name", "answer"), RIGHT, ids=lambda x: x if isinstance(x, str) else "")
def test_an_answer_of_which_wrong_ones_are_made_is_right(name, answer):
    assert_right(name, answer)


def with_a_floor(logits, weights, p):
    return weights >= torch.clamp(p * weights.amax(dim=-1, keepdim=True), min=1e-3)


def with_a_tolerance(logits, weights, p):
    return weights >= p * weights.amax(dim=-1, keepdim=True) - 1e-6


def by_the_smaller(step, warm_up, steps):
    if warm_up == steps:
        return step / warm_up
    return min(step / max(warm_up, 1), cosine((step - warm_up) / (steps - warm_up)))


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("teach.min_p", cut(with_a_floor)),
        ("teach.min_p", cut(with_a_tolerance)),
        ("teach.rate", by_the_smaller),
    ],
)
def test_what_is_right_by_chance_on_most_inputs_is_refused(name, answer):
    assert exercises.find(name).verdict(answer).state == "wrong"


def test_the_texts_of_the_first_loss_are_those_of_two_models():
    exercise = exercises.teach.first_loss
    assert "The second model knows no more" in exercise.notice and "third" not in exercise.notice
