"""Which exhibit a row of weights comes from, and what a finite fill pays."""

from attnbook.exercises.exercise import Misconception
from attnbook.exercises.predict import Predict
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
        Misconception(1 / 3, "the three scores differ by ln 2: so do the weights."),
        Misconception(1 / 2, "you turned the ratio round: the fill is the *larger* score."),
        Misconception(2 / 3, "one hidden key is missing, and the ratio is turned round."),
        Misconception(4 / 5, "this is what the two hidden keys take together."),
        Misconception(2 / 5, "this is the weight of one hidden key."),
        Misconception(1 / 4, "the visible exponential is missing in the sum 1 + 2 + 2."),
    ),
    notice="−10000 is no lower than −1: what counts is how far it lies below the visible scores.",
)

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
        Misconception(
            (4, 6, 5), "in A no key is padding: row 0 is empty because its own key is hidden."
        ),
        Misconception(
            (2, 6, 5), "a fill in float16 spoils empty rows only; row 1 of A lacks its own key."
        ),
        Misconception(
            (8, 1, 5), "under a finite fill rows sum to 1; those of B sum to 1/3, 2/3 and 1."
        ),
        Misconception(
            (8, 10, 5), "B hides the right columns; its rows do not sum to 1, and that is new."
        ),
        Misconception(
            (8, 6, 7), "a bias read as booleans is filled with −1e9: its empty row is uniform."
        ),
        Misconception((8, 6, 9), "a guess from scores leaks here and there; C hides all the past."),
        Misconception((8, 5, 6), "B and C are exchanged: in which do all rows see the wrong side?"),
    ),
    notice="A sum of rows, the diagonal, and the side of the diagonal tell three bugs apart.",
)
