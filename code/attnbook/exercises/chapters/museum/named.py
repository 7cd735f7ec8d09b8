"""2. Name the exhibit · medium · 5 min

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

from attnbook.exercises.engine.module import predict


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
    (1, 6, 5)
a fill in float16, or the lowest float, spoils empty rows only; row 1 of A lacks its own key.
    (2, 6, 5)
    (3, 6, 5)
in A no key is padding: row 0 is empty because its own key is hidden.
    (4, 6, 5)
A looks at the past alone; under an inverted mask it would be the future.
    (5, 6, 5)
rows 1 and 2 of A sum to 1; after the softmax they would not.
    (6, 6, 5)
a bias read as booleans shows the wrong keys; A shows right ones, and one too few.
    (7, 6, 5)
a guess from equal scores hides all of them or none; A hides the diagonal alone.
    (9, 6, 5)
hidden rows would leave the others whole; each row of A lacks its own key.
    (10, 6, 5)
under a finite fill, a guess from scores or hidden rows, rows sum to 1; those of B sum to 1/3, 2/3
and 1.
    (8, 1, 5)
    (8, 9, 5)
    (8, 10, 5)
a fill in float16 turns an empty row into NaN; B has neither.
    (8, 2, 5)
the lowest float spoils empty rows, and B has none: sum its rows.
    (8, 3, 5)
an empty row is NaN there, and no row of B is: sum its rows.
    (8, 4, 5)
B looks at the right side; what is odd there is the sums of rows.
    (8, 5, 5)
B looks at the right keys, and a bias read as booleans does not: sum its rows.
    (8, 7, 5)
the diagonal is there: row 0 of B sees key 0. Sum the rows.
    (8, 8, 5)
under a finite fill every row sums to 1; row 2 of C is zeros.
    (8, 6, 1)
a fill in float16 turns an empty row into NaN; row 2 of C is zeros.
    (8, 6, 2)
the lowest float makes an empty row NaN or uniform; row 2 of C is zeros.
    (8, 6, 3)
an empty row is NaN there; row 2 of C is zeros, and the others see the future.
    (8, 6, 4)
rows 0 and 1 of C sum to 1: no hidden key is left in the denominator.
    (8, 6, 6)
a bias read as booleans is filled with −1e9: its empty row is uniform.
    (8, 6, 7)
a lost diagonal leaves the past; C sees the future alone.
    (8, 6, 8)
a guess from scores loses visible keys; C shows hidden ones.
    (8, 6, 9)
hidden rows would leave the others right; rows 0 and 1 of C see the future.
    (8, 6, 10)
"""

exercise = predict(named, MISTAKES, stated=(8, 6, 5))
