"""How many bits a result has, and what a fill is worth in each dtype."""

from attnbook.exercises.exercise import Misconception
from attnbook.exercises.predict import Predict
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
