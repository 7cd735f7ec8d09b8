"""How many bits a result has, and what a fill is worth in each dtype."""

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.predict import Predict
from attnbook.exercises.solutions import precision as solutions

result_bits = Predict(
    name="precision.result_bits",
    title="Five dtypes",
    level="easy",
    minutes=4,
    solution_of=solutions.result_bits,
    explanation=(
        "torch.tensor makes float32 of Python's floats, and from_numpy keeps NumPy's float64. A "
        "number of Python takes the tensor's dtype. Neither 16-bit type holds the other, so their "
        "sum is float32. The package computes a float16 softmax in float32 and rounds it back."
    ),
    hints=(
        "Which float does PyTorch make of Python's 4.0? And which float does NumPy make of it?",
        "A number of Python has no dtype of its own. Between float16 and bfloat16 neither is the "
        "wider: one has more digits, the other more range.",
        "The package's functions return the dtype that came in.",
    ),
    misconceptions=(
        Misconception([4, 8, 2, 4, 2], "these are bytes: a byte has 8 bits."),
        Misconception(
            [16, 64, 16, 32, 16],
            "a list of floats becomes float32: PyTorch chooses 16 bits for nobody.",
        ),
        Misconception([32, 64, 16, 64, 16], "float32 holds both 16-bit types: no more is needed."),
        Misconception(
            [64, 64, 16, 32, 16], "PyTorch makes float32 of Python's floats, and NumPy float64."
        ),
        Misconception(
            [32, 32, 16, 32, 16],
            "from_numpy shares the memory of the array, so it has to keep its dtype.",
        ),
        Misconception(
            [32, 64, 32, 32, 16], "a number of Python takes on the tensor's dtype, float16."
        ),
        Misconception([32, 64, 64, 32, 16], "a number of Python takes on the tensor's dtype."),
        Misconception(
            [32, 64, 16, 16, 16],
            "float16 has more digits and bfloat16 more range: their sum needs a type with both.",
        ),
        Misconception(
            [32, 64, 16, 32, 32],
            "the package computes float16 in float32, and rounds the result to what came in.",
        ),
    ),
    notice="Arrays from NumPy bring float64 along: say .to(torch.float32) where that is too much.",
)

fills = Predict(
    name="precision.fills",
    title="Which fills does float16 refuse?",
    level="medium",
    minutes=4,
    solution_of=solutions.fills,
    explanation=(
        "A fill must lie within the range of the type, or be infinite. The range of float16 ends "
        "at 65504. So −1e4 and −65504 pass, −1e5 and the lowest bfloat16, −3.4e38, are refused, "
        "and −∞ passes: it is a number of every float type."
    ),
    hints=(
        "The largest float16 is 65504, and the lowest −65504.",
        "bfloat16 has as many bits, but the range of float32: what is its lowest number?",
        "Is −∞ a number of float16?",
    ),
    misconceptions=(
        Misconception(
            [False, False, True, True, True], "−∞ is a number of every float type: it passes."
        ),
        Misconception(
            [False, True, True, True, False], "−65504 is the lowest float16 itself: it passes."
        ),
        Misconception(
            [False, True, True, True, True],
            "−65504 is the lowest float16 and −∞ a number of every float type: both pass.",
        ),
        Misconception(
            [False, False, True, False, False],
            "both types have 16 bits, but bfloat16 reaches as far as float32, to −3.4e38.",
        ),
        Misconception(
            [False, False, False, True, False], "−1e5 is −100,000, below −65504: it is refused."
        ),
        Misconception(
            [False, False, False, False, False],
            "an operation would round to −∞ here, but masked_fill refuses what lies outside.",
        ),
        Misconception(
            [True, True, False, False, True],
            "here True stands for what passes: it should stand for what is refused.",
        ),
    ),
    notice="An error is the kind outcome: a product that leaves the range becomes −∞ in silence.",
)

roundings = Predict(
    name="precision.roundings",
    title="How many roundings?",
    level="medium",
    minutes=6,
    solution_of=solutions.roundings,
    explanation=(
        "A merge is a weighted average, so its error is at most the largest error that goes in, "
        "and storing it adds one u. Parts side by side cost 1 + 1, however many they are. In turn, "
        "each merge adds one to what came in: 1 and seven merges are 8."
    ),
    hints=(
        "A weighted average of numbers, each wrong by at most e, is wrong by at most e.",
        "What is stored gets one more rounding.",
        "In turn: how often is the first part's output stored again?",
    ),
    misconceptions=(
        Misconception([1, 3, 9, 15], "errors are averaged, not added, and then one u comes on."),
        Misconception([1, 3, 9, 8], "a merge averages the errors of its parts: they do not add."),
        Misconception([1, 2, 8, 8], "eight parts at once are rounded once more, not seven times."),
        Misconception([1, 2, 9, 8], "eight errors of one u average to at most one u, and 1 more."),
        Misconception([1, 1, 1, 1], "the parts are stored as well: each has an error of its own."),
        Misconception(
            [1, 2, 2, 2], "in turn the running output is stored, and rounded, each time."
        ),
        Misconception([1, 1, 1, 8], "the parts are stored as well, before they are merged."),
        Misconception([1, 3, 3, 8], "two errors of one u average to at most one u, and 1 more."),
        Misconception([1, 2, 4, 8], "merged at once is one more rounding, and not three in pairs."),
        Misconception(
            [1, 2, 2, 4], "in turn means one part after the other, seven times: not in pairs."
        ),
        Misconception(
            [1, 2, 2, 15],
            "a merge averages the running error with a part's one u, and adds one u, not two.",
        ),
        Misconception(
            [2, 3, 3, 9], "sums in float32 count as exact here: only what is stored is rounded."
        ),
        Misconception([1, 1, 1, 7], "the last output is stored too: that is one rounding more."),
        Misconception([1, 2, 2, 7], "seven merges, and the first part was stored before them: 8."),
        Misconception([1, 2, 2, 9], "eight parts need seven merges: 1 + 7."),
        Misconception([0, 1, 1, 7], "storing the first output is a rounding too."),
    ),
    notice="This is why a running output is kept in float32, and rounded when all is merged.",
)
