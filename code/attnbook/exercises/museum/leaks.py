"""A test that finds a leak: which values reach which outputs."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.museum.ten import WEIGHTS, Attend
from attnbook.exercises.solutions import museum as solutions

_V = np.array([[0.0, 1.0], [4.0, 0.0], [8.0, 2.0], [2.0, 5.0]])


def _with(change=lambda v, j: v[j] + 1, moved=lambda after, before: after != before):
    def influence(attend, v):
        before = attend(v)
        found = np.zeros((len(before), len(v)), dtype=bool)
        for j in range(len(v)):
            changed = v.copy()
            changed[j] = change(v, j)
            after = attend(changed)
            both_nan = np.isnan(after) & np.isnan(before)
            found[:, j] = np.any(moved(after, before) & ~both_nan, axis=-1)
        return found

    return influence


def _counting_nan(attend, v):
    before = attend(v)
    found = [np.any(attend(v + np.eye(len(v))[:, [j]]) != before, axis=-1) for j in range(len(v))]
    return np.stack(found, axis=1)


def _piling_up(attend, v):
    before, changed = attend(v), v.copy()
    found = np.zeros((len(before), len(v)), dtype=bool)
    for j in range(len(v)):
        changed[j] += 1
        after = attend(changed)
        found[:, j] = np.any((after != before) & ~np.isnan(after), axis=-1)
    return found


def _into_the_argument(attend, v):
    before = attend(v)
    found = np.zeros((len(before), len(v)), dtype=bool)
    for j in range(len(v)):
        v[j] += 1
        found[:, j] = np.any(attend(v) != before, axis=-1)
    return found


def _all_at_once(attend, v):
    moved = np.any(attend(v + 1) != attend(v), axis=-1, keepdims=True)
    return np.repeat(moved, len(v), axis=1)


def _all_numbers(attend, v):
    before = attend(v)
    moved = [attend(v + np.eye(len(v))[:, [j]]) != before for j in range(len(v))]
    both_nan = np.isnan(before).all(axis=-1, keepdims=True)
    return np.stack([np.all(m, axis=-1) for m in moved], axis=1) & ~both_nan


def _whole_columns(attend, v):
    return np.ones((len(v), 1), bool) & np.any(solutions.influence(attend, v), axis=0)


influence = Write(
    name="museum.influence",
    title="Find the leak",
    level="medium",
    minutes=12,
    solution_of=solutions.influence,
    explanation=(
        "Change one value, look at every output, and put the value back: column j is what value j "
        "moves. For a causal attention everything above the diagonal must be False. A weight of "
        "exactly 0 moves nothing, so the comparison needs no tolerance."
    ),
    hints=(
        "Compute the outputs once. For each j copy v, change row j alone, and compute them again.",
        "Column j holds, for each query i, whether any feature of output i differs.",
        "NaN != NaN is True: count an entry as moved only where not both outputs are NaN.",
    ),
    misconceptions=(
        Misconception(
            lambda attend, v: solutions.influence(attend, v).T,
            "the result is transposed: rows are queries, columns are the keys whose value changes.",
        ),
        Misconception(
            lambda attend, v: ~solutions.influence(attend, v),
            "True should say that the output moves; here it says that it stays.",
        ),
        Misconception(
            _piling_up,
            "the changes pile up: start each time from the values as they were given.",
        ),
        Misconception(
            _into_the_argument,
            "the changes pile up: start each time from the values as they were given.",
        ),
        Misconception(
            _all_at_once,
            "all values change at once: change one alone, or nobody knows which one moved.",
        ),
        Misconception(
            _all_numbers,
            "a row counts here if all of its numbers move: one is enough, np.any.",
        ),
        Misconception(
            _whole_columns,
            "one output that moves makes a whole column True: ask each row, np.any(..., axis=-1).",
        ),
        Misconception(
            lambda attend, v: np.ones((len(v), len(v)), dtype=bool),
            "everything moves here, as by a NaN, for 0 times NaN is NaN: add a finite number.",
        ),
        Misconception(
            _with(lambda v, j: np.nan),
            "0 times NaN is NaN, and so is 0 times infinity: every output moves, whatever the "
            "weight. Add a finite number.",
        ),
        Misconception(
            _with(moved=lambda after, before: after == before),
            "True should say that the output moves; here it says that it stays.",
        ),
        Misconception(
            _with(moved=lambda after, before: ~np.isclose(after, before)),
            "a very small movement counts too: add 1 or more, and compare without np.isclose.",
        ),
        Misconception(
            _counting_nan,
            "NaN differs from itself, so a row of NaN seems to move: NaN before and after is "
            "no movement.",
        ),
        Misconception(
            lambda attend, v: np.triu(solutions.influence(attend, v), 1),
            "only the future is reported: the past and the diagonal belong into the matrix too.",
        ),
        Misconception(
            _with(lambda v, j: 0 * v[j]),
            "to set to 0, to double or to turn the sign leaves a 0 as it is: add a number.",
        ),
        Misconception(
            lambda attend, v: np.abs(solutions.influence(attend, v) * 1.0),
            "these are the numbers 1.0 and 0.0: return booleans.",
        ),
        Misconception(
            _with(moved=lambda after, before: np.abs(after - before) > 0.1),
            "a weight below 0.1 is a leak too: a weight of exactly 0 moves nothing, so compare "
            "without a tolerance.",
        ),
    ),
    notice=(
        "Exhibits 1, 3, 5 and 7 leak, and 8 and 9 lose keys. 2, 4, 6 and 10 look right here: a NaN "
        "does not move, 6 needs sums of rows, and in 10 only the padded query sees padding."
    ),
    cases=(
        case(attend=Attend("right"), v=_V),
        *(case(attend=Attend(name), v=_V) for name in WEIGHTS if name.startswith("exhibit")),
        case(attend=Attend("exhibit 9"), v=np.zeros((4, 1))),
        case(attend=Attend("right"), v=_V + np.array([1e20, 0])),
        stress(attend=Attend("faint"), v=_V),
    ),
)
