"""How many keys a query sees, in four calls that mean the same mask."""

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.predict import Predict
from attnbook.exercises.solutions import libraries as solutions

BOTTOM = "our causal_mask is anchored at the bottom right: the last query sees all five keys."
TOP = "is_causal is anchored at the top left: query 0 sees key 0 alone."
TURNED = "to SDPA True means may look: turned round, the mask shows what it should hide."
ADDED = "floats are added to the scores: 0.0 hides no key, it only favours the others."
EMPTY = "the second query does not see key 4, so turned round the mask shows it this one key."
FROM_0 = "the second query is query 1; counted from 1, it sees one key more than its number."

how_many = Predict(
    name="libraries.how_many",
    title="How many keys",
    level="easy",
    minutes=6,
    solution_of=solutions.how_many,
    hints=(
        "Draw both triangles for three queries and five keys: one ends at the bottom right, one "
        "begins at the top left.",
        "What the turned mask shows is what the mask hides. And which weight is exp(0)?",
    ),
    explanation=(
        "The last of three queries sees five keys by our mask, the second four. By `is_causal` "
        "query 0 sees one, query 1 two. SDPA takes True for may look: turned round, only key 4 is "
        "left. Floats are added: keys with 0.0 are still seen, so all five are."
    ),
    misconceptions=(
        Misconception([2, 2, 1, 5], BOTTOM),
        Misconception([2, 2, 3, 5], BOTTOM),
        Misconception([4, 4, 1, 5], TOP),
        Misconception([4, 2, 4, 5], TURNED),
        Misconception([4, 4, 4, 4], TOP),
        Misconception([4, 2, 4, 4], TURNED),
        Misconception([4, 2, 1, 4], ADDED),
        Misconception([4, 2, 1, 0], ADDED),
        Misconception([4, 2, 1, 1], ADDED),
        Misconception([4, 2, 0, 5], EMPTY),
        Misconception([4, 2, 3, 5], "the mask that is turned round is ours, with four keys seen."),
        Misconception([3, 1, 2, 5], "these are the keys of the first query; asked is the second."),
        Misconception([5, 3, 0, 5], "these are the keys of the last query; asked is the second."),
        Misconception([3, 2, 2, 5], FROM_0),
        Misconception([4, 1, 1, 5], "query 0 sees one key by is_causal, so query 1 sees two."),
    ),
    notice=(
        "Four calls, four answers, and no error: a mask is right only together with the function "
        "that takes it."
    ),
)
