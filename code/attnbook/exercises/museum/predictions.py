"""Which exhibit a row of weights comes from, and what a finite fill pays."""

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.predict import Predict
from attnbook.exercises.solutions import museum as solutions

fill = Predict(
    name="museum.fill",
    title="The price of a fill",
    level="easy",
    minutes=4,
    solution_of=solutions.fill,
    atol=0.001,
    explanation=(
        "The fill is ln 2 above the visible score, so each of the two hidden exponentials is twice "
        "the visible one: 1, 2 and 2. The visible key gets 1/5, and the hidden ones 4/5 together."
    ),
    hints=(
        "Weights depend on differences of scores only: subtract −10000 − ln 2 from all three.",
        "The scores become 0, ln 2 and ln 2. Which exponentials are these?",
    ),
    misconceptions=(
        Misconception(1, "so it should be, but nothing is hidden: a finite fill is a score."),
        Misconception(
            0, "the fill is only ln 2 above the visible score, not 5000: the weight is not 0."
        ),
        Misconception(
            1 / 3,
            "this takes all three scores for equal, or counts one hidden key alone: the "
            "exponentials are 1, 2 and 2.",
        ),
        Misconception(1 / 2, "you turned the ratio round: the fill is the *larger* score."),
        Misconception(2 / 3, "one hidden key is missing, and the ratio is turned round."),
        Misconception(4 / 5, "this is what the two hidden keys take together."),
        Misconception(2 / 5, "this is the weight of one hidden key."),
        Misconception(
            5,
            "this is the sum of the exponentials: which part of it is the visible key's?",
        ),
        Misconception(
            1 / (1 + 2 * 0.6931472), "ln 2 is a difference of scores: exponentiate it first."
        ),
        Misconception(-10000.693147, "this is the visible score; its weight lies between 0 and 1."),
        Misconception(0.6931472, "this is the difference of the scores: exponentiate, and divide."),
        Misconception(3 / 4, "the exponentials are 1 and twice 2: the visible key has the 1."),
        Misconception(3 / 5, "the sum 1 + 2 + 2 is right; the visible key has the exponential 1."),
        Misconception(1 / 7, "each hidden exponential is twice the visible one: 1, 2 and 2."),
        Misconception(1 / 9, "twice too large a step: exp(ln 2) is 2, not 4."),
        Misconception(1 / 4, "the visible exponential is missing in the sum 1 + 2 + 2."),
    ),
    notice="−10000 is no lower than −1: what counts is how far it lies below the visible scores.",
)

_NOT_A = {
    1: "a finite fill gives no NaN, and row 0 of A is NaN.",
    2: "a fill in float16 spoils empty rows only; row 1 of A lacks its own key.",
    3: "the lowest float spoils empty rows only; row 1 of A lacks its own key.",
    4: "in A no key is padding: row 0 is empty because its own key is hidden.",
    5: "A looks at the past alone; under an inverted mask it would be the future.",
    6: "rows 1 and 2 of A sum to 1; after the softmax they would not.",
    7: "a bias read as booleans shows the wrong keys; A shows right ones, and one too few.",
    9: "a guess from equal scores hides all of them or none; A hides the diagonal alone.",
    10: "hidden rows would leave the others whole; each row of A lacks its own key.",
}
_NOT_B = {
    1: "under a finite fill rows sum to 1; those of B sum to 1/3, 2/3 and 1.",
    2: "a fill in float16 turns an empty row into NaN; B has neither.",
    3: "the lowest float spoils empty rows, and B has none: sum its rows.",
    4: "an empty row is NaN there, and no row of B is: sum its rows.",
    5: "B looks at the right side; what is odd there is the sums of rows.",
    7: "B looks at the right keys, and a bias read as booleans does not: sum its rows.",
    8: "the diagonal is there: row 0 of B sees key 0. Sum the rows.",
    9: "under a guess from scores rows sum to 1; those of B sum to 1/3, 2/3 and 1.",
    10: "hidden rows would still sum to 1; those of B sum to 1/3, 2/3 and 1.",
}
_NOT_C = {
    1: "under a finite fill every row sums to 1; row 2 of C is zeros.",
    2: "a fill in float16 turns an empty row into NaN; row 2 of C is zeros.",
    3: "the lowest float makes an empty row NaN or uniform; row 2 of C is zeros.",
    4: "an empty row is NaN there; row 2 of C is zeros, and the others see the future.",
    6: "rows 0 and 1 of C sum to 1: no hidden key is left in the denominator.",
    7: "a bias read as booleans is filled with −1e9: its empty row is uniform.",
    8: "a lost diagonal leaves the past; C sees the future alone.",
    9: "a guess from scores loses visible keys; C shows hidden ones.",
    10: "hidden rows would leave the others right; rows 0 and 1 of C see the future.",
}


def _causes():
    """One wrong exhibit in one place, the other two right: what speaks against it."""
    right = solutions.named()
    for place, causes in enumerate((_NOT_A, _NOT_B, _NOT_C)):
        for number, sentence in causes.items():
            yield Misconception((*right[:place], number, *right[place + 1 :]), sentence)


named = Predict(
    name="museum.named",
    title="Name the exhibit",
    level="medium",
    minutes=5,
    solution_of=solutions.named,
    explanation=(
        "A lacks the own key in every row, and row 0 is NaN: the diagonal is lost, exhibit 8. Rows "
        "of B sum to 1/3, 2/3 and 1, with the hidden keys in the denominator: exhibit 6. C looks "
        "at the future only and its last row, which sees nothing, is zeros: exhibit 5."
    ),
    hints=(
        "Compare each with the right weights: (1, 0, 0), (1/2, 1/2, 0), (1/3, 1/3, 1/3).",
        "Sum the rows of B. Which key does row 1 of A lack? On which side of the diagonal is C?",
    ),
    misconceptions=(
        Misconception((8, 5, 6), "B and C are exchanged: in which do all rows see the wrong side?"),
        Misconception((5, 6, 8), "A and C are exchanged: which of them sees only the future?"),
        Misconception((6, 8, 5), "A and B are exchanged: in which do rows not sum to 1?"),
        *_causes(),
    ),
    notice="A sum of rows, the diagonal, and the side of the diagonal tell three bugs apart.",
)
