"""A triangle that moves when padding is cut off, and a cap that comes after the mask."""

import functools

import numpy as np

from attnbook import masks, reference
from attnbook.exercises.engine.break_it import Break, Miss
from attnbook.exercises.solutions import fused as solutions
from attnbook.operation import describe

SCORES, VALUES = np.log([[1.0, 3.0, 4.0]]), np.array([[0.0], [4.0], [8.0]])


def visible(n_q, n_k, valid_len):
    """The right version: the last query stands at the last key, padding or not."""
    return masks.causal_mask(n_q, n_k) & (np.arange(n_k) < valid_len)


def visible_after_a_cut(n_q, n_k, valid_len):
    mask = np.zeros((n_q, n_k), dtype=bool)
    mask[:, :valid_len] = masks.causal_mask(n_q, valid_len)
    return mask


def cap_then_mask(mask, cap):
    """The right version."""
    capped = cap * np.tanh(SCORES / cap)
    return reference.softmax(np.where(mask, capped, -np.inf)) @ VALUES


def mask_then_cap(mask, cap):
    masked = np.where(mask, SCORES, -np.inf)
    return reference.softmax(cap * np.tanh(masked / cap)) @ VALUES


def to_four_decimals(version):
    """A difference that nobody sees in the output is none."""

    @functools.wraps(version)
    def call(mask, cap):
        return np.round(version(mask.astype(bool), cap), 4)

    return call


def _counts(n_q, n_k, valid_len):
    for name, n in {"n_q": n_q, "n_k": n_k, "valid_len": valid_len}.items():
        if not isinstance(n, int) or isinstance(n, bool) or not 0 <= n <= 1000:
            return f"{name} is {describe(n)}; expected an integer from 0 to 1000."
    if valid_len > n_k:
        return f"valid_len is {valid_len}, of {n_k} keys; expected at most as many."
    return None


def _three_and_a_cap(mask, cap):
    if not isinstance(mask, np.ndarray) or mask.shape != (3,) or not np.isin(mask, (0, 1)).all():
        return f"mask is {describe(mask)}; expected three booleans."
    if isinstance(cap, bool) or not isinstance(cap, (int, float)) or not 1e-6 <= cap <= 1e6:
        return f"cap is {describe(cap)}; expected a number from 0.000001 to 1,000,000."
    return None


after_cut = Break(
    name="fused.after_cut",
    title="Cut first, then causal",
    level="medium",
    minutes=6,
    solution_of=solutions.after_cut,
    wrong=visible_after_a_cut,
    right=visible,
    allowed=_counts,
    hints=(
        "The last query stands at the last key. Which key is the last one after the cut?",
        "The last query sees all that is left in both versions: take a second one.",
    ),
    explanation=(
        "With three keys query 0 of two stands at key 1, and sees keys 0 and 1. With the third key "
        "cut off it stands at key 0, and sees key 0 alone."
    ),
    misconceptions=(
        Miss((2, 4, 0), lambda n_q, n_k, n: n == 0, "no key is left, and nobody sees any."),
        Miss((2, 4, 4), lambda n_q, n_k, n: n == n_k, "nothing is cut off: shorten the length."),
        Miss(
            (1, 4, 2),
            lambda n_q, n_k, n: n_q == 1,
            "the only query is the last one, and sees all keys that are left in both versions.",
        ),
        Miss((0, 4, 2), lambda n_q, n_k, n: n_q == 0, "without queries there are no rows."),
    ),
    notice=(
        "To slice keys to the valid length saves work, and is right where the triangle is made "
        "before the cut."
    ),
)

late_cap = Break(
    name="fused.late_cap",
    title="A cap after the mask",
    level="easy",
    minutes=4,
    solution_of=solutions.late_cap,
    through=to_four_decimals,
    wrong=mask_then_cap,
    right=cap_then_mask,
    allowed=_three_and_a_cap,
    hints=(
        "What is cap · tanh(−∞ / cap)?",
        "A hidden key gets the score −cap. Which caps leave it a weight that can be seen?",
    ),
    explanation=(
        "The hidden key has the score −∞ and, bent, −2: its weight is exp(−2) over the sum, and "
        "its value 8 is in the output."
    ),
    misconceptions=(
        Miss(
            ([True, True, True], 2.0),
            lambda mask, cap: mask.all(),
            "no key is hidden, and what is visible is bent in both.",
        ),
        Miss(
            ([False, True, True], 40.0),
            lambda mask, cap: mask[1] and mask[2] and cap > 8,
            "the key that leaks has the value 0 and next to no weight: lower the cap.",
        ),
        Miss(
            ([True, True, False], 1000.0),
            lambda mask, cap: cap > 8,
            "exp(−cap) is next to nothing for so large a cap: lower it.",
        ),
        Miss(
            ([False, True, False], 2.0),
            lambda mask, cap: True,
            "what leaks has on average the value that comes out without it: hide other keys.",
        ),
    ),
    notice=(
        "So a soft-cap comes before the mask, in FlexAttention too: there a score_mod is done "
        "before the mask_mod, and a score_mod that hides comes last."
    ),
)
