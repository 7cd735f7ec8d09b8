"""What to predict of the scale: how far scores spread, and where they overflow."""

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.predict import Predict
from attnbook.exercises.solutions import scale as solutions

spread = Predict(
    name="scale.spread",
    title="How far scores spread",
    level="easy",
    minutes=5,
    solution_of=solutions.spread,
    atol=0.05,
    hints=(
        "The variance of one product of independent entries with mean 0 is the product of their "
        "variances.",
        "The variances of 1024 independent products add up.",
        "The standard deviation is the square root of that sum; the scale divides it by √1024 "
        "= 32.",
    ),
    explanation=(
        "One product has variance 9. The sum of 1024 of them has variance 9216 and "
        "standard deviation 96. Dividing by √1024 = 32 leaves 3."
    ),
    misconceptions=(
        Misconception(
            [1024, 3],
            "the first is the width itself; the variance of a sum is 1024 · 9, and its root 96.",
        ),
        Misconception([32, 3], "√1024 alone leaves the queries out: their entries are ±3."),
        Misconception([96, 32], "the scale divides by 32: 96 / 32 is left."),
        Misconception([96, 9], "the second is a variance; its root is the standard deviation."),
        Misconception(
            [3, 3], "the first is that of one product, or with the scale: 1024 of them add up."
        ),
        Misconception(
            [288, 3],
            "3² is the variance of the entries: a standard deviation takes 3 itself, 3 · 32.",
        ),
        Misconception(
            [55.43, 1.73],
            "3 is the size of a query's entry: the variance of the entries is 9.",
        ),
        Misconception([32, 1], "this takes the queries' entries as ±1; they are ±3."),
        Misconception([96, 1], "the scale undoes the width and nothing else: the 3 stays in."),
        Misconception(
            [9216, 9], "these are variances; a standard deviation is the square root of one."
        ),
        Misconception([9216, 3], "the first number is a variance; take its square root."),
        Misconception(
            [288, 9], "this multiplies 32 by the variance of the queries' entries, not by their 3."
        ),
        Misconception([96, 0.09375], "this divides by d_k = 1024; the scale is 1/√d_k = 1/32."),
        Misconception([3072, 96], "standard deviations do not add up; variances do."),
        Misconception(
            [3, 96], "the two numbers are in the wrong order: without the scale comes first."
        ),
    ),
    notice=(
        "The scale repairs the effect of the width alone. Large queries still make large "
        "scores, and with them a model can sharpen its weights."
    ),
)

overflow = Predict(
    name="scale.overflow",
    title="Where each order overflows",
    level="medium",
    minutes=6,
    solution_of=solutions.overflow,
    hints=(
        "The score is 64 a² / 8 = 8 a², whichever comes first. What is the largest number on the "
        "way to it?",
        "With the product first the largest number is 64 a²; with the query first it is the score "
        "itself, 8 a².",
        "65504 / 64 = 1023.5 and 65504 / 8 = 8188: whose squares are the first above these?",
    ),
    explanation=(
        "The product alone is 64 a², above 65504 from a = 32 on, since 32² = 1024. The scaled "
        "query has entries a/8, and 64 · (a/8) · a = 8 a² is above 65504 from a = 91 on, since "
        "91² = 8281: only where the score itself does not fit."
    ),
    misconceptions=(
        Misconception([91, 32], "the two are in the wrong order: the product first comes first."),
        Misconception([31, 90], "these are the last entries that fit; give the first that do not."),
        Misconception(
            [31.99, 90.49],
            "these are where the bounds lie; a is whole, so the next number is meant.",
        ),
        Misconception([32, 90], "90 still fits: 8 · 90² = 64,800."),
        Misconception([31, 91], "31 still fits: 64 · 31² = 61,504."),
        Misconception([33, 91], "32 is already too large: 64 · 32² = 65,536."),
        Misconception([32, 92], "91 is already too large: 8 · 91² = 66,248."),
        Misconception(
            [32, 32], "the scaled query is eight times smaller, and so is its product: 8 a²."
        ),
        Misconception(
            [91, 91],
            "the score is the same, but with the product first 64 a² stands on the way to it.",
        ),
        Misconception(
            [32, 256],
            "the scaled query is 8 times smaller, so its product is 8 times smaller, not the "
            "entry 8 times larger: the entry counts twice.",
        ),
        Misconception(
            [256, 724],
            "these are the entries whose own square, or an eighth of it, does not fit; 64 of them "
            "add up.",
        ),
        Misconception(
            [1024, 8188],
            "these are a², not a: take the root.",
        ),
    ),
    notice=(
        "The scale on the query buys a factor √8 = 2.8 in the entries, and all that can be had: "
        "beyond it the score itself does not fit."
    ),
)
