"""Name the exhibit · medium · 5 min

Hints
1. Compare each with the right weights: (1, 0, 0), (1/2, 1/2, 0), (1/3, 1/3, 1/3).
2. Sum the rows of B. Which key does row 1 of A lack? On which side of the diagonal is C?

Why
A lacks the own key in every row, and row 0 is NaN: the diagonal is lost, exhibit 8. Rows of B sum
to 1/3, 2/3 and 1, with the hidden keys in the denominator: exhibit 6. C looks at the future only
and its last row, which sees nothing, is zeros: exhibit 5.

Notice
A sum of rows, the diagonal, and the side of the diagonal tell three bugs apart.
"""

from attnbook.exercises.engine import predict


def named():
    """The exhibits of three matrices of weights: diagonal lost, zeroed late, inverted."""
    return (8, 6, 5)


MISTAKES = """
B and C are exchanged: in which do all rows see the wrong side?
    (8, 5, 6)
A and C are exchanged: which of them sees only the future?
    (5, 6, 8)
A and B are exchanged: in which do rows not sum to 1?
    (6, 8, 5)
a finite fill gives no NaN, and row 0 of A is NaN.
    at 0: 1
a fill in float16, or the lowest float, spoils empty rows only; row 1 of A lacks its own key.
    at 0: 2 || 3
in A no key is padding, no row is hidden, and no score is guessed from: its diagonal is hidden.
    at 0: 4 || 9 || 10
A looks at the past alone; under an inverted mask, or a bias read as booleans, it would not.
    at 0: 5 || 7
rows 1 and 2 of A sum to 1; after the softmax they would not.
    at 0: 6
under a finite fill, a guess from scores or hidden rows, rows sum to 1; those of B sum to 1/3, 2/3
and 1.
    at 1: 1 || 9 || 10
an empty row becomes NaN or uniform there, and B has neither: sum its rows.
    at 1: 2 || 3 || 4
B looks at the right keys, as under an inverted mask, or a bias read as booleans, it would not.
    at 1: 5 || 7
the diagonal is there: row 0 of B sees key 0. Sum the rows.
    at 1: 8
the empty row is NaN or uniform there; row 2 of C is zeros.
    at 2: 1 || 2 || 3 || 4
a bias read as booleans would give these weights too, but C was given booleans.
    at 2: 7
rows 0 and 1 of C sum to 1: no hidden key is left in the denominator.
    at 2: 6
rows 0 and 1 of C see the future: a lost diagonal or a guess from scores only hides more, and hidden
rows leave the others right.
    at 2: 8 || 9 || 10
"""

exercise = predict(named, MISTAKES, stated=(8, 6, 5))
