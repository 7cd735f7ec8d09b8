"""An ablation that no later head notices · easy · 5 min

Hints
1. Follow the stream by hand: x, then x + first · x, then what the second head adds to that.
2. Without the first head, the second reads x alone. What does the broken version let it read?
3. The two differ by first · second · x.

Why
With x = 1, first = 2 and second = 3 the stream is 1, then 3, then 12. Without the first head it is 1,
then 1 + 3 = 4. The broken version subtracts from 12 the 2 that the first head has added, and has 10:
it keeps the 6 that the second head has read off the first.

Notice
What a part adds to the end directly is only one of its effects. In a model of a single layer it is
all of them, so a test on one layer passes.
"""

from attnbook.exercises.engine import a_row, break_it


def later_reader():
    """Every number does something."""
    return [1.0, 2.0, 3.0]


def subtracted(numbers):
    """The stream at the end, less what the first head has added."""
    x, first, second = numbers
    stream = x + first * x
    stream = stream + second * stream
    return stream - first * x


def run_without(numbers):
    """The stream at the end of a run in which the first head adds nothing."""
    x, _, second = numbers
    return x + second * x


MISTAKES = """
the stream is 0, so neither head adds anything.
    [0.0, 2.0, 3.0]
    if numbers[0] == 0
the first head adds nothing, so it makes no difference that it is taken out.
    [1.0, 0.0, 3.0]
    if numbers[1] == 0
the second head adds nothing, as in a model of one layer: nobody reads what the first has added.
    [1.0, 2.0, 0.0]
    if numbers[2] == 0
the two versions differ by first · second · x, which is too small here to be seen.
    [1e-9, 1e-9, 1e-9]
    if True
"""

exercise = break_it(
    later_reader,
    MISTAKES,
    broken=subtracted,
    right=run_without,
    allowed=lambda numbers: a_row(3, 3, -1000, 1000, numbers=numbers),
    stated=(4.0, 10.0),
)
