"""What to predict of modules: how much they learn, what dropout does and when."""

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.predict import Predict
from attnbook.exercises.solutions import modules as solutions

parameters = Predict(
    name="modules.parameters",
    title="How much there is to learn",
    level="easy",
    minutes=6,
    solution_of=solutions.parameters,
    hints=(
        "Write down the shape of each matrix, and multiply.",
        "Additive: d_q × d_hidden, d_k × d_hidden, d_hidden. Multi-head: four matrices from "
        "d_model to d_model, whatever the number of heads.",
        "A bias adds one number for each number that comes out of a layer, in all four layers.",
    ),
    explanation=(
        "The dot product learns nothing, and dropout neither. Additive: 5 · 7 + 3 · 7 + 7 = 63. "
        "Multi-head: 4 · 12² = 576, however the 12 are cut into heads; biases add 4 · 12 = 48."
    ),
    misconceptions=(
        Misconception(
            [0, 63, 432, 624], "W_o is missing: there are four matrices, the last mixes the heads."
        ),
        Misconception([12, 63, 576, 624], "the dot product has no matrix: it learns nothing."),
        Misconception(
            [0, 15, 576, 624],
            "that adds the widths; a matrix has as many numbers as rows times columns.",
        ),
        Misconception([0, 63, 576, 600], "two layers only have a bias here: all four do, 4 · 12."),
        Misconception(
            [0, 63, 48, 624], "that adds widths; each of the four matrices has 12 · 12 numbers."
        ),
        *(
            Misconception(
                [rate, 63, 576, 624], "a dropout rate is set, not learned: it is no parameter."
            )
            for rate in (0.1, 1)
        ),
        Misconception([0, 42, 576, 624], "w_k is missing: 3 · 7 numbers for the keys."),
        Misconception([0, 28, 576, 624], "w_q is missing: 5 · 7 numbers for the queries."),
        Misconception([0, 56, 576, 624], "w_v is missing: 7 numbers from the hidden layer to 1."),
        *(
            Misconception(
                [0, n, 576, 624], "the layers of the additive score have no bias in this book."
            )
            for n in (64, 70, 71, 77, 78)
        ),
        Misconception(
            [0, 105, 576, 624],
            "queries and keys have a matrix each, (5, 7) and (3, 7); their shapes do not multiply.",
        ),
        Misconception(
            [0, 63, 432, 468], "W_o is missing: there are four matrices, the last mixes the heads."
        ),
        Misconception(
            [0, 63, 432, 480], "W_o is missing: there are four matrices, the last mixes the heads."
        ),
        *(
            Misconception(
                [0, 63, 1728, n],
                "heads share the width, they do not multiply it: each has a piece of the matrices.",
            )
            for n in (2496, 1776, 2304, 2352, 624)
        ),
        *(
            Misconception(
                [0, 63, 192, n],
                "that is one head's share; the module owns the pieces of all its heads.",
            )
            for n in (144, 156, 192, 624)
        ),
        Misconception([0, 63, 576, 636], "the bias of a layer has 12 numbers, and there are four."),
        Misconception(
            [0, 63, 576, 588], "all four layers have a bias, not only the last: 4 · 12 more."
        ),
        Misconception(
            [0, 63, 576, 580], "a bias has one number for each number that comes out, 12, not one."
        ),
        Misconception([0, 63, 576, 576], "bias=True adds 12 numbers to each of the four layers."),
        Misconception([0, 63, 576, 612], "W_o has a bias as well: four layers, 4 · 12 more."),
        Misconception(
            [0, 63, 144, 156], "that is one matrix; there are four: W_q, W_k, W_v and W_o."
        ),
    ),
    notice=(
        "The number of heads does not appear in it: heads are a way to use the parameters, not "
        "more of them."
    ),
)

dropout = Predict(
    name="modules.dropout",
    title="Dropout, in both states",
    level="medium",
    minutes=6,
    solution_of=solutions.dropout,
    atol=0.003,
    hints=(
        "In evaluation dropout does nothing at all: nothing is dropped, nothing divided.",
        "In training what is kept is divided by 1 - p = 3/4, so that the mean stays.",
        "The output is largest when nothing that counts is dropped. The hidden weight is 0 either "
        "way: how many weights have to be dropped until none is left?",
    ),
    explanation=(
        "In evaluation the output is 1/4 · 0 + 3/4 · 4 = 3. The division by 1 − p keeps the mean "
        "of the outputs there. Kept weights are 1/3 and 1, so the largest output is 4. The two "
        "visible weights are both dropped with chance 1/4 · 1/4 = 1/16."
    ),
    misconceptions=(
        Misconception(
            [3, 3, 16 / 3, 1 / 16],
            "a kept weight is divided by 3/4 once: 3/4 becomes 1, and the output 4.",
        ),
        Misconception(
            [3, 3, 4, 3 / 16],
            "that is the chance that one given weight is dropped and the other kept; here both "
            "are dropped.",
        ),
        *(
            Misconception([3, 3, n, 1 / 16], "the last key is hidden: its value never counts.")
            for n in (8, 10.67, 32 / 3)
        ),
        Misconception(
            [2.25, 3, 4, 0.0625],
            "nothing is scaled in evaluation: the division by 1 - p in training made up for it.",
        ),
        Misconception(
            [4, 3, 4, 0.0625],
            "the division by 1 - p belongs to training; in evaluation dropout does nothing.",
        ),
        Misconception(
            [3, 2.25, 4, 0.0625],
            "the mean is kept: what is not dropped is divided by 1 - p = 3/4.",
        ),
        Misconception(
            [3, 2.25, 3, 0.0625], "what is not dropped is divided by 1 - p = 3/4 while training."
        ),
        Misconception(
            [3, 3, 3, 0.0625],
            "a row of dropped weights may sum to more than one: kept weights are divided by 3/4.",
        ),
        Misconception(
            [3, 3, 12, 0.0625], "kept weights are divided by 1 - p = 3/4, not by p = 1/4."
        ),
        Misconception(
            [3, 3, 4, 1 / 64],
            "the third weight is hidden and 0 already: two have to be dropped, not three.",
        ),
        Misconception(
            [3, 3, 4, 1 / 15],
            "each of two weights is dropped with chance 1/4, whatever the other does: 1/4 · 1/4.",
        ),
        Misconception(
            [3, 3, 4, 0.5],
            "the two chances are multiplied, not added: both have to be dropped.",
        ),
        Misconception(
            [3, 3, 4, 7 / 16],
            "that is the chance that at least one of the two is dropped; here both are.",
        ),
        Misconception(
            [3, 3, 4, 0.25],
            "that is the chance that one given weight is dropped; here both have to be.",
        ),
        Misconception(
            [3, 3, 4, 0.75],
            "that is the chance that one given weight is kept; here both are dropped.",
        ),
        Misconception(
            [3, 3, 4, 9 / 16],
            "that is the chance that both visible weights are kept; here both are dropped.",
        ),
        Misconception(
            [5.5, 5.5, 22 / 3, 1 / 64], "the last key is hidden: the weights are 1/4, 3/4 and 0."
        ),
    ),
    notice=(
        "The mean over many rows is right, and a single row may be far off: training sees noise "
        "here, evaluation must not."
    ),
)
